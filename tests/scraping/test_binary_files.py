"""Binary files: every tool reports their type and size instead of their bytes."""

import base64
import gzip
import io
import random
import struct
import zipfile
import zlib

import pytest
from tests.support.pages import article

NOISE = random.Random(7).randbytes(20_000)


def png():
    def chunk(name, held):
        return struct.pack(">I", len(held)) + name + held + struct.pack(">I", zlib.crc32(name + held))

    head = struct.pack(">IIBBBBB", 64, 64, 8, 2, 0, 0, 0)
    rows = b"".join(b"\x00" + NOISE[row * 192 : row * 192 + 192] for row in range(64))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def build_zip():
    body = io.BytesIO()
    with zipfile.ZipFile(body, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr("notes.txt", "words " * 1000)
    return body.getvalue()


FILES = {
    "PNG image": png(),
    "JPEG image": b"\xff\xd8\xff\xe0\x10\x10JFIF" + NOISE.replace(b"\x00", b"\x01"),
    "MP4 video": b"\x00\x00\x00\x18ftypisom" + NOISE,
    "MP3 audio file": b"ID3\x04" + NOISE,
    "ZIP archive": build_zip(),
    "gzip archive": gzip.compress(b"words " * 10_000),
    "Windows program": b"MZ\x90\x00" + bytes(60) + b"This program cannot be run in DOS mode" + NOISE,
    "file of an old Office format": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + NOISE + "Quill".encode("utf-16-le"),
    "WOFF2 font": b"wOF2" + NOISE,
    "WebAssembly module": b"\x00asm\x01\x00\x00\x00" + NOISE,
    "binary file of unknown type": NOISE,
}
LABELS = ["text/html", "text/plain", "application/octet-stream", "text/markdown", ""]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("tool", ["scrape_page", "cinder_scrape"])
async def test_a_binary_file_is_named_with_its_size_and_no_byte_is_shown(ask, site, tool, name):
    error = (await ask(tool, url=site.says("/file", FILES[name], kind=LABELS[len(name) % len(LABELS)]))).error
    assert (error.kind, error.retryable) == ("validation", False)
    assert name in error.message
    assert f"{len(FILES[name]):,} bytes" in error.message
    assert "XLSX" in error.message
    assert "\ufffd" not in error.message
    assert len(site.requests) == 1


@pytest.mark.parametrize("label", LABELS)
async def test_no_label_makes_a_picture_text(ask, site, label):
    error = (await ask("scrape_page", url=site.says("/picture", FILES["PNG image"], kind=label))).error
    assert "PNG image" in error.message


async def test_a_page_labelled_as_a_picture_is_a_page(ask, site):
    reply = await ask("scrape_page", url=site.says("/page", article(), kind="image/png"))
    assert reply.error is None
    assert "weir" in reply.wire["content"]


@pytest.mark.parametrize(
    "body",
    [
        "Grüße aus Köln — 日本語 — Ελλάδα".encode(),
        "Grüße aus Köln. ".encode("latin-1") * 20,
        "Привет, мир. ".encode("cp1251") * 20,
        "日本語の文章です。".encode("iso-2022-jp") * 20,
        "Words in two bytes each, without a mark. ".encode("utf-16-le") * 20,
        "Words after a mark.".encode("utf-16"),
        b"line\x0cfeed and \x1b[1mbold\x1b[0m words of a terminal. " * 20,
        b"one zero \x00 byte among many words. " + b"many words " * 200,
    ],
)
async def test_text_in_any_encoding_stays_text(ask, site, body):
    reply = await ask("scrape_page", url=site.says("/notes.txt", body, kind="text/plain"))
    assert reply.error is None, reply.error


async def test_the_raw_body_of_a_file_is_still_to_be_had(ask, site):
    body = FILES["JPEG image"][:300]  # a large one comes as a link
    url = site.says("/picture", body, kind="text/plain")
    assert (await ask("scrape_page", url=url)).error is not None
    reply = await ask("scrape_page", url=url, mode="raw")
    assert reply.error is None, reply.error
    assert reply.wire["encoding"] == "base64"
    assert base64.b64decode(reply.wire["content"]) == body


async def test_a_long_file_that_was_not_fetched_whole_is_reported_with_the_size_it_says(ask, site, environ):
    environ["MAX_HTML_BYTES"] = "100000"
    body = FILES["JPEG image"] + NOISE * 40
    error = (await ask("scrape_page", url=site.says("/picture", body, kind="image/jpeg"))).error
    assert f"{len(body):,} bytes" in error.message


async def test_a_workbook_is_read_through_the_front_door(ask, site):
    import xlsxwriter

    created = io.BytesIO()
    book = xlsxwriter.Workbook(created, {"in_memory": True})
    book.add_worksheet("Rivers").write_row(0, 0, ["Wye", 12])
    book.close()
    for tool in ("scrape_page", "cinder_scrape"):
        reply = await ask(tool, url=site.says("/rivers", created.getvalue(), kind="application/octet-stream"))
        assert reply.error is None, reply.error
        assert reply.wire["contentType"] == "xlsx"
        assert "| Wye | 12 |" in reply.wire["content"]


async def test_a_crawl_reads_on_past_a_file_that_is_not_text(services, site):
    url = site.says("/picture", FILES["PNG image"], kind="text/html")
    visit = await services.scrape.visit(url)
    assert visit.page is None
    assert "PNG image" in visit.error
