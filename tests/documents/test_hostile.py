"""Malicious files: each fails in time with one of our errors, and the next file is parsed."""

import asyncio
import os
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from functools import partial
from io import BytesIO
from pathlib import Path

import pytest
import xlsxwriter
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.support.proc_files import children_of, is_running, read_proc, stat_fields
from tests.support.processor_time import assert_quick_call

from assay.documents import Document, detect_kind, read
from assay.documents.sandbox_pool import Sandbox
from assay.errors import ContentEmpty, InvalidInput, ToolError, UpstreamFailed

GOOD = b'<?xml version="1.0"?><note>Still served</note>'


def lzw_bomb():
    """Twelve-bit codes that each stand for the longest string known so far."""
    codes, bits = [256, 0, *range(258, 4094)] * 40, 0
    out, held = bytearray(), 0
    width = 9
    count = 0
    for code in codes:
        if code == 256:
            count, width_now = 0, width
            width = 9
        else:
            width_now, count = width, count + 1
        held, bits = held << width_now | code, bits + width_now
        width = 9 if count < 254 else 10 if count < 766 else 11 if count < 1790 else 12
        while bits >= 8:
            bits -= 8
            out.append(held >> bits & 255)
        held &= (1 << bits) - 1
    return bytes(out)


def pdf_cases():
    """Functions, because some of the files take long to make."""
    packed = zlib.compress(b"BT /F1 12 Tf 50 700 Td (x) Tj ET " * 50)
    drawn = b"/X1 Do\n" * 1_000_000
    form = b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9]"
    form += b" /Resources << /XObject << /X1 6 0 R >> >> /Length 6 >> stream\n/X1 Do\nendstream"
    loop = {"resources": b"/Font << /F1 5 0 R >> /XObject << /X1 6 0 R >>", "extra": (form,)}
    predictor = (
        b"/Filter /FlateDecode /DecodeParms << /Predictor 15 /Columns 2147483647 /Colors 32 /BitsPerComponent 16 >>"
    )
    return {
        "lzw": lambda: ((lzw_bomb(),), {"filters": b"/Filter /LZWDecode"}),
        "run length": lambda: ((b"\x81A" * 2_000_000 + b"\x80",), {"filters": b"/Filter /RunLengthDecode"}),
        "inline image without an end": lambda: (
            (b"q BI /W 9999 /H 9999 /BPC 8 /CS /RGB /F /DCT ID " + b"\xff\xd8\xff" * 9999,),
            {},
        ),
        "no root, huge size": lambda: ((b"BT ET",), {"trailer": b"/Size 2147483647"}),
        "a form that draws itself": lambda: ((b"/X1 Do",), loop),
        "a million forms": lambda: ((drawn,), loop),
        "predictor with huge columns": lambda: ((packed,), {"filters": predictor}),
        "a length that lies": lambda: ((b"BT ET",), {"length": 1 << 40}),
        "nested flate": lambda: (
            (zlib.compress(zlib.compress(bytes(200 << 20), 9), 9),),
            {"filters": b"/Filter [/FlateDecode /FlateDecode]"},
        ),
        "text without end": lambda: ((b"BT /F1 12 Tf " + b"(aaaa) Tj " * 60_000,), {}),
        "arrays in arrays": lambda: ((b"[" * 1_000_000,), {}),
    }


async def outcome(reading):
    """The document, or the error that was raised."""
    try:
        return await reading
    except ToolError as failure:
        return failure


@pytest.mark.parametrize("name", pdf_cases())
async def test_a_hostile_pdf_costs_one_error_and_the_next_is_read(a_raw_pdf, sandbox, name):
    given_, named = pdf_cases()[name]()
    body, began = a_raw_pdf(*given_, **named), time.monotonic()
    ended = await outcome(read(body, "pdf", max_bytes=1 << 28, seconds=3, sandbox=sandbox))
    assert isinstance(ended, Document | ContentEmpty | UpstreamFailed | InvalidInput)
    assert time.monotonic() - began < 60
    assert (await read(GOOD, "xml", max_bytes=1 << 20, sandbox=sandbox)).markdown == "- note: Still served"


