"""Solving and opening variants."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

from . import _zermelo
from ._database import Database, _short, size
from ._errors import InputError


@dataclass(frozen=True)
class Option:
    """An option of a game: its name, what it means, which values it takes, and the one that is meant without it."""

    name: str
    help: str
    values: str
    default: str


@dataclass(frozen=True)
class GameInfo:
    """A game of the catalogue."""

    name: str
    title: str
    summary: str
    rules: str
    notation: str
    engines: list[str]
    objectives: list[str]
    options: list[Option]
    #: Variants worth trying, each with a word on it.
    examples: dict[str, str]

    def __str__(self) -> str:
        return f"{self.name}: {self.summary}"


def games() -> list[GameInfo]:
    """The games of the catalogue.

    >>> import zermelo
    >>> next(game.summary for game in zermelo.games() if game.name == "nim")
    'take any number of stones from one heap'
    """
    found = []
    for texts, engines, objectives, options, examples in _zermelo.games():
        name, title, summary, rules, notation = texts
        own = [Option(*option) for option in options]
        found.append(
            GameInfo(name, title, summary, rules, notation, engines, objectives, own, dict(examples))
        )
    return found


def data_directory(data: str | os.PathLike[str] | None) -> Path:
    """The data directory: what is given, else ``$ZERMELO_DATA``, else ``zermelo-data`` in the current folder."""
    return Path(data or os.environ.get("ZERMELO_DATA") or "zermelo-data")


class Bar:
    """A line on standard error that tells how far a solve is."""

    def __init__(self) -> None:
        self._wide = 0

    def __call__(self, text: str, _share: float) -> None:
        """Draws the line over the one before."""
        sys.stderr.write("\r" + text.ljust(self._wide))
        sys.stderr.flush()
        self._wide = len(text)

    def clear(self) -> None:
        """Takes the line away."""
        if self._wide:
            sys.stderr.write("\r" + " " * self._wide + "\r")
            sys.stderr.flush()


def run(
    name: str,
    data: Path,
    *,
    memory: int | str | None,
    threads: int | None,
    engine: str | None,
    objective: str | None,
    fresh: bool,
    progress: bool | Callable[[str, float], Any],
) -> None:
    """Solves a variant into a data directory."""
    if threads is not None and not (isinstance(threads, int) and 1 <= threads <= 4096):
        raise InputError(f"threads {_short(threads)}: want a whole number from 1 to 4096")
    bar = Bar() if progress is True else None
    tell = bar or (progress if callable(progress) else None)
    try:
        _zermelo.solve(name, data, size(memory), threads, engine, objective, fresh, tell)
    finally:
        if bar:
            bar.clear()


def solve(
    game: Any,
    *,
    data: str | os.PathLike[str] | None = None,
    memory: int | str | None = None,
    threads: int | None = None,
    engine: str | None = None,
    objective: str | None = None,
    fresh: bool = False,
    progress: bool | Callable[[str, float], Any] = False,
    positions: int = 10_000_000,
) -> Database:
    """Solves a game and opens its database.

    ``game`` is the name of a variant such as ``quixo:rows=4,cols=4,line=4``, or a game written in Python: an object with
    the methods of :class:`zermelo.Game`. A variant that is solved already is opened at once.

    ``data`` is the data directory, as on the command line; games written in Python keep their database in a temporary
    folder unless it is given. ``memory`` is a number of bytes or a text such as ``4G``. ``progress`` draws a line on
    standard error, or is a function that is called with a text and the share that is done. Ctrl-C stops a solve; called
    again, it goes on with what is stored. ``positions`` bounds how many positions of a game written in Python are looked
    for.

    >>> import zermelo
    >>> db = zermelo.solve("quixo:rows=3,cols=3,line=3", data=tmp, memory="1G", threads=2)
    >>> str(db.value())
    'win in 7'
    """
    if not isinstance(game, str):
        from ._game import solve_game

        return solve_game(game, data, memory, threads, engine, objective, fresh, progress, positions)
    place = data_directory(data)
    run(
        game, place, memory=memory, threads=threads, engine=engine, objective=objective, fresh=fresh, progress=progress
    )
    return Database(_zermelo.Answers.open(game, place, objective))


def open(
    name: str, *, data: str | os.PathLike[str] | None = None, objective: str | None = None, search: float = 10.0
) -> Database:
    """Opens a variant with what a data directory has of it.

    Without a database, positions are searched for at most ``search`` seconds each.

    >>> import zermelo
    >>> zermelo.open("nim:heaps=1-2-3", data=tmp).solved
    False
    """
    if not isinstance(name, str):
        raise InputError(f"the name of a variant is a text such as quixo:rows=4,cols=4,line=4, and this is {_short(name)}")
    place = data_directory(data)
    if data is not None and not place.is_dir():
        raise InputError(f"data {place}: there is no such directory; leave data out, or name one")
    return Database(_zermelo.Answers.open(name, place, objective), search)
