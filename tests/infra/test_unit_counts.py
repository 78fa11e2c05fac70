"""The units of the page of costs that say "counted" are those of calls as they are."""

import math
from collections import Counter

import pytest
from infra.scripts.generate import costs
from tests.infra.test_permissions import LIMITS
from tests.support import sample_calls
from tests.support.sample_calls import PAGE, SampleServices

from assay.caller import Caller
from assay.context import Context
from assay.entrypoints.lambda_crawl import process_message
from assay.invoke import invoke
from assay.net.provider_client import ProviderClient

READ_BYTES, WRITE_BYTES = 4_096, 1_024  # of a unit of DynamoDB; all reads of the table are consistent
STEP = {"searchStep": "Look", "stepNumber": 1, "totalStepsEstimate": 1, "nextStepNeeded": False}


class CountingTable:
    """A table that counts the units which DynamoDB would bill."""

    def __init__(self, table, units):
        self.table, self.units = table, units

    async def get(self, key, sort="-"):
        row = await self.table.get(key, sort)
        self.units["reads"] += _count(row.value if row else b"", READ_BYTES)
        return row

    async def get_many(self, key, sorts):
        rows = await self.table.get_many(key, sorts)
        self.units["reads"] += sum(_count(row.value if row else b"", READ_BYTES) for row in rows)
        return rows

    async def query(self, *args, **more):
        page = await self.table.query(*args, **more)
        self.units["reads"] += _count(b"".join(row.value for row in page.items), READ_BYTES)
        return page

    async def put(self, key, sort, value, **more):
        self.units["writes"] += _count(value, WRITE_BYTES)
        return await self.table.put(key, sort, value, **more)

    async def delete(self, *args, **more):
        self.units["writes"] += 1
        await self.table.delete(*args, **more)

    async def add(self, *args, **more):
        self.units["writes"] += 1
        return await self.table.add(*args, **more)

    async def close(self):
        await self.table.close()


class CountingBucket:
    def __init__(self, bucket, units):
        self.bucket, self.units = bucket, units

    def __getattr__(self, name):
        self.units[f"bucket_{name}"] += 1
        return getattr(self.bucket, name)


class CountingQueue(CountingBucket):
    def __getattr__(self, name):
        self.units[f"queue_{name}"] += 1
        return getattr(self.bucket, name)


def _count(value, size):
    return max(1, math.ceil((len(value) + 100) / size))  # 100 bytes of names and of the time it expires


@pytest.fixture
def environ(environ, site):
    return environ | sample_calls.environ(site.url) | LIMITS | {"RATE_LIMIT_GLOBAL": "1000", "RATE_LIMIT_SHARDS": "4"}


@pytest.fixture
async def count(services, site, fake_hosts):
    """`count(tool, arguments)`: the units of a call."""
    services.http = ProviderClient(services.settings, pause=0)
    SampleServices(services, site, fake_hosts).answers()
    units = Counter()
    services.runs_workers = False
    services.table, services.bucket = CountingTable(services.table, units), CountingBucket(services.bucket, units)
    services.queue = CountingQueue(services.queue, units)
    for name in ("cache", "search", "limit_counters", "ledger", "statistics"):
        services.__dict__.pop(name, None)  # they hold the table or the bucket

    async def count_units(tool, **arguments):
        units.clear()
        reply = await invoke(tool, arguments, Context(services, Caller("acme", "ada")))
        assert reply.error is None, reply.error
        return dict(units)

    count_units.units = units
    return count_units


SIGN_IN, HISTORY = 1, 1  # the read of a key in the table, and the write of the history of calls that is added for each
DOCUMENTS = {"docs": [{"id": "a", "text": "Otters"}]}
COUNTED = [
    ("`dedupe_rank`", "dedupe_rank", DOCUMENTS, 1),
    ("`web_search`, not cached", "web_search", {"query": "otters"}, 1),
    ("`web_search`, cached", "web_search", {"query": "otters"}, 2),
    ("`scrape_page`, cached", "scrape_page", {"url": PAGE}, 2),
    ("`sequential_search`", "sequential_search", STEP, 1),
]


@pytest.mark.parametrize(("name", "tool", "arguments", "times"), COUNTED, ids=[name for name, *_ in COUNTED])
async def test_a_call_reads_and_writes_as_much_of_the_table_as_the_page_counts(count, name, tool, arguments, times):
    for _ in range(times):
        counted = await count(tool, **arguments)
    [units] = [each for each in costs.read_units()["classes"] if name in each["name"]]
    assert units["rows"] == "counted"
    assert counted["writes"] + HISTORY == units["writes"]
    assert abs(counted["reads"] + SIGN_IN - units["reads"]) <= 1
    assert "bucket_put" not in counted


async def test_a_crawled_page_takes_at_most_the_rows_and_objects_that_the_page_counts(count, services):
    """The start of the crawl is shared by its pages; the site asks for two seconds between them."""
    await count("cinder_crawl", url=PAGE, maxPages=3)
    count.units.clear()
    while messages := await services.queue.receive(visible=60):
        await process_message(services, messages[0], None)
        await services.queue.delete(messages[0].receipt)
    pages = count.units["bucket_put"]
    [units] = [each for each in costs.read_units()["classes"] if each["name"] == "crawled page"]
    assert pages > 0
    assert count.units["writes"] / pages <= units["writes"]
    assert count.units["reads"] / pages <= units["reads"] * 1.5  # while it waits for its turn, it looks again
    assert units["bucket_writes"] == 1
