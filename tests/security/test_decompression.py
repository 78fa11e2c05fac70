"""Bodies that unfold without end, by the path that every caller takes: cut at the cap of decoded bytes, in bounded memory."""

import gzip
import io
import time
import zipfile
import zlib
from functools import cache
from itertools import count
from pathlib import Path

import brotli
import pytest
import zstandard
from tests.support.processor_time import assert_quick_call

URL = "http://river.example/otters"
BIG = 256 << 20  # bytes that a bomb unfolds to
CAP = 8 << 20  # of decoded bytes of a page
TEXT = "<p>Otters hold hands while they sleep so that the river does not part them, and keep a favourite stone.</p>" * 8


def compress_repeated(engine, finish) -> bytes:
    piece = b"<p>otter</p>" * (1 << 16)
    return b"".join(engine(piece) for _ in range(BIG // len(piece))) + finish()


@cache
def build_gzip() -> bytes:
    engine = zlib.compressobj(9, zlib.DEFLATED, 31)
    return compress_repeated(engine.compress, engine.flush)


def build_deflate() -> bytes:
    engine = zlib.compressobj(9)
    return compress_repeated(engine.compress, engine.flush)


def build_brotli() -> bytes:
    engine = brotli.Compressor(quality=1)
    return compress_repeated(engine.process, engine.finish)


def build_zstandard() -> bytes:
    engine = zstandard.ZstdCompressor(level=1).compressobj()
    return compress_repeated(engine.compress, engine.flush)


BOMBS = {
    "gzip": (build_gzip, "gzip"),
    "deflate": (build_deflate, "deflate"),
    "br": (build_brotli, "br"),
    "zstd": (build_zstandard, "zstd"),
    "gzip in gzip": (lambda: gzip.compress(build_gzip()), "gzip, gzip"),
}


def resident() -> int:
    """Bytes of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.parametrize(("make", "coding"), BOMBS.values(), ids=BOMBS.keys())
async def test_a_bomb_ends_at_the_cap(make, coding, ask, site):
    site.says("/otters", make(), headers={"content-encoding": coding})
    before, urls = resident(), (f"{URL}?{number}" for number in count())  # none is in the cache
    reply = await assert_quick_call(lambda: ask("scrape_page", url=next(urls), mode="raw", max_length=5_000_000), 3)
    assert resident() - before < BIG // 2  # the body, its copy as JSON and the one that is kept aside
    assert reply.error is None
    assert 1 << 20 < reply.wire["contentSizeBytes"] <= CAP
    short = await ask("scrape_page", url=URL, mode="raw", max_length=1_000)
    assert short.wire["truncated"] is True


async def test_five_codings_are_refused(ask, site):
    site.says("/otters", TEXT, headers={"content-encoding": "gzip, br, gzip, br, gzip"})
    reply = await ask("scrape_page", url=URL)
    assert reply.error is not None
    assert "coding" in reply.error.text().lower()


async def test_plain_text_under_the_name_of_gzip_is_read(ask, site):
    site.says("/otters", TEXT, headers={"content-encoding": "gzip"})
    assert "Otters hold hands" in (await ask("scrape_page", url=URL)).text


async def test_a_gzip_cut_short_gives_what_was_there(ask, site):
    body = gzip.compress((TEXT + "".join(f"<p>{zlib.crc32(bytes([n % 256]) * n)}</p>" for n in range(4000))).encode())
    site.says("/otters", body[: len(body) // 2], headers={"content-encoding": "gzip"})
    reply = await ask("scrape_page", url=URL)
    assert reply.error is not None or reply.wire["truncated"] or "Otters" in reply.text


async def test_an_office_file_of_a_million_parts_is_refused_at_once(ask, site):
    parts = io.BytesIO()
    with zipfile.ZipFile(parts, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("word/document.xml", "<a/>")
        for number in range(25_000):
            archive.writestr(f"word/{number}.xml", b"")
    site.says("/otters", parts.getvalue(), kind="application/octet-stream")
    began = time.monotonic()
    reply = await ask("scrape_page", url=URL)
    assert time.monotonic() - began < 120
    assert reply.error is not None
    assert "bomb" in reply.error.text()