async def test_a_page_tree_of_a_million_leaves_ends_in_time(sandbox):
    kids = b"3 0 R " * 1_000_000
    body = (
        b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Count 1000000 /Kids ["
    )
    body += (
        kids
        + b"] >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] >>\nendobj\n"
        + b"trailer << /Root 1 0 R >>\n%%EOF"
    )
    with pytest.raises(ToolError):
        await read(body, "pdf", max_bytes=1 << 28, seconds=10, sandbox=sandbox)


async def test_a_child_that_takes_too_long_is_killed_and_leaves_nothing(a_raw_pdf):
    slow = a_raw_pdf(b"BT /F1 12 Tf " + b"(aaaa) Tj " * 3_000_000)
    before, sandbox = children(), Sandbox(workers=1)
    try:
        await read(GOOD, "xml", max_bytes=1 << 20, sandbox=sandbox)
        first = sandbox._idle[0].process.pid
        with pytest.raises(UpstreamFailed, match=r"within 0\.5 seconds"):
            await read(slow, "pdf", max_bytes=1 << 28, seconds=0.5, sandbox=sandbox)
        assert str(first) not in children()
        assert (await read(GOOD, "xml", max_bytes=1 << 20, sandbox=sandbox)).kind == "xml"
    finally:
        sandbox.close()
    assert children() == before


def children():
    """Children of this process that a sandbox has started, zombies too."""
    return [
        str(one)
        for one in children_of(os.getpid())
        if stat_fields(one)[0] == "Z" or b"assay.documents.sandbox_worker" in read_proc(one, "cmdline")
    ]


def environment_of(process):
    return Path(f"/proc/{process}/environ").read_bytes()


async def test_a_reading_that_is_called_off_ends_its_child(a_raw_pdf):
    before, sandbox = children(), Sandbox(workers=1)
    slow = a_raw_pdf(b"BT /F1 12 Tf " + b"(aaaa) Tj " * 3_000_000)
    try:
        reading = asyncio.create_task(read(slow, "pdf", max_bytes=1 << 28, seconds=200, sandbox=sandbox))
        await asyncio.sleep(0.4)
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        began = time.monotonic()
        assert (await read(GOOD, "xml", max_bytes=1 << 20, sandbox=sandbox)).kind == "xml"
        assert time.monotonic() - began < 60
    finally:
        sandbox.close()
    assert children() == before


async def test_a_file_that_needs_too_much_memory_is_refused(a_zip):
    rows = b"<w:p><w:r><w:t>x</w:t></w:r></w:p>" * 900_000
    body = a_zip(
        {"word/document.xml": b'<w:document xmlns:w="w"><w:body>' + rows + b"</w:body></w:document>"},
        zipfile.ZIP_STORED,
    )
    sandbox = Sandbox(workers=1, memory=200 << 20)
    try:
        with pytest.raises(UpstreamFailed, match=r"memory|broken"):
            await read(body, "docx", max_bytes=1 << 28, seconds=15, sandbox=sandbox)
        assert (await read(GOOD, "xml", max_bytes=1 << 20, sandbox=sandbox)).kind == "xml"
    finally:
        sandbox.close()


async def test_many_files_at_once_share_few_children(sandbox):
    before = set(children())  # other tests of this process may have left their own
    documents = await asyncio.gather(*(read(GOOD, "xml", max_bytes=1 << 20, sandbox=sandbox) for _ in range(40)))
    assert {document.markdown for document in documents} == {"- note: Still served"}
    assert len(set(children()) - before) <= 2


async def test_the_child_knows_nothing_of_our_environment(sandbox, monkeypatch):
    monkeypatch.setenv("BRAVE_API_KEY", "a-secret")
    fresh = Sandbox(workers=1)
    try:
        await read(GOOD, "xml", max_bytes=1 << 20, sandbox=fresh)
        environ = environment_of(fresh._idle[0].process.pid)
    finally:
        fresh.close()
    assert b"a-secret" not in environ
    assert b"HOME" not in environ


async def test_what_is_too_large_empty_or_of_no_kind_is_refused_at_once():
    with pytest.raises(InvalidInput, match="the limit is 10"):
        await read(b"x" * 11, "pdf", max_bytes=10)
    with pytest.raises(ContentEmpty, match="empty"):
        await read(b" \n", "pdf", max_bytes=10)
    with pytest.raises(InvalidInput, match="docx"):
        await read(b"x", "pub", max_bytes=10)


async def test_a_zip_of_a_million_entries_is_refused_before_it_is_listed(reads):
    directory = b"".join(
        struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0)
        + b"%04x" % (number & 0xFFFF)
        for number in range(1_000_000)
    )
    local_name = b"PK\x03\x04" + bytes(26)

    async def refuse(body):
        with pytest.raises(InvalidInput) as failure:
            await reads(body, "docx", max_bytes=1 << 28)
        return failure.value

    for count in (65_535, 1_000):  # as Zip64 says, and as a liar does
        end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(directory), len(local_name), 0)
        refused = await assert_quick_call(partial(refuse, local_name + directory + end), 5)
        assert "bomb" in refused.message


