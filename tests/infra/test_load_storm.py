"""What breaks first: the simulation keeps to the limits that it names, and the page has its last result."""

import json

import pytest
from infra.benchmarks import load_storm
from infra.benchmarks.load_storm import ACCOUNT, CALLERS, PARAMETERS, ROUTE, SCALING, TENANT, WRITES, Storm
from infra.scripts.generate import costs

FAST = {"name": "fast", "seconds": 0.02, "reads": 1, "writes": 1}


def run(lifted=(), *, rate, seconds, busy=0.02, writes=1):
    units = FAST | {"seconds": busy, "writes": writes}
    return Storm(units, rate, frozenset(lifted), seconds=seconds).run()


def test_the_result_is_of_the_limits_and_units_of_now():
    """Otherwise: python -m infra.benchmarks.load_storm, then make generate."""
    result = json.loads(load_storm.RESULT.read_text())
    assert result["assumptions"] == json.loads(json.dumps(costs.list_assumptions()))
    names = [each["name"] for each in costs.read_units()["classes"] if each["door"] == "api"]
    assert [(each["name"], each["rate"]) for each in result["storms"]] == [
        (name, rate) for name in names for rate in costs.PER_SECOND
    ]


def test_a_route_serves_its_rate_and_refuses_the_rest():
    storm = run(rate=200.0, seconds=20.0)
    rate = costs.get_parameter("RequestsPerSecond")
    expected = 1 - (rate * 20 + rate) / storm.arrived
    assert storm.refused[ROUTE] / storm.arrived == pytest.approx(expected, abs=0.01)
    assert list(storm.first) == [ROUTE]


def test_calls_need_as_much_concurrency_as_their_seconds_ask_for():
    storm = run([ROUTE, PARAMETERS, SCALING, ACCOUNT], rate=100.0, seconds=10.0, busy=2.0)
    assert storm.environments == pytest.approx(100 * (2.0 + 0.5), rel=0.15)  # half a second more for each start
    assert not storm.refused


def test_long_calls_use_the_concurrency_up_and_table_writes_refuse_last():
    long = run([ROUTE, PARAMETERS, SCALING], rate=1_000.0, seconds=4.0, busy=3.0)
    assert list(long.first) == [ACCOUNT]
    written = run([ROUTE, PARAMETERS, SCALING, ACCOUNT], rate=1_000.0, seconds=4.0, writes=20)
    assert list(written.first) == [WRITES]


def test_environments_that_start_together_wait_for_their_parameters():
    quick, storm = (run([ROUTE, *lifted], rate=400.0, seconds=3.0) for lifted in ([PARAMETERS], []))
    assert quick.environments == storm.environments == pytest.approx(200, rel=0.2)
    assert storm.now > quick.now + 2  # 40 of them read their parameters in a second


def test_the_counters_of_one_tenant_take_the_writes_of_all_their_shards():
    shards = costs.read_shared_settings().rate_limit_shards
    most = costs.read_units()["defaults"]["partition_writes"] * shards / costs.TENANT_COUNTERS  # calls a second
    others = frozenset({ROUTE, PARAMETERS, SCALING, ACCOUNT, WRITES, CALLERS})
    below, above = (
        Storm(FAST, rate, others, seconds=3.0, tenants=1, most_simulated=rate).run()
        for rate in (0.8 * most, 1.5 * most)
    )
    assert not below.refused
    assert 0.1 < above.refused[TENANT] / above.arrived < costs.TENANT_COUNTERS / 2


def test_a_larger_storm_is_simulated_by_a_smaller_one_with_smaller_limits():
    large = Storm(FAST, 10_000.0, frozenset({ROUTE}), seconds=3.0).run()
    assert large.arrived == pytest.approx(3_000, rel=0.1)
    assert large._most == pytest.approx((1_000 - 60) / 10)


def test_limits_come_in_the_order_in_which_they_refuse():
    steps = load_storm.list_steps(FAST | {"seconds": 3.0}, 500.0, seconds=3.0)
    assert [step["limit"] for step in steps][:2] == [ROUTE, ACCOUNT]
    assert all(0 < step["share"] <= 1 for step in steps)
