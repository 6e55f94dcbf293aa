"""The command ``latentdag``: options, choice of a method, progress, and output."""

import signal
import sys

from latentdag.engine.interrupts import uninterrupted


def main() -> int:
    """Run the command as a process, and return its exit status, as `cli.main` does: Ctrl-C and
    SIGTERM end it at any moment with status 130 and one line on stderr; an ImportError that names
    no module with 1.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with uninterrupted:
            from latentdag.command import cli
        return cli.main()
    except ImportError as error:
        if error.name:  # of a module that is not there
            raise
        print(f"latentdag: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("latentdag: stopped", file=sys.stderr)
        return 130
