"""Bodies: every coding undone, no coding trusted, no cap passed, whatever the bytes and however they come."""

import gzip
import random
import tracemalloc
import zlib

import brotli
import pytest
import zstandard

from assay.net.exceptions import BadCoding
from assay.net.response_body import Body, parse_codings

TEXT = ("Otters hold hands. Ω — " * 400).encode()
MEGABYTE = 1 << 20


def raw_deflate(content):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(content) + packer.flush()


def wide_zstd(content, window_log):
    parameters = zstandard.ZstdCompressionParameters(window_log=window_log)
    packer = zstandard.ZstdCompressor(compression_params=parameters).compressobj()
    return packer.compress(content) + packer.flush()


PACK = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "GZIP ": gzip.compress,
    "deflate": zlib.compress,
    "deflate (raw)": raw_deflate,
    "br": brotli.compress,
    "zstd": zstandard.compress,
    "zstd (unsized)": lambda content: wide_zstd(content, 20),
    "identity": bytes,
    "": bytes,
}


def coding_of(name):
    return name.partition(" (")[0]


def read(coding, wire, cap=MEGABYTE, step=1 << 16):
    body = Body(coding, cap)
    for at in range(0, len(wire), step):
        if not body.write(wire[at : at + step]):
            break
    body.end(complete=True)
    return body


@pytest.mark.parametrize("step", [1, 2, 7, 1000, 1 << 20])
@pytest.mark.parametrize("content", [TEXT, b"", b"x", b"{}", bytes(5000)], ids=["text", "empty", "x", "json", "zeros"])
@pytest.mark.parametrize("name", PACK)
def test_a_body_is_read_whole_however_it_is_cut(name, content, step):
    body = read(coding_of(name), PACK[name](content), step=step)
    assert bytes(body.content) == content
    assert not body.truncated


def test_noise_is_read_whole():
    noise = random.Random(5).randbytes(300_000)
    for name, pack in PACK.items():
        body = read(coding_of(name), pack(noise))
        assert bytes(body.content) == noise, name
        assert not body.truncated, name


@pytest.mark.parametrize("name", PACK)
def test_the_cap_is_exact(name):
    exact = read(coding_of(name), PACK[name](TEXT), cap=len(TEXT))
    assert bytes(exact.content) == TEXT
    assert not exact.truncated
    short = read(coding_of(name), PACK[name](TEXT), cap=len(TEXT) - 1)
    assert bytes(short.content) == TEXT[:-1]
    assert short.truncated


HUGE = 256 * MEGABYTE


