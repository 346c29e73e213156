"""A variant that is open for questions."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Iterable, Iterator

from . import _zermelo
from ._errors import InputError, ZermeloError
from ._values import KINDS, Line, Move, Value, Values

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

Packed = tuple[int, int, int]


def _numpy() -> Any:
    try:
        import numpy
    except ImportError as error:
        raise ZermeloError("arrays need NumPy: pip install numpy") from error
    return numpy


class Position:
    """A position of an open variant. In a notebook it shows itself as a board with the values of the moves.

    >>> import zermelo
    >>> at = zermelo.solve("mnk", data=tmp).start
    >>> at.text, str(at.value), len(at.moves)
    ('1_---------', 'tie in 9', 9)
    >>> print(at.play("b2"))
    - - -
    - x -
    - - -
    """

    __slots__ = ("_database", "_at")

    def __init__(self, database: "Database", at: Packed) -> None:
        self._database = database
        self._at = at

    @property
    def state(self) -> Any:
        """The position as the methods of its database take it: its text, or what a game written in Python has for it."""
        return self._database._state(self._at)

    @property
    def text(self) -> str:
        """The position as text, such as ``2_----x----``."""
        return self._database._open.text(self._at)

    @property
    def value(self) -> Value:
        """The value for the player to move."""
        return self._database.value(self)

    @property
    def moves(self) -> list[Move]:
        """All moves, the best first."""
        return self._database.moves(self)

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self._database._open.report(self._at, 0.0)[2]

    def play(self, moves: str) -> "Position":
        """The position after one or more moves, given by their names."""
        return Position(self._database, self._database._open.follow(self._at, moves))

    def svg(self) -> str:
        """The board as a picture (SVG), with the values of the moves."""
        return self._database._open.svg(self._at, self._database.search)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<Position {self.text} of {self._database.name}: {self.value}>"

    def __str__(self) -> str:
        pieces = self._database._open.report(self._at, 0.0)[1]
        return "\n".join(line.rstrip() for line in self._database._open.lines(pieces))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Position):
            return NotImplemented
        return self._at == other._at and self._database.name == other._database.name

    def __hash__(self) -> int:
        return hash(self._at)


class Tier:
    """A solved tier of a database: a set of positions with numbers from 0 on."""

    def __init__(self, database: "Database", number: int, name: str, entries: int, positions: int, width: int) -> None:
        self._database = database
        #: The number of the tier.
        self.number = number
        #: The name of the tier, as the command line has it.
        self.name = name
        #: Numbers of the tier, those without a position included.
        self.entries = entries
        #: Numbers with a position.
        self.positions = positions
        self._width = width

    def codes(self) -> "np.ndarray[Any, Any]":
        """The stored codes, one for each number, as an array of one or two bytes each.

        A code of all ones is a don't-care: no position has the number, or a look at the rules gives its value.
        ``docs/reference/format.md`` has the other codes.
        """
        numpy = _numpy()
        return numpy.frombuffer(self._database._open.codes(self.number), dtype=f"<u{self._width}")

    def position(self, number: int) -> Position | None:
        """The position of a number, ``None`` where there is none; the first player is to move there."""
        if not 0 <= number < self.entries:
            raise InputError(f"tier {self.name} has numbers from 0 to {self.entries - 1}, and {number} is none of them")
        at = self._database._open.number(self.number, number)
        return None if at is None else Position(self._database, at)

    def __len__(self) -> int:
        return self.entries

    def __repr__(self) -> str:
        return f"<Tier {self.name} of {self._database.name}: {self.entries:,} numbers>"


class Page:
    """The page of the program, served by this process. It stops when this object is dropped."""

    def __init__(self, page: "_zermelo.Page", path: str, database: "Database") -> None:
        self._page = page
        # Its files stay as long as they are served.
        self._database = database
        #: The address of the page in a browser.
        self.url = f"http://{page.address}{path}"

    @property
    def running(self) -> bool:
        """Whether the page is served."""
        return self._page.running

    def stop(self) -> None:
        """Stops serving."""
        self._page.stop()

    def wait(self) -> None:
        """Serves until Ctrl-C."""
        self._page.wait()

    def __enter__(self) -> "Page":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Page {self.url}>"

    def _repr_html_(self) -> str:
        return f'<a href="{self.url}" target="_blank">{self.url}</a>'


class Database:
    """A variant with all that a data directory has of it.

    Positions are given as texts such as ``2_----x----``, or as :class:`Position`. Without a database, values are searched
    for, as the command ``zermelo query`` does.

    >>> import zermelo
    >>> db = zermelo.solve("mnk", data=tmp)
    >>> str(db.value("2_----x----")), [move.name for move in db.moves("2_----x----")][:2]
    ('tie in 8', ['a3', 'c3'])
    """

    def __init__(self, open: "_zermelo.Answers", search: float = 10.0) -> None:
        self._open = open
        #: How many seconds a position is searched for that no table has; 0 for no search.
        self.search = search

    @property
    def name(self) -> str:
        """The full name of the variant, such as ``mnk:rows=4``."""
        return self._open.name

    @property
    def engine(self) -> str:
        """The engine that solves the variant."""
        return self._open.engine

    @property
    def objective(self) -> str:
        """What the variant is solved for: ``remoteness``, ``margin``, ``nimber`` or ``winner``."""
        return self._open.objective

    @property
    def solved(self) -> bool:
        """Whether all positions are solved."""
        return self._open.solved

    @property
    def data(self) -> Path:
        """The data directory."""
        return Path(self._open.data)

    def _at(self, position: Any) -> Packed:
        if isinstance(position, Position):
            if position._database.name != self.name:
                raise InputError(f"{position!r} is no position of {self.name}")
            return position._at
        if isinstance(position, str):
            return self._open.parse(position)
        kind = type(position).__name__
        raise InputError(f"a position is a text such as {self.start.text}, and this is {kind}: {_short(position)}")

    def _state(self, at: Packed) -> Any:
        return self._open.text(at)

    def _value(self, number: tuple[int, int], beside: tuple[int | None, int | None]) -> Value:
        (kind, count), (margin, nimber) = number, beside
        moves = count >= 0 and self.objective == "remoteness"
        text = self._open.words(number)
        if self.objective == "remoteness" and kind:
            # As on the command line, what is known beside the distance follows it.
            text += f", by {abs(margin)}" if margin else f", nimber {nimber}" if nimber is not None else ""
        return Value(KINDS[kind], count if moves else None, margin, nimber, text)

    @property
    def start(self) -> Position:
        """The position that the game begins with."""
        return Position(self, self._open.start())

    def position(self, position: Any) -> Position:
        """A position as an object that shows itself in a notebook."""
        return Position(self, self._at(position))

    def value(self, position: Any = None) -> Value:
        """The value of a position, or of the start."""
        at = self._open.start() if position is None else self._at(position)
        return self._value(*self._open.value(at, self.search))

    def moves(self, position: Any = None) -> list[Move]:
        """The moves of a position, or of the start, the best first."""
        at = self._open.start() if position is None else self._at(position)
        return [self._move(at, row) for row in self._open.report(at, self.search)[6]]

    def _move(self, _: Packed, row: tuple[Any, ...]) -> Move:
        name, to, _text, again, value, worth, beside = row
        margin = beside[0]
        if margin is not None and not again:
            margin = -margin
        mover = self._value(worth, (margin, beside[1]))
        return Move(name, self._state(to), self._value(value, beside), mover, again, name)

    def line(self, position: Any = None) -> Line:
        """Perfect play from a position, or from the start, to the end of the game."""
        at = self._open.start() if position is None else self._at(position)
        moves, complete = self._open.line(at)
        return Line([name for name, _ in moves], [self._state(to) for _, to in moves], complete)

    def random(
        self, value: str | None = None, remoteness: int | None = None, time: float = 10.0
    ) -> Position | None:
        """A random position, with a value and remoteness if they are given; ``None`` where none is found in time.

        >>> import zermelo
        >>> str(zermelo.solve("mnk", data=tmp).random(value="lose", remoteness=2).value)
        'lose in 2'
        """
        at = self._open.random(value, remoteness, time)
        return None if at is None else Position(self, at)

    def values(self, positions: Any) -> Values:
        """The values of many positions at once: of a list of texts, or of an array that :meth:`pack` or :meth:`sample`
        made. Values come from tables alone; what no table has is ``unknown``.

        >>> import zermelo
        >>> values = zermelo.solve("mnk", data=tmp).values(["1_---------", "2_----x----"])
        >>> values.value.tolist(), values.remoteness.tolist()
        ([3, 3], [9, 8])
        """
        kinds, numbers = self._values(positions)
        numpy = _numpy()
        return Values(numpy.frombuffer(kinds, dtype="u1"), numpy.frombuffer(numbers, dtype="<i4"))

    def _values(self, positions: Any) -> tuple[bytearray, bytearray]:
        array = _words(positions)
        if array is not None:
            return self._open.values_of_words(array)
        return self._open.values_of_texts(self._texts(positions))

    def _texts(self, positions: Iterable[Any]) -> list[str]:
        if isinstance(positions, (str, Position)):
            raise InputError("want a list of positions; for one position there is `value`")
        texts = positions.tolist() if hasattr(positions, "tolist") else list(positions)
        for n, text in enumerate(texts):
            if isinstance(text, Position):
                texts[n] = text.text
            elif not isinstance(text, str):
                kind = type(text).__name__
                raise InputError(f"item {n} of the list: a position is a text, and this is {kind}: {_short(text)}")
        return texts

    def pack(self, positions: Iterable[Any]) -> "np.ndarray[Any, Any]":
        """Positions as an array of three words each, which :meth:`values` reads faster than texts."""
        return _numpy().frombuffer(self._open.pack(self._texts(positions)), dtype="<u8").reshape(-1, 3)

    def unpack(self, array: "np.ndarray[Any, Any]") -> list[Any]:
        """The positions of an array that :meth:`pack` or :meth:`sample` made."""
        words = _words(array)
        if words is None:
            raise InputError("want an array of three 64-bit words for each position, as `pack` makes it")
        return self._open.unpack(words)

    def sample(self, many: int, seed: int = 0) -> "np.ndarray[Any, Any]":
        """Packed positions that are drawn evenly from all numbers of the tables, with repeats; games from the start need
        not reach them. The same seed gives the same positions."""
        if many < 0:
            raise InputError(f"a sample of {many} positions: want 0 or more")
        return _numpy().frombuffer(self._open.sample(many, seed), dtype="<u8").reshape(-1, 3)

    def tiers(self) -> list[Tier]:
        """The tiers that are solved."""
        return [Tier(self, *row) for row in self._open.tiers()]

    def __iter__(self) -> Iterator[Tier]:
        return iter(self.tiers())

    def counts(self, memory: int | str | None = None, threads: int | None = None) -> dict[str, Any]:
        """How many positions have which value: the object that ``zermelo analyze --json`` prints."""
        return json.loads(self._open.analyze(threads, size(memory)))

    def analyze(self, memory: int | str | None = None, threads: int | None = None) -> "pd.DataFrame":
        """How many positions have which value, as a table of pandas with a row for each value and remoteness.

        Where positions cannot be told from their mirror images, ``positions`` is left out. Without pandas,
        :meth:`counts` has the numbers.
        """
        counts = self.counts(memory, threads)
        try:
            import pandas
        except ImportError as error:
            raise ZermeloError("a table needs pandas: pip install pandas; `counts` needs none") from error
        whole, canonical = counts["counts"], counts["canonical_counts"]
        rows = []
        for word in KINDS[1:4]:
            for number, up_to_symmetry in canonical[word].items():
                number = int(number) if number.isdigit() else number
                positions = None if whole is None else whole[word][str(number)]
                rows.append((word, number, positions, up_to_symmetry))
        if canonical["draw"]:
            rows.append(("draw", None, None if whole is None else whole["draw"], canonical["draw"]))
        frame = pandas.DataFrame(rows, columns=["value", "remoteness", "positions", "canonical"])
        if all(isinstance(row[1], (int, type(None))) for row in rows):
            frame["remoteness"] = frame["remoteness"].astype("Int64")
        return frame if whole is not None else frame.drop(columns="positions")

    def play(self, position: Any = None, computer: int = 0) -> None:
        """Plays in the terminal; the computer has side 1 or 2, if one is named."""
        at = self._open.start() if position is None else self._at(position)
        _program("play")(self._open, at, computer)

    def serve(self, listen: str = "127.0.0.1:0") -> Page:
        """Serves the page of this variant from this process. The page is there until it is stopped or dropped.

        >>> import zermelo
        >>> with zermelo.solve("mnk", data=tmp).serve() as page:
        ...     page.url.startswith("http://127.0.0.1:"), page.url.endswith("/mnk/default")
        (True, True)
        """
        page = _program("serve")(self.data, listen)
        game, _, variant = self.name.partition(":")
        return Page(page, f"/{game}/{variant or 'default'}", self)

    def __repr__(self) -> str:
        state = "solved" if self.solved else "not solved"
        return f"<Database {self.name}, {self.objective}, {state}>"


def _program(name: str) -> Any:
    """A function of the program, which a small build of the package leaves out."""
    function = getattr(_zermelo, name, None)
    if function is None:
        raise ZermeloError("this build of the package has no terminal and no page; build it with its default features")
    return function


def _words(positions: Any) -> bytes | None:
    """The bytes of an array of packed positions; ``None`` for anything else."""
    numpy = sys.modules.get("numpy")
    if numpy is None or not isinstance(positions, numpy.ndarray) or positions.dtype.kind not in "ui":
        return None
    if positions.ndim != 2 or positions.shape[1] != 3 or positions.dtype != numpy.uint64:
        raise InputError(
            f"an array of {positions.dtype} with shape {positions.shape} is no array of packed positions: want uint64 "
            "with three columns, as `pack` makes it"
        )
    return bytes(positions.tobytes())


def _short(thing: object) -> str:
    """An object in a few characters, for messages."""
    try:
        text = repr(thing)
    except Exception:  # An object that cannot be shown must not hide the fault that is told.
        text = object.__repr__(thing)
    return text if len(text) <= 120 else text[:117] + "..."


def size(bytes: int | str | None) -> int | None:
    """Bytes from a number or a text such as ``4G``, as on the command line."""
    if bytes is None or isinstance(bytes, bool):
        return None
    if isinstance(bytes, int):
        number, unit = bytes, 1
    else:
        text = str(bytes).strip().upper().removesuffix("B")
        unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}.get(text[-1:], 1)
        digits = text if unit == 1 else text[:-1]
        if not digits.isdecimal():
            raise InputError(f"memory {bytes!r}: want a number of bytes, or a text such as 512M or 4G")
        number = int(digits)
    if not 0 < number * unit < 1 << 63:
        raise InputError(f"memory {bytes!r}: want more than 0 bytes, and fewer than nine exabytes")
    return number * unit


