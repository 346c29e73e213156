"""Zermelo strongly solves two-player games: the value and the distance to the end of every position.

>>> import zermelo
>>> db = zermelo.solve("mnk", data=tmp)
>>> str(db.value())
'tie in 9'

``zermelo.games()`` lists the games, and :class:`zermelo.Game` says how to write one's own.
"""

from ._database import Database, Page, Position, Tier
from ._errors import GameError, InputError, ZermeloError
from ._game import Game, GameDatabase
from ._solve import GameInfo, Option, games, open, solve
from ._values import DRAW, KINDS, LOSE, TIE, UNKNOWN, WIN, Line, Move, Value, Values
from ._zermelo import VERSION as __version__

__all__ = [
    "DRAW",
    "Database",
    "Game",
    "GameDatabase",
    "GameError",
    "GameInfo",
    "InputError",
    "KINDS",
    "LOSE",
    "Line",
    "Move",
    "Option",
    "Page",
    "Position",
    "TIE",
    "Tier",
    "UNKNOWN",
    "Value",
    "Values",
    "WIN",
    "ZermeloError",
    "__version__",
    "games",
    "open",
    "solve",
]
