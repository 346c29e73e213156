"""Values of positions, moves, and arrays of values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterator, NamedTuple

from . import _zermelo

if TYPE_CHECKING:
    import numpy as np

#: The words of values; the number of a value in an array is its place here.
KINDS: tuple[str, ...] = tuple(_zermelo.KINDS)
UNKNOWN, WIN, LOSE, TIE, DRAW = range(5)


@dataclass(frozen=True)
class Value:
    """The value of a position for the player to move, or of a move for the player who makes it.

    >>> import zermelo
    >>> value = zermelo.solve("mnk", data=tmp).value("2_----x----")
    >>> value.value, value.remoteness, str(value)
    ('tie', 8, 'tie in 8')
    """

    #: ``win``, ``lose``, ``tie``, ``draw``, or ``unknown``.
    value: str
    #: Moves to the end of the game; ``None`` for a draw, and where the game was solved for something else.
    remoteness: int | None = None
    #: What the player to move wins by, below 0 for a loss, where that is known.
    margin: int | None = None
    #: The nimber, where that is known.
    nimber: int | None = None
    text: str = field(default="", compare=False, repr=False)

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        return self.value != "unknown"


@dataclass(frozen=True)
class Move:
    """A move: its name, where it leads, and what it is worth to the player who makes it."""

    #: The move as people type it.
    name: str
    #: The position that the move leads to: a text, or in a game written in Python the position itself.
    position: Any
    #: The value of that position for the player to move there.
    value: Value
    #: The worth of the move for the player who makes it.
    worth: Value
    #: Whether the player who makes the move moves again.
    again: bool = False
    #: The move itself in a game written in Python; elsewhere its name.
    move: Any = None

    def __str__(self) -> str:
        return f"{self.name}: {self.worth}"


@dataclass(frozen=True)
class Line:
    """A line of perfect play. As a sequence it is the names of its moves."""

    #: The names of the moves.
    moves: list[str]
    #: The positions after each move.
    positions: list[Any]
    #: Whether the line goes to the end of the game.
    complete: bool

    def __iter__(self) -> Iterator[str]:
        return iter(self.moves)

    def __len__(self) -> int:
        return len(self.moves)

    def __getitem__(self, at: int) -> str:
        return self.moves[at]

    def __str__(self) -> str:
        return " ".join(self.moves)


class Values(NamedTuple):
    """The values of many positions, as two arrays.

    ``value`` has a byte for each position, the place of its word in :data:`KINDS`; ``remoteness`` has the number beside
    it (a margin or nimber where the game was solved for that), or -1 where there is none.
    """

    value: "np.ndarray[Any, np.dtype[np.uint8]]"
    remoteness: "np.ndarray[Any, np.dtype[np.int32]]"
