"""Simulate a deployment that calls reach at a steady rate from one second to the next, until nothing refuses them.

    python -m infra.benchmarks.load_storm          # a minute; writes infra/scripts/generate/load_storm.json
    make generate                                  # puts the result into docs/limits.md

A discrete-event simulation: calls arrive at random, pass the limits of the HTTP API, find an idle environment of
Lambda or start one, which reads its parameters from SSM, add to the counters of their tenant, wait for their upstream
and write to the table. Refused requests are tried again as the product tries them. The limit that refuses first is then
lifted and the simulation runs again, so that the limits come in the order in which they would be met.

More than 1,000 calls a second are simulated as 1,000 with limits and tenants that are smaller by the same factor.
"""

import heapq
import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from infra.scripts.generate import costs

from assay.aws import signed_http, ssm

RESULT = Path(costs.__file__).with_name("load_storm.json")
MOST_SIMULATED = 1_000.0  # calls a second
ATTEMPTS = 3  # of a request to the table
ROUTE, API, SCALING, ACCOUNT = "route", "api", "scaling", "concurrency"
PARAMETERS, READS, WRITES, CALLERS, TENANT = "ssm", "reads", "writes", "callers", "tenant"


class TokenBucket:
    """Lets `rate` units pass in a second, and `burst` at once."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate, self._burst = rate, burst
        self._left, self._filled = burst, 0.0

    def take(self, now: float, units: float = 1.0) -> bool:
        self._left = min(self._burst, self._left + (now - self._filled) * self._rate)
        self._filled = now
        if self._left < units:
            return False
        self._left -= units
        return True


@dataclass
class Storm:
    """One run. `lifted` names the limits that are left out."""

    units: dict[str, Any]
    rate: float
    lifted: frozenset[str] = frozenset()
    seconds: float = 30.0
    tenants: int = 1_000
    seed: int = 1
    most_simulated: float = MOST_SIMULATED
    now: float = 0.0
    arrived: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    first: dict[str, float] = field(default_factory=dict)  # the second in which a limit first refused a call
    environments: int = 0

    def __post_init__(self) -> None:
        load, limits = costs.read_units()["load"], costs.read_units()["defaults"]
        self._random = random.Random(self.seed)
        factor = max(1.0, self.rate / self.most_simulated)
        self.rate /= factor
        self.tenants = round(self.tenants / factor)
        self._cold = load["cold_seconds"]
        rate = costs.get_parameter("RequestsPerSecond")
        sizes = {  # units a second, and at once
            ROUTE: (rate, rate),
            API: (limits["api_requests"], load["api_burst"]),
            SCALING: (limits["lambda_scaling_per_10_s"] / 10, limits["lambda_scaling_per_10_s"]),
            PARAMETERS: (limits["ssm_reads"], limits["ssm_reads"]),
            READS: (limits["new_table_reads"], limits["new_table_reads"]),
            WRITES: (limits["new_table_writes"], limits["new_table_writes"]),
        }
        self._buckets = {name: TokenBucket(each / factor, most / factor) for name, (each, most) in sizes.items()}
        key, shards = limits["partition_writes"], costs.read_shared_settings().rate_limit_shards
        self._callers = [TokenBucket(key / factor, key / factor) for _ in range(shards)]
        self._tenants = [[TokenBucket(key, key) for _ in range(shards)] for _ in range(self.tenants)]
        reserved = costs.get_parameter("McpConcurrency") + costs.get_parameter("BrowserConcurrency")
        self._most = math.inf if ACCOUNT in self.lifted else (limits["lambda_concurrency"] - reserved) / factor
        self._idle, self._order = 0, itertools.count()
        self._events: list[tuple[float, int, Callable[[], None]]] = []

    def run(self) -> "Storm":
        self._at(self._random.expovariate(self.rate), self._arrive)
        while self._events:
            self.now, _, event = heapq.heappop(self._events)
            event()
        return self

    def _at(self, seconds: float, event: Callable[[], None]) -> None:
        heapq.heappush(self._events, (self.now + seconds, next(self._order), event))

    def _take(self, limit: str, units: float = 1.0) -> bool:
        return limit in self.lifted or self._buckets[limit].take(self.now, units)

    def _refuse(self, limit: str) -> None:
        self.refused[limit] += 1
        self.first.setdefault(limit, self.now)

    def _arrive(self) -> None:
        if self.now > self.seconds:
            return None
        self._at(self._random.expovariate(self.rate), self._arrive)
        self.arrived += 1
        for limit in (ROUTE, API):
            if not self._take(limit):
                return self._refuse(limit)
        if self._idle:
            self._idle -= 1
            return self._count()
        if self.environments >= self._most:
            return self._refuse(ACCOUNT)
        if not self._take(SCALING):
            return self._refuse(SCALING)
        self.environments += 1
        return self._at(self._cold, partial(self._read_parameters, self.now + self._cold, 0.2))

    def _read_parameters(self, began: float, pause: float) -> None:
        """As ParameterCache does."""
        if self._take(PARAMETERS):
            return self._count()
        if self.now + pause > began + ssm.PATIENCE:
            self._refuse(PARAMETERS)
            self.environments -= 1  # it reads them again in the next call
            return None
        wait = self._random.uniform(0, pause)
        return self._at(wait, partial(self._read_parameters, began, min(2 * pause, ssm.LONGEST_PAUSE)))

    def _count(self) -> None:
        """Add to the counters of the call, each in a random shard."""
        tenant = self._random.randrange(self.tenants)
        for _ in range(costs.ALL_COUNTERS):
            self._add(CALLERS, self._random.choice(self._callers), 0)
        for _ in range(costs.TENANT_COUNTERS):
            self._add(TENANT, self._random.choice(self._tenants[tenant]), 0)
        self._at(self.units["seconds"], partial(self._store, 0))

    def _add(self, limit: str, shard: TokenBucket, attempt: int) -> None:
        """A counter that the table refuses three times is counted by the process: the call goes on."""
        if limit in self.lifted or shard.take(self.now):
            return None
        if attempt + 1 < ATTEMPTS:
            return self._at(self._jitter(attempt), partial(self._add, limit, shard, attempt + 1))
        return self._refuse(limit)

    def _store(self, attempt: int) -> None:
        for limit, units in ((READS, self.units["reads"]), (WRITES, self.units["writes"])):
            if not self._take(limit, units):
                if attempt + 1 < ATTEMPTS:
                    return self._at(self._jitter(attempt), partial(self._store, attempt + 1))
                self._refuse(limit)
                break
        self._idle += 1
        return None

    def _jitter(self, attempt: int) -> float:
        return self._random.uniform(0, min(signed_http.PAUSE * 2**attempt, signed_http.LONGEST_PAUSE))


def list_steps(units: dict[str, Any], rate: float, **options: Any) -> list[dict[str, Any]]:
    """The limits in the order in which they refuse calls, each with those before it lifted."""
    steps: list[dict[str, Any]] = []
    lifted: frozenset[str] = frozenset()
    while True:
        storm = Storm(units, rate, lifted, **options).run()
        if not storm.first:
            return steps
        limit = min(storm.first, key=storm.first.__getitem__)
        share = storm.refused[limit] / storm.arrived
        steps.append({"limit": limit, "share": round(share, 3), "second": round(storm.first[limit], 1)})
        lifted |= {limit}


def compare_waiting(units: dict[str, Any], rate: float) -> dict[str, Any]:
    """The share of calls that concurrency refuses, with environments that wait for SSM and with none that wait."""
    storms = (Storm(units, rate, frozenset({ROUTE, *lifted})).run() for lifted in ((), (PARAMETERS,)))
    shares = [round(storm.refused[ACCOUNT] / storm.arrived, 3) for storm in storms]
    return {"name": units["name"], "rate": rate, "waiting": shares[0], "not_waiting": shares[1]}


def main() -> None:
    storms = []
    for units in costs.read_units()["classes"]:
        if units["door"] == "api":
            for rate in costs.PER_SECOND:
                steps = list_steps(units, rate)
                storms.append({"name": units["name"], "rate": rate, "steps": steps})
                print(rate, units["name"], *(f"{step['limit']} {step['share']:.1%}" for step in steps))
    waiting = compare_waiting(find_class("`web_search`, not cached"), costs.PER_SECOND[0])
    result = {"assumptions": costs.list_assumptions(), "waiting": waiting, "storms": storms}
    RESULT.write_text(json.dumps(result, indent=1) + "\n")


def find_class(name: str) -> dict[str, Any]:
    [units] = [each for each in costs.read_units()["classes"] if name in each["name"]]
    return dict(units)


if __name__ == "__main__":
    main()