async def test_a_part_that_inflates_beyond_reason_is_refused(reads, a_zip):
    body = a_zip({"word/document.xml": b"<a>" + b" " * (100 << 20) + b"</a>"})
    with pytest.raises(InvalidInput, match="bomb"):
        await reads(body, "docx")


@pytest.mark.parametrize("forged", [False, True])
async def test_a_part_larger_than_it_says_is_not_inflated_beyond_that(reads, a_zip, forged):
    large, small = b"<a>" + b" " * (100 << 20) + b"</a>", b"<a> " + b" " * 96
    body = a_zip({"word/document.xml": large}).replace(struct.pack("<L", len(large)), struct.pack("<L", 100))
    if forged:
        body = body.replace(struct.pack("<L", zlib.crc32(large)), struct.pack("<L", zlib.crc32(small)))
    with pytest.raises(UpstreamFailed, match="not well-formed" if forged else "damaged"):
        await reads(body, "docx")


async def test_a_sheet_larger_than_it_says_is_not_inflated_beyond_that(a_zip):
    workbook = BytesIO()
    with xlsxwriter.Workbook(workbook, {"in_memory": True}) as book:
        book.add_worksheet().write(0, 0, "x")
    with zipfile.ZipFile(workbook) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    name = "xl/worksheets/sheet1.xml"
    small, large = parts[name], parts[name] + b" " * (300 << 20)
    body = a_zip(parts | {name: large}).replace(struct.pack("<L", len(large)), struct.pack("<L", len(small)))
    body = body.replace(struct.pack("<L", zlib.crc32(large)), struct.pack("<L", zlib.crc32(small)))
    sandbox = Sandbox(workers=1, memory=200 << 20)
    try:
        document = await read(body, "xlsx", max_bytes=1 << 28, seconds=15, sandbox=sandbox)
    finally:
        sandbox.close()
    assert "| x |" in document.markdown


async def test_parts_that_share_bytes_are_refused(reads, a_zip):
    body = a_zip({"word/document.xml": b"<a/>", "word/styles.xml": b"<b/>"})
    end = body.rfind(b"PK\x05\x06")
    first = body.find(b"PK\x01\x02")
    second = body.find(b"PK\x01\x02", first + 4)
    body = body[: second + 42] + struct.pack("<L", 0) + body[second + 46 : end] + body[end:]
    with pytest.raises((InvalidInput, UpstreamFailed), match=r"overlap|broken"):
        await reads(body, "docx")


@pytest.mark.parametrize("cut", [0.2, 0.6, 0.95])
async def test_an_office_file_cut_short_is_broken(reads, a_docx, cut):
    body = a_docx(lambda document: document.add_paragraph("Hello"))
    with pytest.raises(UpstreamFailed, match="broken zip"):
        await reads(body[: int(len(body) * cut)], "docx")


LAUGHS = "<!DOCTYPE l [<!ENTITY a 'ha'>" + "".join(
    f"<!ENTITY {chr(98 + place)} '{('&' + chr(97 + place) + ';') * 10}'>" for place in range(9)
) + "]>"  # fmt: skip
DOCTYPES = {
    "laughs": LAUGHS,
    "quadratic": f"<!DOCTYPE l [<!ENTITY a '{'a' * 100_000}'>]>",
    "file": "<!DOCTYPE l [<!ENTITY a SYSTEM 'file:///etc/passwd'>]>",
    "parameter": "<!DOCTYPE l [<!ENTITY % p SYSTEM 'http://127.0.0.1:9/p'>%p;]>",
    "after a comment": "<!-- <a> --><?x y?>\n<!DOCTYPE l SYSTEM 'http://127.0.0.1:9/l.dtd'>",
}


