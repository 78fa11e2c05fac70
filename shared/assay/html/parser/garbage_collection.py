"""A pause of Python's garbage collector while a page is read."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def pause_collection() -> Iterator[None]:
    """Let no automatic collection run meanwhile: a page makes many objects at once, and hardly any garbage in cycles.

    The limits of pages bound what they take. In several threads, a collection may run before the last of them ends.
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
