"""Bounds on the processor time of work. No other test reads a processor clock.

A collection of garbage costs by what the whole test process holds, so none runs during a measurement. Caches, memory and
other programs of the machine make single measurements too long, so work that is over its bound is measured again: what
is slow by itself is slow each time. Work that succeeds is measured once.
"""

import gc
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

ATTEMPTS = 4  # measurements of work that is over its bound
MAX_GROWTH = 2.8  # times the time for twice the input: quadratic is 4; fresh memory costs linear work up to 2.5
MIN_SECONDS = 0.01  # for the smaller input, from which on it is large enough
NOISE_SECONDS = 0.025  # for the larger input, below which caches and memory decide the ratio
MAX_ROUNDS, MIN_ROUNDS, ROUNDS_SECONDS = 25, 2, 0.6  # measurements of both sizes while their ratio is too large


@dataclass
class Stopwatch:
    seconds: float = 0.0


@contextmanager
def measure(*, all_threads: bool = False) -> Iterator[Stopwatch]:
    """Measure the processor time of the block, without collections of garbage."""
    clock = time.process_time if all_threads else time.thread_time
    stopwatch, was_enabled = Stopwatch(), gc.isenabled()
    gc.disable()
    try:
        began = clock()
        yield stopwatch
        stopwatch.seconds = clock() - began
    finally:
        if was_enabled:
            gc.enable()


def assert_quick[T](work: Callable[[], T], seconds: float) -> T:
    """Return what `work` returns, if it takes less than `seconds` of processor time in the calling thread.

    Work over its bound is repeated, so it must not leave its result in a cache.
    """
    measured = []
    for _ in range(ATTEMPTS):
        with measure() as stopwatch:
            result = work()
        if stopwatch.seconds < seconds:
            return result
        measured.append(stopwatch.seconds)
    raise AssertionError(explain(measured, seconds))


async def assert_quick_call[T](work: Callable[[], Awaitable[T]], seconds: float) -> T:
    """Do the same for work of the event loop and its threads, the loopback servers of this process included."""
    measured = []
    for _ in range(ATTEMPTS):
        with measure(all_threads=True) as stopwatch:
            result = await work()
        if stopwatch.seconds < seconds:
            return result
        measured.append(stopwatch.seconds)
    raise AssertionError(explain(measured, seconds))


def explain(measured: list[float], seconds: float) -> str:
    return f"{', '.join(f'{each:.3f}' for each in measured)} s of processor time, {seconds} s at most"


def assert_linear[T](
    work: Callable[[T], object],
    make: Callable[[int], T],
    *,
    first: int = 125,
    largest: int = 4_000,
    all_threads: bool = False,
) -> None:
    """Refuse work whose processor time grows faster than its input, which `make` makes of a number of repetitions.

    Sizes grow from `first` until the work takes long enough to compare, or to `largest`; that size is compared with
    its double. A step of the caches or of the memory looks like growth, so a steep ratio must go on at twice and at four
    times the size.
    """

    def take_time(repetitions: int) -> float:
        given = make(repetitions)
        with measure(all_threads=all_threads) as stopwatch:
            work(given)
        return stopwatch.seconds

    many = first
    take_time(many)  # what is loaded or compiled at first use
    while (one := take_time(many)) < MIN_SECONDS and many < largest:
        many *= 2
    one, two = compare(take_time, many, one)
    for size in (2 * many, 4 * many):
        if not is_linear(one, two):
            one, two = compare(take_time, size, two)
    assert is_linear(one, two), f"{one:.3f} s, {two:.3f} s for twice as many ({many} at first)"


def compare(take_time: Callable[[int], float], many: int, one: float) -> tuple[float, float]:
    """Return the least seconds for `many` repetitions, `one` so far, and for twice as many."""
    two, rounds, spent = take_time(2 * many), 0, 0.0
    while not is_linear(one, two) and rounds < MAX_ROUNDS and (rounds < MIN_ROUNDS or spent < ROUNDS_SECONDS):
        again = take_time(many), take_time(2 * many)
        one, two = min(one, again[0]), min(two, again[1])
        rounds, spent = rounds + 1, spent + sum(again)
    return one, two


def is_linear(one: float, two: float) -> bool:
    return two <= MAX_GROWTH * one or two < NOISE_SECONDS
