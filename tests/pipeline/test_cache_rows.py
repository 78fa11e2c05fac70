"""Where a cached document is stored: compressed in a row, or in the bucket if a row would cost more."""

import json
import secrets
from datetime import timedelta

import pytest

from assay.state.cache import COMPRESSED_ROW_BYTES, Cache

HOUR = timedelta(hours=1)
SENTENCE = "The otter holds its stones under the left arm while it swims upstream. "


@pytest.fixture
def open_cache(services, clock):
    """A new process's cache: its memory is empty."""
    return lambda: Cache(services.table, services.bucket, clock, 1024 * 1024)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "ü\u0000\ud83e\uddad".encode("utf-16", "surrogatepass").decode("utf-16"),
        SENTENCE * 5_000,
        secrets.token_hex(50_000),
    ],
    ids=["empty", "signs", "long", "incompressible"],
)
async def test_another_process_reads_what_was_stored(open_cache, text):
    await open_cache().put("key", {"text": text}, HOUR)
    assert (await open_cache().get("key")).document == {"text": text}


async def test_a_long_page_fits_a_small_row(services, open_cache):
    await open_cache().put("key", {"text": SENTENCE * 5_000}, HOUR)
    row = await services.table.get("cache/key")
    assert len(row.value) < 5_000 < len(SENTENCE * 5_000)


async def test_what_compression_cannot_make_small_is_stored_in_the_bucket(services, open_cache):
    await open_cache().put("key", {"text": secrets.token_hex(COMPRESSED_ROW_BYTES)}, HOUR)
    row = json.loads((await services.table.get("cache/key")).value)
    assert await services.bucket.get(row["name"])


async def test_rows_of_earlier_versions_are_read(services, open_cache, clock):
    old = {"document": {"text": "otters"}, "stored": clock(), "until": clock() + 60}
    await services.table.put("cache/key", "-", json.dumps(old).encode(), until=clock() + 60)
    assert (await open_cache().get("key")).document == {"text": "otters"}
