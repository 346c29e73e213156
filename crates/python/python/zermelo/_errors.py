"""Exceptions, with the words that the command line has for the same faults."""

from __future__ import annotations

from typing import Any


class ZermeloError(Exception):
    """Something could not be done: the message says what, why, and what helps."""


class InputError(ZermeloError, ValueError):
    """What was given is wrong: a name, a position, an option. The message says what is wanted."""


class GameError(ZermeloError):
    """A fault in a game written in Python. The message names the position and the method.

    An exception that the method raised is the cause of this one (``__cause__``).
    """

    def __init__(self, message: str, method: str | None = None, position: Any = None) -> None:
        super().__init__(message)
        #: The name of the method, if one is at fault.
        self.method = method
        #: The position that the method was called with.
        self.position = position
