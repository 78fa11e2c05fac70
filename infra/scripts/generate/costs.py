"""docs/costs.md and docs/limits.md: what calls cost on AWS and what breaks first, from measured units and list prices."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from infra.scripts import stack
from infra.scripts.generate.markdown import NOTICE

from assay.settings import Settings

MILLION, HOUR, MONTH_HOURS = 1_000_000, 3_600, 730
MB_PER_GB, KB_PER_GB = 1_024, 1_000_000
FOLDER = Path(__file__).parent
PER_SECOND = (1_000, 10_000)
ALL_COUNTERS, TENANT_COUNTERS = 1, 2  # written by a call: of this second; of this minute and this day

type Units = Mapping[str, Any]


@cache
def read_prices() -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads((FOLDER / "aws_prices.json").read_text())
    return parsed


@cache
def read_units() -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads((FOLDER / "aws_units.json").read_text())
    return parsed


@cache
def read_template() -> stack.Template:
    return stack.template()


def get_parameter(name: str) -> float:
    return float(read_template()["Parameters"][name]["Default"])


def compute_parts(units: Units) -> dict[str, float]:
    """The cost of one call by service, in USD."""
    price = read_prices()["prices"]
    gigabytes = get_parameter(units["memory"]) / MB_PER_GB
    browser = read_template()["Resources"]["Browser"]["Properties"]["MemorySize"] / MB_PER_GB
    door = {"api": price["api_request"] + price["lambda_request"], "url": price["lambda_request"], "none": 0.0}
    seconds = gigabytes * units["seconds"] + browser * units.get("browser_seconds", 0)
    return {
        "Lambda": seconds * price["lambda_gb_second"],
        "requests": door[units["door"]] + units.get("queue_requests", 0) * price["queue_request"],
        "table": units["reads"] * price["table_read"] + units["writes"] * price["table_write"],
        "logs": units["log_kb"] / KB_PER_GB * price["log_gb"],
        "traffic": units["kb_out"] / KB_PER_GB * price["traffic_gb"],
        "bucket": units.get("bucket_writes", 0) * price["bucket_write"],
    }


def list_idle_costs() -> list[tuple[str, float]]:
    """What the stack costs in a month in which nobody calls it, in USD."""
    price, idle = read_prices()["prices"], read_units()["idle"]
    resources = read_template()["Resources"]
    alarms = sum(each["Type"] == "AWS::CloudWatch::Alarm" and "Condition" not in each for each in resources.values())
    runs = idle["schedules_hour"] * MONTH_HOURS
    gigabyte_seconds = runs * idle["schedule_seconds"] * get_parameter("ParsingMemory") / MB_PER_GB
    return [
        ("schedules", gigabyte_seconds * price["lambda_gb_second"] + runs * price["lambda_request"]),
        ("polls of the queue", idle["queue_polls_month"] * price["queue_request"]),
        (f"{alarms} alarms", alarms * price["alarm_month"]),
        ("dashboard", price["dashboard_month"]),
    ]


def compute_metrics_cost() -> float:
    """The cost of the metrics in a month in which every tool is called in every hour."""
    tools = sum(name.startswith("Tool") for name in read_template()["Resources"])
    return float((2 * tools + read_units()["idle"]["metrics"]) * read_prices()["prices"]["metric_month"])


def compute_flood_costs() -> dict[str, float]:
    """The most that callers without a key cost in an hour, in USD, by way in."""
    flood, limits = read_units()["flood"], read_units()["defaults"]
    at_once, rate = get_parameter("McpConcurrency"), get_parameter("RequestsPerSecond")
    # Lambda accepts ten requests a second for each unit of concurrency, and bills no more than that unit's time.
    instance = get_parameter("ParsingMemory") / MB_PER_GB * read_prices()["prices"]["lambda_gb_second"]
    requests = at_once * limits["requests_per_concurrency"]
    url = sum(compute_parts(flood | {"memory": "ParsingMemory", "door": "url", "seconds": 0}).values())
    route = sum(compute_parts(flood | {"memory": "ToolMemory", "door": "api"}).values())
    routes = sum(
        event["Type"] == "HttpApi"
        for each in read_template()["Resources"].values()
        if each["Type"] == stack.FUNCTION
        for event in each["Properties"].get("Events", {}).values()
    )
    return {
        f"Function URL ({at_once:.0f} calls at once, {requests:,.0f} requests a second)": (
            (at_once * instance + requests * url) * HOUR
        ),
        f"one route of the HTTP API ({rate:.0f} requests a second)": route * rate * HOUR,
        f"all {routes} routes of the HTTP API": route * rate * HOUR * routes,
    }


def render_costs() -> str:
    """The page of costs."""
    prices = read_prices()
    parts = [(units["name"], units["rows"], compute_parts(units)) for units in read_units()["classes"]]
    services = list(parts[0][2])
    idle = list_idle_costs()
    lines = [
        "# Costs on AWS",
        "",
        NOTICE,
        "",
        "For operators: what a deployment costs at AWS. Search providers and models are extra, and cost more than everything here: about 3,000 to",
        "5,000 USD per million searches.",
        "",
        f"Prices are those of {prices['region']} in USD of {prices['date']}, for arm64 and the memory that the template sets. {prices['note']}",
        "[How the figures were obtained](#how-the-figures-were-obtained) is at the end.",
        "",
        "## A million calls",
        "",
        f"| call | {' | '.join(services)} | total | table rows |",
        "| --- |" + " ---: |" * (len(services) + 1) + " --- |",
        *(
            f"| {name} | {' | '.join(f'{each[service] * MILLION:,.2f}' for service in services)} "
            f"| **{sum(each.values()) * MILLION:,.2f}** | {rows} |"
            for name, rows, each in parts
        ),
        "",
        "## Memory and processor time",
        "",
        "Measured under the Lambda emulator on x86_64 with `infra/benchmarks/function_use.py`: the processor time of the first call, including the start of",
        "the function, the processor time of each of 20 later calls, and the peak memory of the process. A function of 512 MB has 0.29 of a processor.",
        "",
        "| call | first call, ms | later calls, ms | memory, MB |",
        "| --- | ---: | ---: | ---: |",
        *(
            f"| {each['name']} | {each['cold_ms']} | {each['warm_ms']} | {each['memory']} |"
            for each in read_units()["use"]
        ),
        "",
        "## A month without calls",
        "",
        "| what | USD |",
        "| --- | ---: |",
        *(f"| {name} | {cost:.2f} |" for name, cost in idle),
        f"| **total** | **{sum(cost for _, cost in idle):.2f}** |",
        "",
        "Storage is billed by the gigabyte. CloudWatch's free tier covers ten alarms, ten metrics and three dashboards. A metric is billed for the",
        f"hours in which it has values: {compute_metrics_cost():.2f} USD in a month in which every tool is called every hour.",
        "",
        "## A flood without keys",
        "",
        "What callers without a valid key can cost in an hour. The figure of the Function URL is a maximum; those of the HTTP API assume refusals of 12 ms",
        "(estimated). The reserved concurrency of `Mcp` (`McpConcurrency`) and the rate of each route (`RequestsPerSecond`) limit the cost. Cold starts are",
        "not counted.",
        "",
        "| entry point | USD an hour |",
        "| --- | ---: |",
        *(f"| {name} | {cost:,.2f} |" for name, cost in compute_flood_costs().items()),
        "",
        "## How the figures were obtained",
        "",
        *(f"- {note}" for note in read_units()["notes"]),
        "- **Prices**: " + ", ".join(f"[{name}]({url})" for name, url in prices["sources"].items()) + ".",
        "",
    ]
    return "\n".join(lines)


def list_demands(units: Units, rate: int) -> Iterator[tuple[str, float, float, str]]:
    """What calls of this class at this rate ask of each limit: its name, the demand, the limit, and what to do."""
    limits = read_units()["defaults"]
    yield (
        "rate of a route (`RequestsPerSecond`)",
        rate,
        get_parameter("RequestsPerSecond"),
        "raise the parameter",
    )
    yield "requests of the API in the account", rate, limits["api_requests"], "ask AWS, or use the Function URL"
    yield (
        "concurrency of the account",
        rate * units["seconds"],
        limits["lambda_concurrency"],
        "ask AWS; new accounts have 10",
    )
    yield "writes of a new table", rate * units["writes"], limits["new_table_writes"], "set `WarmWritesPerSecond`"
    yield "reads of a new table", rate * units["reads"], limits["new_table_reads"], "set `WarmReadsPerSecond`"
    settings = read_shared_settings()
    counters = limits["partition_writes"] * settings.rate_limit_shards
    yield "calls of all callers (`RATE_LIMIT_GLOBAL`)", rate, settings.rate_limit_global, "raise the setting"
    yield "writes of the counters of all callers", ALL_COUNTERS * rate, counters, "raise `RATE_LIMIT_SHARDS`"
    yield (
        "writes of one tenant's counters",
        TENANT_COUNTERS * rate,
        counters,
        "raise `RATE_LIMIT_SHARDS`, or spread the load over tenants",
    )


@cache
def read_shared_settings() -> Settings:
    """The settings of a deployment that sets none: those of a table that functions share."""
    return Settings.read({"ASSAY_TABLE": "assay"})


def list_assumptions() -> dict[str, Any]:
    """Whatever the simulation of infra/benchmarks/load_storm.py depends on; a test compares it with the result."""
    units = read_units()
    parameters = ("RequestsPerSecond", "McpConcurrency", "BrowserConcurrency")
    fields = ("name", "seconds", "reads", "writes")
    classes = [{key: each[key] for key in fields} for each in units["classes"] if each["door"] == "api"]
    own = {name: get_parameter(name) for name in parameters}
    own["RATE_LIMIT_SHARDS"] = read_shared_settings().rate_limit_shards
    return {"parameters": own, "load": units["load"], "defaults": units["defaults"], "classes": classes}


@cache
def read_simulation() -> dict[str, Any]:
    parsed: dict[str, Any] = json.loads((FOLDER / "load_storm.json").read_text())
    return parsed


LIMIT_NAMES = {
    "route": "rate of a route",
    "api": "requests of the API",
    "scaling": "new environments in 10 s",
    "concurrency": "concurrency",
    "ssm": "parameters in SSM",
    "reads": "reads of the table",
    "writes": "writes of the table",
    "callers": "counters of all callers",
    "tenant": "a tenant's counters",
}


def _format_steps(storm: Mapping[str, Any]) -> str:
    steps = [f"{LIMIT_NAMES[step['limit']]} ({step['share']:.0%})" for step in storm["steps"]]
    return ", then ".join(steps) or "nothing"


def render_storms() -> list[str]:
    """What refuses calls first, by simulation."""
    load, storms, compared = read_units()["load"], read_simulation()["storms"], read_simulation()["waiting"]
    lines = [
        "## Which limit is reached first",
        "",
        "Simulated with `infra/benchmarks/load_storm.py`: for 30 seconds, 1,000 tenants call one tool at this rate, which nobody called before. Each cell",
        "lists the limits in the order in which they are reached. The share of calls that a limit refuses assumes that the limits before it are lifted.",
        "",
        "| call | " + " | ".join(f"{rate:,} calls a second" for rate in PER_SECOND) + " |",
        "| --- |" + " --- |" * len(PER_SECOND),
    ]
    names = list(dict.fromkeys(storm["name"] for storm in storms))
    for name in names:
        cells = [_format_steps(storm) for storm in storms if storm["name"] == name]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return [
        *lines,
        "",
        "The simulation assumes:",
        "",
        "- the template's defaults and the default quotas above; the seconds, reads and writes of [costs](costs.md);",
        f"- {load['cold_seconds']} seconds more for the first call of an environment, and one read of SSM, repeated for 25 seconds;",
        "- a burst of 5,000 requests of the API; no burst and no growth of the table's capacity within the 30 seconds; three attempts at the table;",
        f"- counters of callers in {read_shared_settings().rate_limit_shards} shards, each with the writes of one key of the table;",
        "- limits on calls (`RATE_LIMIT_GLOBAL` and those of tenants) that refuse none;",
        "- upstreams that answer as measured and refuse nothing. Real ones do not: public scholarly services allow about 10 to 50 requests a second, and",
        "  search engines block or ask for a CAPTCHA.",
        "",
        "Raise SSM's throughput, or ramp up, before you raise the concurrency: environments that wait for SSM occupy concurrency. Without that wait,",
        f"concurrency refuses {compared['not_waiting']:.0%} of the calls of {compared['name']}, at {compared['rate']:,.0f} a second, not {compared['waiting']:.0%}. A call whose counters",
        "are refused is served, and only its process counts it.",
        "",
    ]


def render_limits() -> str:
    """The page of limits: for each class of calls what breaks first."""
    lines = [
        "# Limits on AWS",
        "",
        NOTICE,
        "",
        "For operators: which limits a deployment has, how to raise them, and which one is reached first under load.",
        "",
        *render_remedies(),
        *render_storms(),
        "## A steady rate of calls",
        "",
        "The tables show how much of each limit a steady rate of calls uses, computed from the figures of [costs](costs.md). Above 1.0 the limit",
        "refuses calls. The last column applies to a single tenant. Every limit on calls increments a counter in the table, in a random one of its shards.",
        "",
    ]
    for rate in PER_SECOND:
        classes = [units for units in read_units()["classes"] if units["door"] == "api"]
        names = [name for name, *_ in list_demands(classes[0], rate)]
        lines += [f"### {rate:,} calls a second", "", f"| call | {' | '.join(names)} |"]
        lines += ["| --- |" + " ---: |" * len(names)]
        for units in classes:
            shares = [demand / limit for _, demand, limit, _ in list_demands(units, rate)]
            cells = [f"**{share:,.1f}**" if share > 1 else f"{share:.2f}" for share in shares]
            lines.append(f"| {units['name']} | {' | '.join(cells)} |")
        lines.append("")
    return "\n".join(lines)


def render_remedies() -> list[str]:
    """What to do about each limit."""
    demands = list_demands(read_units()["classes"][0], 1)
    limits = read_units()["defaults"]
    return [
        "## What to do about each limit",
        "",
        "Rates, requests, reads, writes and calls are per second.",
        "",
        "| limit | default | what to do |",
        "| --- | ---: | --- |",
        *(f"| {name} | {limit:,.0f} | {remedy} |" for name, _, limit, remedy in demands),
        f"| reads of parameters in SSM | {limits['ssm_reads']} | keys of the table, or SSM's higher throughput |",
        f"| new environments of a function in 10 s | {limits['lambda_scaling_per_10_s']:,} | ramp up, or provisioned concurrency |",
        "| length of a call of the HTTP API | 29 s | `Prefer: respond-async`, or the Function URL (120 s) |",
        "| progress while a call runs | none | `Streaming=true`, at the Function URL |",
        "| body of a request or response | 6 MB | larger answers are linked; `create_upload` takes documents up to 50 MB |",
        "",
    ]
