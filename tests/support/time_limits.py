"""Short time limits in tests of time-outs, on machines that may be too busy for them."""

from collections.abc import Awaitable, Callable


async def try_limits[T](scenario: Callable[[float], Awaitable[T]], *limits: float) -> T:
    """Return what `scenario` returns with the first of `limits` (seconds) with which its assertions hold.

    A scenario both runs out a limit and does work that must end within it. A short limit makes it quick; a busy machine
    needs a long one.
    """
    *short, longest = limits
    for limit in short:
        try:
            return await scenario(limit)
        except AssertionError:
            continue
    return await scenario(longest)
