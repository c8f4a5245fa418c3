"""The loading of a process's modules, with the garbage collector paused."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading_modules() -> Iterator[None]:
    """Pause the garbage collector while the block imports modules. Later collections skip all
    objects that exist at its end (decision 0116).

    The block must only import because other objects would never be collected.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()
