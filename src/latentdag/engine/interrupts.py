"""Ctrl-C at a safe point: modules that are imported in part, and functions that are compiled in
part, are of no use to the process any more.
"""

import signal
import threading

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Uninterrupted:
    """While a context of this is entered, signals that Python handles in the main thread wait."""

    def __init__(self):
        self.depth, self.came, self.handlers = 0, None, {}

    def __enter__(self) -> None:
        if threading.current_thread() is threading.main_thread():
            if self.depth == 0:
                self.came = None
                handlers = {number: signal.getsignal(number) for number in SIGNALS}
                self.handlers = {n: handler for n, handler in handlers.items() if callable(handler)}
                for number in self.handlers:
                    signal.signal(number, self._note)
            self.depth += 1  # not before: a signal that comes until then is not held back

    def __exit__(self, *_) -> None:
        if threading.current_thread() is threading.main_thread():
            self.depth -= 1
            if self.depth == 0:
                for number, handler in self.handlers.items():
                    signal.signal(number, handler)
                if self.came is not None:
                    signal.raise_signal(self.came)

    def _note(self, number: int, _) -> None:
        self.came = number


uninterrupted = _Uninterrupted()
