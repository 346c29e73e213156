"""Games written in Python: positions are found by calling the game, and solved in Rust."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from array import array
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable, Hashable, Iterable

from . import _zermelo
from ._database import Database, Packed, Position, _short
from ._errors import GameError, InputError
from ._solve import Bar, run
from ._values import Move, Values

#: The number of each outcome.
OUTCOMES = {"lose": 1, "tie": 2, "win": 3}
#: The most moves of one position.
MOST_MOVES = 100_000
#: How many positions are found before the progress is told again.
TELL = 50_000
#: The largest margin either way.
LARGEST_MARGIN = 30_000
#: The most bytes of a text of a position.
LONGEST_TEXT = 4_000


class Game:
    """A game written in Python: a class with these methods, or any object that has them.

    A position is any hashable value, and says all that matters, such as whose turn it is where that matters. Players move
    in turn. Besides the four methods below, a game may have

    - ``show(p)``: the text of a position. Rows of as many characters each, with a line break between them, are drawn as a
      board. Without it the text is ``str(p)``. Different positions have different texts.
    - ``show_move(p, m)``: the text of a move; without it ``str(m)``.
    - ``again(p, m)``: whether the player who makes the move moves again.
    - ``margin(p)``: how many points the player to move has won by where the game is over; below 0 for a loss.

    and the attributes ``name``, and ``impartial = True`` where both players have the same moves and whoever cannot move
    loses, so that positions have nimbers.

    >>> import zermelo
    >>> class Race(zermelo.Game):
    ...     '''Add one or two in turn; whoever comes to 10 wins.'''
    ...     def start(self): return 0
    ...     def moves(self, p): return [m for m in (1, 2) if p + m <= 10]
    ...     def play(self, p, m): return p + m
    ...     def outcome(self, p): return "lose" if p == 10 else None
    >>> race = Race().solve()
    >>> str(race.value()), race.moves()[0].move, str(race.value(7))
    ('win in 7', 1, 'lose in 2')
    """

    #: Whether both players have the same moves in every position, and whoever cannot move loses.
    impartial: bool = False

    def start(self) -> Hashable:
        """The position that the game begins with."""
        raise NotImplementedError("the game has no method start()")

    def moves(self, p: Any) -> Iterable[Any]:
        """The moves of a position that is not over: at least one."""
        raise NotImplementedError("the game has no method moves(p)")

    def play(self, p: Any, m: Any) -> Hashable:
        """The position after a move."""
        raise NotImplementedError("the game has no method play(p, m)")

    def outcome(self, p: Any) -> str | None:
        """How the game ended for the player to move: ``"win"``, ``"lose"`` or ``"tie"``; ``None`` where it goes on."""
        raise NotImplementedError("the game has no method outcome(p)")

    def solve(self, **options: Any) -> "GameDatabase":
        """Solves the game: :func:`zermelo.solve` of it."""
        from ._solve import solve

        database = solve(self, **options)
        assert isinstance(database, GameDatabase)
        return database


class Explored:
    """All positions of a game that its start reaches, with their moves."""

    def __init__(self, game: Any, most: int, tell: Callable[[str, float], Any] | None = None) -> None:
        for method in ("start", "moves", "play", "outcome"):
            if not callable(getattr(game, method, None)):
                raise InputError(
                    f"{_short(game)} is no game: it has no method {method}; zermelo.Game says which methods a game has"
                )
        if not isinstance(most, int) or not 1 <= most < 1 << 32:
            raise InputError(f"positions {_short(most)}: want a whole number from 1 to 4,294,967,295")
        self.game = game
        self.most = most
        self.tell = tell
        self.order: list[Any] = []
        self.index: dict[Any, int] = {}
        #: For each position, 1 or 2: who is to move where it is come to first.
        self.turns = bytearray()
        self.over = bytearray()
        self.scores = array("i")
        self.ends = array("I")
        self.to = array("I")
        self.word = array("I")
        self.again = bytearray()
        self.words: dict[str, int] = {}
        self._explore()

    def _fault(self, method: str, position: Any, what: str, cause: BaseException | None = None) -> GameError:
        given = "" if method == "start" else _short(position)
        error = GameError(f"{type(self.game).__name__}.{method}({given}): {what}", method, position)
        error.__cause__ = cause
        return error

    def _explore(self) -> None:
        game, order, index = self.game, self.order, self.index
        play, moves, outcome = game.play, game.moves, game.outcome
        to, words = self.to.append, self._worded()
        again = getattr(game, "again", None)
        margin = getattr(game, "margin", None)
        find = index.get
        method, p = "start", None
        try:
            p = game.start()
            index[p] = 0
            order.append(p)
            self.turns.append(1)
            # The list grows while it is gone through.
            for at, p in enumerate(order):
                if self.tell is not None and at % TELL == TELL - 1:
                    method = ""
                    self.tell(f"find  {at + 1:,} positions, {len(order) - at - 1:,} known besides", 0.0)
                method = "outcome"
                end = outcome(p)
                if end is not None:
                    self._ended(p, end, margin)
                    continue
                self.over.append(0)
                if margin is not None:
                    self.scores.append(0)
                before, turn = len(self.to), self.turns[at]
                stop = before + MOST_MOVES
                method = "moves"
                for m in moves(p):
                    method = "play"
                    q = play(p, m)
                    next_turn = 3 - turn
                    if again is not None:
                        method = "again"
                        repeats = bool(again(p, m))
                        self.again.append(repeats)
                        next_turn = turn if repeats else next_turn
                        method = "play"
                    number = find(q)
                    if number is None:
                        number = len(order)
                        if number >= self.most:
                            raise self._fault("play", p, self._endless(q))
                        index[q] = number
                        order.append(q)
                        self.turns.append(next_turn)
                    to(number)
                    method = "show_move"
                    words(p, m)
                    if len(self.to) > stop:
                        raise self._fault("moves", p, f"it gives more than {MOST_MOVES:,} moves")
                    method = "moves"
                if len(self.to) == before:
                    raise self._fault("moves", p, "it gives no move, though outcome(p) says that the game goes on")
                self.ends.append(len(self.to))
        except (GameError, InputError):
            raise
        except Exception as error:
            if not method:  # It is not the game that failed.
                raise
            raise self._fault(method, p, self._told(method, error), error) from error

    @staticmethod
    def _told(method: str, error: Exception) -> str:
        """What an exception of the game says, or of the look for the position that it gave."""
        if isinstance(error, TypeError) and "unhashable" in str(error):
            return f"positions must be hashable, such as texts, numbers and tuples of them: {error}"
        text = str(error)
        return f"{type(error).__name__}: {text}" if text else type(error).__name__

    def _endless(self, q: Any) -> str:
        return (
            f"it leads to {_short(q)}, and there are more than {self.most:,} positions; does play come to an end? "
            "If it does, give more with positions="
        )

    def _ended(self, p: Any, end: Any, margin: Callable[[Any], Any] | None) -> None:
        number = OUTCOMES.get(end) if isinstance(end, str) else None
        if number is None:
            raise self._fault("outcome", p, f"it gives {_short(end)}: want 'win', 'lose', 'tie' or None")
        self.over.append(number)
        self.ends.append(len(self.to))
        if margin is None:
            return
        try:
            score = margin(p)
        except Exception as error:
            raise self._fault("margin", p, self._told("margin", error), error) from error
        if not isinstance(score, int) or isinstance(score, bool) or abs(score) > LARGEST_MARGIN:
            raise self._fault("margin", p, f"it gives {_short(score)}: want a whole number, at most 30,000 either way")
        if (score > 0) - (score < 0) != number - 2:
            raise self._fault("margin", p, f"it gives {score}, and outcome(p) gives {end!r}: they do not agree")
        self.scores.append(score)

    def _worded(self) -> Callable[[Any, Any], None]:
        """A function that notes the word of each move."""
        show = getattr(self.game, "show_move", None)
        words, append = self.words, self.word.append
        known: dict[Any, int] = {}

        def number_of(text: str) -> int:
            word = re.sub(r"[\s,]+", "-", text.strip().strip("()[]{}")) or "-"
            return words.setdefault(word, len(words))

        def shown(p: Any, m: Any) -> None:
            append(number_of(str(show(p, m))))  # type: ignore[misc]

        def plain(_: Any, m: Any) -> None:
            try:
                number = known.get(m)
                if number is None:
                    number = known[m] = number_of(str(m))
            except TypeError:  # A move need not be hashable.
                number = number_of(str(m))
            append(number)

        return plain if show is None else shown

    def word_of(self, p: Any, m: Any) -> str:
        """The word of one move."""
        show = getattr(self.game, "show_move", None)
        text = str(m) if show is None else str(show(p, m))
        return re.sub(r"[\s,]+", "-", text.strip().strip("()[]{}")) or "-"

    def texts(self) -> list[str]:
        """The texts of all positions; different ones differ."""
        show = getattr(self.game, "show", None)
        texts, p = [], None
        try:
            for p in self.order:
                text = str(p if show is None else show(p)).strip().replace("\n", "/")
                if not text or not text.isprintable() or len(text.encode()) > LONGEST_TEXT:
                    want = f"want 1 to {LONGEST_TEXT:,} bytes that can be printed, with line breaks between rows"
                    raise self._fault("show", p, f"it gives {_short(text)}: {want}")
                texts.append(text)
        except GameError:
            raise
        except Exception as error:
            raise self._fault("show", p, self._told("show", error), error) from error
        if len(set(texts)) != len(texts):
            raise self._alike(texts)
        return texts

    def _alike(self, texts: list[str]) -> GameError:
        seen: dict[str, int] = {}
        for number, text in enumerate(texts):
            other = seen.setdefault(text, number)
            if other != number:
                one = _short(self.order[other])
                what = f"its text {_short(text)} is also that of {one}; give the game a method show(p) that tells them apart"
                return self._fault("show", self.order[number], what)
        raise AssertionError("two texts were alike")

    def list(self) -> "_zermelo.List":
        """The positions and moves as a list in Rust."""
        name = getattr(self.game, "name", None) or type(self.game).__name__
        plain = re.sub(r"[^a-z0-9]+", "-", str(name).lower()).strip("-")[:40].strip("-") or "game"
        impartial = bool(getattr(self.game, "impartial", False))
        try:
            return _zermelo.List(
                plain,
                impartial,
                bytes(self.over),
                self.scores.tobytes(),
                self.ends.tobytes(),
                self.to.tobytes(),
                self.word.tobytes(),
                bytes(self.again),
                list(self.words),
                self.texts(),
            )
        except InputError as error:
            raise GameError(f"{type(self.game).__name__}: {error}") from error


class GameDatabase(Database):
    """A solved game that is written in Python. Positions are what the game has for them.

    Everything of :class:`Database` works on it: values, moves, lines, counts, the terminal and the page.
    """

    def __init__(self, open: "_zermelo.Answers", explored: Explored, list: "_zermelo.List") -> None:
        super().__init__(open, search=0.0)
        self._explored = explored
        self._list = list

    @property
    def game(self) -> Any:
        """The game."""
        return self._explored.game

    @property
    def states(self) -> list[Any]:
        """Every position that the start reaches, in the order in which they were found."""
        return list(self._explored.order)

    def __len__(self) -> int:
        """The number of positions that the start reaches."""
        return len(self._explored.order)

    def _at(self, position: Any) -> Packed:
        if isinstance(position, Position):
            return super()._at(position)
        try:
            number = self._explored.index.get(position)
        except TypeError as error:
            raise InputError(f"{_short(position)} is no position of this game: {error}") from error
        if number is None:
            raise InputError(f"no play from the start comes to {_short(position)}")
        return (self._explored.turns[number], number, 0)

    def _state(self, at: Packed) -> Any:
        return self._explored.order[at[1]]

    def moves(self, position: Any = None) -> list[Move]:
        """The moves of a position, or of the start, the best first."""
        found = super().moves(position)
        if not found:
            return found
        state = self._state(self._open.start() if position is None else self._at(position))
        own = {self._explored.word_of(state, m): m for m in self.game.moves(state)}
        return [replace(move, move=own.get(move.name, move.name)) for move in found]

    def values(self, positions: Any = None) -> Values:
        """The values of many positions at once; of all of them, in the order of :attr:`states`, where none are given."""
        return super().values(self._explored.order if positions is None else positions)

    def _values(self, positions: Any) -> tuple[bytearray, bytearray]:
        if isinstance(positions, (str, Position)):
            raise InputError("want a list of positions; for one position there is `value`")
        numbers = array("Q")
        for position in positions:
            numbers.extend(self._at(position))
        return self._open.values_of_words(numbers.tobytes())

    def pack(self, positions: Iterable[Any]) -> Any:
        """Positions as an array of three words each."""
        import numpy

        return numpy.array([self._at(position) for position in positions], dtype="<u8").reshape(-1, 3)

    def unpack(self, array: Any) -> list[Any]:
        """The positions of an array that :meth:`pack` or :meth:`sample` made."""
        order = self._explored.order
        numbers = [int(number) for number in array[:, 1]]
        bad = next((number for number in numbers if number >= len(order)), None)
        if bad is not None:
            raise InputError(f"the game has {len(order):,} positions, and {bad} is none of them")
        return [order[number] for number in numbers]

    def save(self, data: str | os.PathLike[str]) -> Path:
        """Keeps the solved game in a data directory, with a file that lists its positions, and returns the file.

        The command line reads both: ``zermelo query graph:file=FILE``.
        """
        place = Path(data)
        path = place / "graph" / f"{self._list.id}.graph"
        self._list.save(path)
        _solve_all(self._list, place, None, None, None, self._objectives, False, False)
        return path

    @property
    def _objectives(self) -> list[str]:
        return _objectives(self._explored, self._list)


def _objectives(explored: Explored, list: "_zermelo.List") -> list[str]:
    """What the game is solved for: distances, and beside them margins or nimbers where there are some."""
    found = ["remoteness"]
    if list.returns_to is None:
        if explored.scores:
            found.append("margin")
        elif getattr(explored.game, "impartial", False) and set(explored.over) <= {0, 1}:
            found.append("nimber")
    return found


def _solve_all(
    list: "_zermelo.List",
    place: Path,
    memory: int | str | None,
    threads: int | None,
    engine: str | None,
    objectives: list[str],
    fresh: bool,
    progress: Any,
) -> None:
    for objective in objectives:
        run(
            f"graph:list={list.id}",
            place,
            memory=memory,
            threads=threads,
            engine=engine,
            objective=objective,
            fresh=fresh,
            progress=progress,
        )


def solve_game(
    game: Any,
    data: str | os.PathLike[str] | None,
    memory: int | str | None,
    threads: int | None,
    engine: str | None,
    objective: str | None,
    fresh: bool,
    progress: Any,
    positions: int,
) -> GameDatabase:
    """Finds all positions of a game and solves it."""
    bar = Bar() if progress is True else None
    try:
        explored = Explored(game, positions, bar or (progress if callable(progress) else None))
    finally:
        if bar:
            bar.clear()
    listed = explored.list()
    # An engine that is named may not have all objectives.
    alone = objective or (None if engine is None else "remoteness")
    wanted = _objectives(explored, listed) if alone is None else [alone]
    if objective in ("margin", "nimber") and listed.returns_to is not None:
        at = _short(explored.order[listed.returns_to])
        raise GameError(f"{type(game).__name__}: play can return to {at}, so that it has no {objective}s")
    temporary = data is None
    place = Path(tempfile.mkdtemp(prefix="zermelo-")) if temporary else Path(os.fspath(data))  # type: ignore[arg-type]
    try:
        _solve_all(listed, place, memory, threads, engine, wanted, fresh, progress)
        if not temporary:
            listed.save(place / "graph" / f"{listed.id}.graph")
        database = GameDatabase(_zermelo.Answers.open(f"graph:list={listed.id}", place, objective), explored, listed)
    except BaseException:
        if temporary:
            shutil.rmtree(place, ignore_errors=True)
        raise
    if temporary:
        weakref.finalize(database, shutil.rmtree, place, True)
    return database
