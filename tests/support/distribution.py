"""How workers share the tests: by file, or by folder where a folder's share something, with those that last longest first.

And what they tell the process that started them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
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


class Collection(list[str]):
    """The tests of a worker; a list would compare a test with all before it to find its place."""

    def __init__(self, nodeids: Iterable[str]) -> None:
        super().__init__(nodeids)
        self._places = {nodeid: place for place, nodeid in enumerate(self)}

    def index(self, nodeid: str, *_: Any) -> int:  # type: ignore[override]
        return self._places[nodeid]


class ScopeScheduling(LoadFileScheduling):
    def _split_scope(self, nodeid: str) -> str:
        return find_scope(nodeid)

    def add_node_collection(self, node: Any, collection: Sequence[str]) -> None:
        super().add_node_collection(node, collection)
        if node in self.registered_collections:
            self.registered_collections[node] = Collection(collection)

    def mark_test_complete(self, node: Any, item_index: int, duration: float = 0) -> None:
        super().mark_test_complete(node, item_index, duration)
        work, scope = self.assigned_work[node], find_scope(self.registered_collections[node][item_index])
        if all(work[scope].values()):  # or the tests of all scopes would be counted after each test
            del work[scope]


def build_scheduler(config: Any, log: Any) -> LoadFileScheduling | None:
    return ScopeScheduling(config, log) if config.getvalue("dist") == "loadfile" else None


def send_only_results(config: Any) -> None:
    """Let a worker tell what is counted and shown. Four of its six messages for a test say that it starts, is set up, is
    torn down and ends; sending and receiving these takes a third as long as an ordinary test.
    """
    options = config.option
    if options.verbose > 0 or options.durations is not None or getattr(options, "xmlpath", None):
        return
    [worker] = [each for each in config.pluginmanager.get_plugins() if type(each).__name__ == "WorkerInteractor"]
    send = worker.sendevent

    def send_result(name: str, **content: Any) -> None:
        report = content.get("data", {}) if name == "testreport" else {}
        is_step = (report.get("outcome"), report.get("when") in {"setup", "teardown"}) == ("passed", True)
        if not (is_step or name in {"logstart", "logfinish"}):
            send(name, **content)

    worker.sendevent = send_result