@pytest.mark.parametrize("name", DOCTYPES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-7"])
@pytest.mark.parametrize("kind", ["xml", "feed"])
async def test_a_doctype_is_refused_however_it_is_written(reads, name, encoding, kind):
    root = ("rss", "&a;&j;" * 1000) if kind == "feed" else ("l", "&a;&j;" * 1000)
    text = f"<?xml version='1.0' encoding='{encoding}'?>{DOCTYPES[name]}<{root[0]}>{root[1]}</{root[0]}>"
    ended = await assert_quick_call(lambda: outcome(reads(text.encode(encoding), kind)), 3)
    assert isinstance(ended, UpstreamFailed)
    assert "root:" not in ended.message


async def test_a_doctype_in_an_office_file_is_refused(reads, word_xml, a_zip):
    for kind, main in (("docx", "word/document.xml"), ("pptx", "ppt/presentation.xml")):
        with pytest.raises(UpstreamFailed, match="DOCTYPE"):
            await reads(a_zip({main: LAUGHS + "<l>&j;</l>"}), kind)
    with pytest.raises(UpstreamFailed, match="DOCTYPE"):
        await reads(word_xml("<w:p/>", {"docProps/core.xml": LAUGHS + "<l>&j;</l>"}), "docx")


async def test_included_files_are_not_included_and_many_attributes_are_survived(reads):
    body = b"<x xmlns:xi='http://www.w3.org/2001/XInclude'><xi:include href='file:///etc/passwd'/>text</x>"
    assert "root:" not in (await reads(body, "xml")).markdown
    many = b"<x " + b" ".join(b'a%d="1"' % place for place in range(100_000)) + b">text</x>"
    assert (await reads(many, "xml")).markdown.endswith(": text")


async def test_depth_is_an_error_in_words_not_a_crash(reads):
    with pytest.raises(UpstreamFailed, match="not well-formed"):
        await reads(b"<a>" * 200_000, "xml")
    document = await reads(b"[" * 100_000, "json")
    assert "nested too deeply" in document.notes[0] or "not valid JSON" in document.notes[0]
    document = await reads(b"[" * 100_000 + b"]" * 100_000, "json")
    assert "nested too deeply" in document.notes[0]


SLOW = settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.parametrize("kind", ["pdf", "docx", "pptx"])
def test_a_file_with_changed_bytes_is_a_document_or_an_error(kind, a_pdf, a_docx, a_pptx, sandbox):
    def fill_slides(slides):
        slides.slides.add_slide(slides.slide_layouts[1]).shapes.title.text = "Title"

    body = {
        "pdf": lambda: a_pdf(*[lambda canvas: canvas.drawString(50, 700, "Some words")] * 3),
        "docx": lambda: a_docx(lambda document: document.add_table(2, 2)),
        "pptx": lambda: a_pptx(fill_slides),
    }[kind]()

    with asyncio.Runner() as runner:

        @SLOW
        @given(
            st.lists(
                st.tuples(st.integers(0, len(body) - 1), st.binary(min_size=1, max_size=8)), min_size=1, max_size=12
            )
        )
        def mutate(changes):
            changed = bytearray(body)
            for place, piece in changes:
                changed[place : place + len(piece)] = piece
            detect_kind(bytes(changed), "", "")
            ended = runner.run(outcome(read(bytes(changed), kind, max_bytes=1 << 24, seconds=10, sandbox=sandbox)))
            assert isinstance(ended, Document | ToolError)

        mutate()


def test_it_works_under_uvloop_and_over_several_loops(sandbox):
    import uvloop

    for _ in range(2):
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            document = runner.run(read(GOOD, "xml", max_bytes=1 << 20, sandbox=sandbox))
        assert document.markdown == "- note: Still served"


def test_a_child_ends_when_its_parent_is_killed():
    program = (
        "import asyncio, os, signal; from assay.documents import read; from assay.documents.sandbox_pool import common_sandbox\n"
        "asyncio.run(read(b'<a>x</a>', 'xml', max_bytes=99))\n"
        "print(common_sandbox()._idle[0].process.pid, flush=True); os.kill(os.getpid(), signal.SIGKILL)"
    )
    path = os.pathsep.join(entry for entry in sys.path if entry)
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    child = int(ended.stdout)
    until = time.monotonic() + 60
    while is_running(child) and time.monotonic() < until:
        os.sched_yield()
    assert not is_running(child)