def bomb(pack_piece, end):
    piece = bytes(MEGABYTE)
    return b"".join(pack_piece(piece) for _ in range(HUGE // MEGABYTE)) + end()


def bombs():
    gz, raw, wrapped = (zlib.compressobj(9, zlib.DEFLATED, bits) for bits in (31, -15, 15))
    br, zst = brotli.Compressor(quality=5), zstandard.ZstdCompressor().compressobj()
    return {
        "gzip": bomb(gz.compress, gz.flush),
        "deflate (raw)": bomb(raw.compress, raw.flush),
        "deflate": bomb(wrapped.compress, wrapped.flush),
        "br": bomb(br.process, br.finish),
        "zstd": bomb(zst.compress, zst.flush),
    }


@pytest.fixture(scope="module")
def bomb_files():
    return bombs()


NAMES = ["gzip", "deflate (raw)", "deflate", "br", "zstd"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("step", [1000, 1 << 30])
def test_a_bomb_stops_at_the_cap_and_takes_no_memory(name, step, bomb_files):
    tracemalloc.start()
    body = read(coding_of(name), bomb_files[name], cap=2 * MEGABYTE, step=step)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(body.content) == 2 * MEGABYTE
    assert body.full
    assert peak < 3 * 2 * MEGABYTE


@pytest.mark.parametrize("outer", ["gzip", "br", "zstd", "deflate"])
@pytest.mark.parametrize("name", NAMES)
def test_a_bomb_in_a_bomb_stops_too(name, outer, bomb_files):
    wire = PACK[outer](bomb_files[name])
    body = read(f"{coding_of(name)}, {outer}", wire, cap=MEGABYTE)
    assert len(body.content) == MEGABYTE
    assert body.full


def test_what_unpacks_to_nothing_is_not_unpacked_for_ever():
    nothing = gzip.compress(b"") * 20_000  # 400 kB of members without content
    body = read("gzip, gzip", gzip.compress(nothing * 20), cap=100_000)
    assert body.truncated
    skipped = (b"\x50\x2a\x4d\x18" + (1000).to_bytes(4, "little") + bytes(1000)) * 2000
    assert read("zstd, gzip", gzip.compress(skipped), cap=100_000).truncated


def test_frames_without_content_end_after_a_limit():
    body = read("zstd", zstandard.compress(TEXT) + zstandard.compress(b"") * 20_000)
    assert bytes(body.content) == TEXT
    assert body.truncated


def test_codings_are_undone_in_reverse():
    wire = zstandard.compress(brotli.compress(gzip.compress(TEXT)))
    body = read("gzip, br, zstd", wire)
    assert bytes(body.content) == TEXT
    assert read(" gzip ,identity,, BR", brotli.compress(gzip.compress(TEXT))).content == TEXT


@pytest.mark.parametrize("coding", ["gzip, br, gzip, br, gzip", "gzip, gzip, gzip, gzip", ", ".join(["br"] * 1000)])
def test_more_than_three_codings_are_refused(coding):
    with pytest.raises(BadCoding, match="3 content codings"):
        Body(coding, MEGABYTE)


@pytest.mark.parametrize("coding", ["compress", "x-compress", "gzip, compress", "dcb"])
def test_a_coding_that_is_not_read_here_is_named(coding):
    with pytest.raises(BadCoding, match="not supported"):
        parse_codings(coding)


@pytest.mark.parametrize("coding", ["utf-8", "none", "text/html", "aws-chunked", "binary", "*"])
def test_a_word_that_is_not_a_coding_changes_nothing(coding):
    assert read(coding, TEXT).content == TEXT


PLAIN = [
    b"<!doctype html><html><body>Hello</body></html>" * 50,
    b'{"a": 1}',
    b"[]",
    b"x",
    b"hello world, no gzip here",
    "Ωμέγα".encode() * 2000,
    b"\xef\xbb\xbf<p>marked</p>",
    b"key: value\n" * 9,
]


@pytest.mark.parametrize("step", [1, 5, 1 << 16])
@pytest.mark.parametrize("plain", PLAIN)
@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_plain_text_under_a_false_coding_is_read_as_it_is(coding, plain, step):
    body = read(coding, plain, step=step)
    assert bytes(body.content) == plain
    assert not body.truncated


def test_a_false_coding_of_many_texts_is_seen_through():
    chosen = random.Random(11)
    for _ in range(400):
        text = bytes(chosen.choices(b'abcdefghij{}[]<>/=" \n\t:,.0123456789ABCDEFGH', k=chosen.randrange(1, 300)))
        for coding in ("gzip", "deflate", "br", "zstd"):
            for step in (1, 50, 1 << 16):
                assert bytes(read(coding, text, step=step).content) == text, (coding, text)


def test_a_picture_under_a_false_coding_is_read_as_it_is():
    picture = b"\x89PNG\r\n\x1a\n" + random.Random(3).randbytes(20_000)
    for coding in ("gzip", "br", "zstd"):
        assert bytes(read(coding, picture).content) == picture


def test_frames_of_a_zstd_follow_each_other_and_what_they_skip():
    skipped = b"\x50\x2a\x4d\x18" + (300).to_bytes(4, "little") + bytes(300)
    wire = zstandard.compress(b"one ") + skipped + wide_zstd(b"two", 20)
    for step in (1, 3, 1 << 16):
        assert read("zstd", wire, step=step).content == b"one two"
        assert not read("zstd", wire, step=step).truncated
        assert read("zstd", wire[:-1], step=step).truncated


def test_checksums_and_runs_are_followed():
    packer = zstandard.ZstdCompressor(write_checksum=True, write_content_size=False)
    wire = packer.compress(bytes(3_000_000) + TEXT)
    assert not read("zstd", wire, cap=4_000_000).truncated
    assert read("zstd", wire[:-4], cap=4_000_000).truncated


def test_members_of_a_gzip_follow_each_other():
    assert read("gzip", gzip.compress(b"one ") + gzip.compress(b"two ") + gzip.compress(b"three")).content == (
        b"one two three"
    )


@pytest.mark.parametrize("tail", [bytes(512), b"junk", b"\x1f", b"\r\n"])
@pytest.mark.parametrize("name", ["gzip", "deflate", "br"])
@pytest.mark.parametrize("step", [1, 1 << 16])
def test_what_stands_behind_the_end_is_left_out(name, tail, step):
    body = read(name, PACK[name](TEXT) + tail, step=step)
    assert bytes(body.content) == TEXT


@pytest.mark.parametrize("name", NAMES)
def test_a_body_cut_in_the_middle_gives_what_was_there(name):
    noise = random.Random(7).randbytes(200_000)
    wire = PACK[name](noise)
    body = read(coding_of(name), wire[: len(wire) // 2])
    assert 0 < len(body.content) < len(noise)
    assert noise.startswith(bytes(body.content))
    assert body.truncated


@pytest.mark.parametrize("name", NAMES)
def test_a_body_spoiled_in_the_middle_gives_what_was_there(name):
    noise = random.Random(7).randbytes(400_000)
    wire = bytearray(PACK[name](noise))
    middle = len(wire) // 2
    wire[middle : middle + 4000] = random.Random(8).randbytes(4000)
    body = read(coding_of(name), bytes(wire))
    assert len(body.content) > 50_000
    assert body.content[:50_000] == noise[:50_000]


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_a_stream_that_is_spoiled_from_the_start_is_reported(name):
    wire = PACK[name](TEXT)
    with pytest.raises(BadCoding, match="Content-Encoding"):
        read(name, wire[:4] + bytes([0xFF] * 40))


def test_a_window_too_large_is_refused():
    with pytest.raises(BadCoding):
        read("zstd", wide_zstd(TEXT * 10, 27))
    assert read("zstd", wide_zstd(TEXT * 10, 23)).content == TEXT * 10


def test_a_broken_connection_is_marked_whatever_the_coding():
    body = Body("", 100)
    body.write(b"half")
    body.end(complete=False)
    assert bytes(body.content) == b"half"
    assert body.truncated
