"""The command ``zermelo``, as installed with the package."""

from __future__ import annotations

import signal
import sys

from ._database import _program


def main() -> int:
    """Does what the command line says."""
    # As in the program itself, Ctrl-C ends it at once.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _program("run")(["zermelo", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
