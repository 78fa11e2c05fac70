"""How workers share the tests: by file, or by folder where a folder's share something, with those that last longest first."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from xdist.scheduler import LoadFileScheduling

# Two browsers at once would starve each other's pages; the rules read the same trees, which take seconds to parse.
WHOLE = ("tests/chromium", "tests/architecture")
# How many ordinary tests last as long as one of these folders, which start programs or wait for the clock.
WEIGHTS = {
    "tests/infra": 100,
    "tests/lambda": 60,
    "tests/chromium": 50,
    "tests/jobs": 30,
    "tests/crawl": 25,
    "tests/entrypoints": 8,
    "tests/state": 8,
    "tests/security": 4,
}


def find_scope(nodeid: str) -> str:
    """The file of the test, or its folder if that stays on one worker."""
    folder = "/".join(nodeid.split("/")[:2])
    return folder if folder in WHOLE else nodeid.partition("::")[0]


def weigh_scopes(nodeids: Iterable[str]) -> Counter[str]:
    weights: Counter[str] = Counter()
    for nodeid in nodeids:
        weights[find_scope(nodeid)] += WEIGHTS.get("/".join(nodeid.split("/")[:2]), 1)
    return weights


class ScopeScheduling(LoadFileScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return find_scope(nodeid)


def build_scheduler(config: Any, log: Any) -> LoadFileScheduling | None:
    return ScopeScheduling(config, log) if config.getvalue("dist") == "loadfile" else None
