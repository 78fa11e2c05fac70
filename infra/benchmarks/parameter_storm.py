"""Simulate Lambda environments that start together and read their parameters from SSM at its default rate.

    python -m infra.benchmarks.parameter_storm [environments] [seconds]

Each environment runs the product's own `ParameterCache` in a thread on a virtual clock; one thread runs at a time. SSM
is a token bucket of 40 requests a second, its default quota in an account and region. Prints the share of environments
whose first call would fail, and how long the others wait.
"""

import heapq
import itertools
import random
import statistics
import sys
import threading
from typing import Any

from assay.aws.ssm import ParameterCache
from assay.errors import DependencyUnavailable, ToolError

RATE = BURST = 40.0  # requests a second; requests at once


class VirtualTime:
    """Runs threads in the order of the virtual times at which they wake."""

    def __init__(self) -> None:
        self.now = 0.0
        self._order = itertools.count()
        self._due: list[tuple[float, int, threading.Semaphore]] = []
        self._idle = threading.Semaphore(0)

    def start(self, at: float, work: Any) -> None:
        gate = threading.Semaphore(0)

        def run() -> None:
            gate.acquire()
            work()
            self._idle.release()

        threading.Thread(target=run, daemon=True).start()
        heapq.heappush(self._due, (at, next(self._order), gate))

    def sleep(self, seconds: float) -> None:
        gate = threading.Semaphore(0)
        heapq.heappush(self._due, (self.now + seconds, next(self._order), gate))
        self._idle.release()
        gate.acquire()

    def run(self) -> None:
        while self._due:
            self.now, _, gate = heapq.heappop(self._due)
            gate.release()
            self._idle.acquire()


class ThrottledParameterStore:
    """In the place of a ServiceCalls: refuses what exceeds the token bucket. A refused request takes no token."""

    def __init__(self, time: VirtualTime) -> None:
        self._time, self._tokens, self._filled = time, BURST, 0.0
        self.requests = 0

    def ask_now(self, _step: Any) -> dict[str, Any]:
        self.requests += 1
        self._tokens = min(BURST, self._tokens + (self._time.now - self._filled) * RATE)
        self._filled = self._time.now
        if self._tokens < 1:
            raise DependencyUnavailable("ssm is busy (ThrottlingException).", provider="ssm")
        self._tokens -= 1
        return {"Parameters": [{"Name": "/assay/keys", "Value": "[]"}]}


def simulate(environments: int, seconds: float) -> tuple[float, list[float], int]:
    """The share of failed first calls, the waiting times of the others in seconds, and the requests to SSM."""
    time = VirtualTime()
    store: Any = ThrottledParameterStore(time)
    waits: list[float] = []

    def start_environment() -> None:
        cache = ParameterCache(store, clock=lambda: time.now, sleep=time.sleep)
        cache.declare("ASSAY_API_KEYS", "/assay/keys")
        began = time.now
        try:
            cache.read("/assay/keys")
        except ToolError:
            return
        waits.append(time.now - began)

    for _ in range(environments):
        time.start(random.uniform(0, seconds), start_environment)
    time.run()
    return 1 - len(waits) / environments, waits, store.requests


if __name__ == "__main__":
    environments, seconds = (*map(int, sys.argv[1:]), *(1_000, 10)[len(sys.argv) - 1 :])
    failed, waits, requests = simulate(environments, seconds)
    p95 = statistics.quantiles(waits, n=20)[-1]
    print(f"{environments} environments in {seconds} s: {failed:.1%} fail; {requests} requests to SSM")
    print(f"waiting: median {statistics.median(waits):.1f} s, p95 {p95:.1f} s, most {max(waits):.1f} s")
