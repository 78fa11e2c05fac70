"""The pages of costs and limits follow from the template, the measured units and the prices."""

import asyncio
from collections import Counter

import pytest
from infra.scripts.generate import costs

from assay.aws.audit_stream import AuditStream
from assay.state.audit import Call


def get_class(name):
    [units] = [each for each in costs.read_units()["classes"] if name in each["name"]]
    return units


def test_a_call_costs_its_memory_for_its_time_and_its_rows():
    parts = costs.compute_parts(get_class("`web_search`, not cached"))
    assert parts["Lambda"] * 1e6 == pytest.approx(0.8 * 512 / 1024 * 13.3334)
    assert parts["table"] * 1e6 == pytest.approx(3 * 0.125 + 6 * 0.625)
    assert parts["requests"] * 1e6 == pytest.approx(1.2)


def test_a_rendered_page_costs_the_browser_too():
    plain, rendered = (costs.compute_parts(get_class(f"`scrape_page`, {kind}")) for kind in ("not cached", "rendered"))
    assert rendered["Lambda"] > 2 * plain["Lambda"]


class CountingStore:
    """A store that counts its operations by name."""

    def __init__(self, store, counts):
        self._store, self._counts = store, counts

    def __getattr__(self, name):
        self._counts[name] += 1
        return getattr(self._store, name)


async def test_a_sealed_audit_event_is_an_object_and_a_row_as_counted(services):
    rows, objects = Counter(), Counter()
    bucket, table = CountingStore(services.bucket, objects), CountingStore(services.table, rows)
    options = {"has_webhook": False, "retention_seconds": 86_400.0, "buffer": 10, "clock": services.clock}
    stream = AuditStream(bucket, table, **options)
    call = Call(1.0, "web_search", "t1", "u1", "https", "r1", 0.25, None, cached=False, query_length=4)
    await asyncio.to_thread(stream, call)  # the first event of a stream also reads the key and begins the stream
    rows.clear()
    objects.clear()
    await asyncio.to_thread(stream, call)
    units = get_class("sealed audit event")
    assert (objects, rows) == ({"put": units["bucket_writes"]}, {"put": units["writes"]})


def test_the_memory_of_each_class_is_a_parameter_of_the_template():
    for units in costs.read_units()["classes"]:
        assert costs.get_parameter(units["memory"]) >= 256
        assert units["rows"] in {"counted", "estimated"}


def test_a_month_without_calls_stays_affordable():
    assert 0 < sum(cost for _, cost in costs.list_idle_costs()) < 10


def test_a_flood_costs_a_bounded_amount_that_the_concurrency_sets(monkeypatch):
    url = next(iter(costs.compute_flood_costs().values()))
    template = costs.read_template()
    doubled = template["Parameters"] | {"McpConcurrency": {"Default": 100}}
    monkeypatch.setattr(costs, "read_template", lambda: template | {"Parameters": doubled})
    assert next(iter(costs.compute_flood_costs().values())) == pytest.approx(2 * url)
    assert url < 10


def test_what_breaks_first_is_the_rate_of_a_route():
    demands = {name: demand / limit for name, demand, limit, _ in costs.list_demands(get_class("`dedupe_rank`"), 1_000)}
    assert max(demands, key=demands.__getitem__).startswith("rate of a route")
