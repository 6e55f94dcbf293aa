"""Compiled code: `compiled` takes the place of `numba.njit`.

numba is imported, and a function compiled, when the function is first called: who calls none does
not wait for either. The machine code is kept between processes; see `machine_code`.
"""

import time
from collections.abc import Callable
from functools import cached_property, update_wrapper

STARTED = time.time()  # every module with compiled code was read later, as it imports this one


class compiled:
    """A function that numba compiles anew for each combination of its arguments' types.

    Compiled functions may call it, and take it as an argument. A division by zero gives what it
    gives in NumPy: a test for it would prevent vector instructions. While it runs, other threads of
    Python can.
    """

    ALWAYS_INLINE = False

    def __init__(self, function: Callable):
        update_wrapper(self, function)

    @cached_property
    def dispatcher(self):
        """What numba makes of the function for Python to call."""
        from numba import njit

        from latentdag.engine.machine_code import AS_WHOLE, keep

        dispatcher = njit(**AS_WHOLE)(self.__wrapped__)
        keep(dispatcher, STARTED)
        return dispatcher

    @cached_property
    def part(self):
        """What numba makes of it for compiled code to call."""
        from numba import njit

        from latentdag.engine.machine_code import AS_PART

        return njit(**AS_PART, forceinline=self.ALWAYS_INLINE)(self.__wrapped__)

    @property
    def _numba_type_(self):
        """Tells numba what this is where it meets it in compiled code."""
        return self.part._numba_type_

    def __call__(self, *arguments):
        return self.dispatcher(*arguments)


class inlined(compiled):
    """A `compiled` function for the inside of long loops: its code stands within that of its
    callers.

    A call would copy the address, shape and strides of each array in its arguments: some 200 words
    for the particles' tables, which took a fifth of the references' time.
    """

    ALWAYS_INLINE = True
