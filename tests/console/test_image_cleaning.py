"""Images of others reach a browser as pixels alone: no position, comment, further frame or hidden file goes along."""

import io
import random
import re
import struct
import zlib

import pytest
from PIL import Image, PngImagePlugin

from assay.entrypoints.console.image_cleaning import MOST_PARTS, PNG, RefusedImage, clean_image

SECRET = b"51.5007N 0.1246W"
FORMATS = {"PNG": "image/png", "JPEG": "image/jpeg", "GIF": "image/gif", "WEBP": "image/webp"}


def draw(mode="RGB", size=(17, 11), seed=1):
    pixels = random.Random(seed)
    image = Image.new("RGBA", size)
    image.putdata([tuple(pixels.randrange(256) for _ in range(4)) for _ in range(size[0] * size[1])])
    return image.convert(mode)


def build_exif(orientation=None):
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()  # description
    exif.get_ifd(0x8825)[1] = "N"  # GPS
    if orientation:
        exif[0x0112] = orientation
    return exif


def save(image, kind, **options):
    file = io.BytesIO()
    image.save(file, kind, **options)
    return file.getvalue()


def read(body):
    image = Image.open(io.BytesIO(body))
    image.load()
    return image


def save_with_secrets(kind, mode, **options):
    """An image with everything that its format can carry beside pixels, and a file behind its end."""
    more = {"exif": build_exif()} if kind != "GIF" else {}
    if kind == "PNG":
        more["pnginfo"] = PngImagePlugin.PngInfo()
        more["pnginfo"].add_text("Comment", SECRET.decode())
        more["pnginfo"].add_itxt("XML:com.adobe.xmp", SECRET.decode())
    elif kind == "WEBP":
        more["xmp"] = SECRET
    else:
        more["comment"] = SECRET
    if kind in ("PNG", "JPEG", "WEBP"):
        more["icc_profile"] = SECRET * 20
    return save(draw(mode), kind, **more, **options) + b"PK\3\4" + SECRET


@pytest.mark.parametrize(
    ("kind", "mode", "options"),
    [
        ("PNG", "RGB", {}),
        ("PNG", "RGBA", {}),
        ("PNG", "P", {"transparency": 3}),
        ("PNG", "1", {}),
        ("JPEG", "RGB", {}),
        ("JPEG", "L", {"progressive": True}),
        ("JPEG", "CMYK", {"progressive": True, "quality": 100}),
        ("GIF", "P", {"transparency": 3}),
        ("WEBP", "RGB", {"quality": 50}),
        ("WEBP", "RGBA", {"quality": 50}),
        ("WEBP", "RGBA", {"lossless": True}),
    ],
)
def test_an_image_keeps_its_pixels_and_nothing_else(kind, mode, options):
    body = save_with_secrets(kind, mode, **options)
    assert SECRET in body
    cleaned = clean_image(body)
    assert cleaned.media_type == FORMATS[kind]
    for part in (SECRET, b"PK", b"GPS", b"XML", b"ICC", b"eXIf", b"Exif", b"EXIF"):
        assert part not in cleaned.body
    before, after = read(body), read(cleaned.body)
    assert after.convert("RGBA").tobytes() == before.convert("RGBA").tobytes()
    assert clean_image(cleaned.body).body == cleaned.body


@pytest.mark.parametrize("orientation", range(1, 9))
def test_a_photograph_stays_upright(orientation):
    cleaned = clean_image(save(draw(), "JPEG", exif=build_exif(orientation))).body
    assert SECRET not in cleaned
    assert dict(read(cleaned).getexif()) == ({0x0112: orientation} if orientation > 1 else {})


@pytest.mark.parametrize("kind", ["GIF", "PNG", "WEBP"])
def test_an_animation_becomes_its_first_frame(kind):
    frames = [draw("RGB", seed=number) for number in range(5)]
    lossless = {"lossless": True} if kind == "WEBP" else {}
    body = save(frames[0], kind, save_all=True, append_images=frames[1:], duration=20, loop=0, **lossless)
    assert read(body).n_frames == 5
    cleaned = clean_image(body).body
    assert getattr(read(cleaned), "n_frames", 1) == 1
    assert read(cleaned).convert("RGB").tobytes() == read(body).convert("RGB").tobytes()


def build_png(width, height):
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(99))), (b"IEND", b""))
    return PNG + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )


def resize(kind, width, height):
    """An image that says that it is this large."""
    if kind == "PNG":
        return build_png(width, height)
    body = bytearray(save(draw(), kind, **({"lossless": True} if kind == "WEBP" else {})))
    if kind == "GIF":
        body[6:10] = struct.pack("<HH", width, height)
    elif kind == "JPEG":
        at = re.search(rb"\xff[\xc0-\xc2]", body).start()
        body[at + 5 : at + 9] = struct.pack(">HH", height, width)
    else:
        at = body.index(b"VP8L") + 9
        body[at : at + 4] = struct.pack("<I", (width - 1 & 0x3FFF) | (height - 1 & 0x3FFF) << 14)
    return bytes(body)


@pytest.mark.parametrize("kind", FORMATS)
def test_an_image_that_would_fill_the_memory_of_a_browser_is_refused_by_what_it_declares(kind):
    assert clean_image(resize(kind, 5_000, 8_000))
    for width, height in ((16_000, 16_000), (16_384, 2_442)) + (((0, 9), (9, 65_535)) if kind != "WEBP" else ()):
        with pytest.raises(RefusedImage, match="pixels"):
            clean_image(resize(kind, width, height))


@pytest.mark.parametrize("kind", FORMATS)
def test_damaged_images_are_refused_or_rebuilt_and_never_fail_otherwise(kind):
    body, chance = save_with_secrets(kind, "RGB" if kind != "GIF" else "P"), random.Random(7)
    for number in range(len(body)):
        damaged = bytearray(body[: chance.randrange(len(body))] if number % 2 else body)
        for _ in range(chance.randrange(4)):
            damaged[chance.randrange(len(damaged) or 1) : 1] = b""
            if damaged:
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        try:
            cleaned = clean_image(bytes(damaged)).body
        except RefusedImage:
            continue
        assert len(cleaned) <= len(damaged) + 64


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"%PDF-1.7",
        b"RIFF\x04\0\0\0WAVE",
        b"RIFF\x04\0\0\0WEBP",
        b"\0\0\0 ftypavif",
        b"\xff\xd8\xff",
        b"\xff\xd8" + b"\xff" * 100_000,
        b"\xff\xd8\xff\xfe\0\2" + b"\xff\xfe\0\2" * MOST_PARTS,
        b"GIF89a\1\0\1\0\0\0\0" + b"!\xfe\0" * (MOST_PARTS + 1),
        b"GIF89a\1\0\1\0\0\0\0;",
        PNG + b"\0\0\0\0tEXt\0\0\0\0" * (MOST_PARTS + 1),
        PNG + b"\0\0\0\0IEND\0\0\0\0",
        save(draw(), "BMP"),
        save(draw(), "TIFF"),
        save(draw(), "AVIF"),
        save(draw(), "ICO"),
    ],
    ids=lambda body: repr(body[:12]),
)
def test_what_is_no_image_is_refused(body):
    with pytest.raises(RefusedImage):
        clean_image(body)
