"""Reads an archive of a LaTeX project: its main file with what that inputs, and the bibliography beside it."""

import io
import posixpath
import re
import tarfile
import zlib
from collections.abc import Mapping
from typing import NamedTuple

from assay.documents.safe_zip import OfficeArchive
from assay.errors import InvalidInput, UpstreamFailed
from assay.text.decode import decode

GZIP, ZIP, TAR = b"\x1f\x8b\x08", b"PK\x03\x04", b"ustar"
SUFFIXES = (".tex", ".ltx", ".bib", ".bbl")
MAX_FILES = 2_000  # members of an archive
MAX_TEXT = 30_000_000  # bytes of the files that are read
MAX_ARCHIVE = 100_000_000  # bytes of an unpacked tar archive
MAX_INPUTS = 500
INPUT = re.compile(r"^([^%\n]*?)\\(?:input|include|subfile)\s{0,5}\{([^{}\n]{1,200})\}", re.MULTILINE)
DOCUMENT = re.compile(rb"^[^%\n]*\\documentclass\b", re.MULTILINE)
BEGIN = re.compile(rb"^[^%\n]*\\begin\{document\}", re.MULTILINE)


class LatexProject(NamedTuple):
    """The text of a project, with the files it inputs, and its bibliography as BibTeX, or "" for none."""

    text: str
    bibliography: str


def is_project(body: bytes) -> bool:
    """Whether the body is an archive that may hold a LaTeX project."""
    return body.startswith(GZIP) or body[257:262] == TAR or (body.startswith(ZIP) and b".tex" in body)


def read_project(body: bytes) -> LatexProject:
    """Unpack a `.zip`, `.tar` or `.tar.gz` in memory. Raises InvalidInput if it has no LaTeX or exceeds a limit."""
    files = _read_zip(body) if body.startswith(ZIP) else _read_tar(body)
    mains = [name for name, content in files.items() if DOCUMENT.search(content) and BEGIN.search(content)]
    mains = mains or [name for name in files if name.endswith((".tex", ".ltx"))]
    if not mains:
        raise InvalidInput("The archive has no LaTeX file (.tex).")
    main = min(
        mains,
        key=lambda name: (name.count("/"), posixpath.basename(name) not in ("main.tex", "ms.tex", "paper.tex"), name),
    )
    text = _insert_inputs(main, files)
    bibliography = "\n".join(decode(content) for name, content in files.items() if name.endswith(".bib"))
    if not bibliography and "\\bibitem" not in text:
        lists = [content for name, content in files.items() if name.endswith(".bbl")]
        text = (
            text.replace("\\end{document}", "\n".join(map(decode, lists)) + "\n\\end{document}", 1) if lists else text
        )
    return LatexProject(text, bibliography)


def _insert_inputs(main: str, files: Mapping[str, bytes]) -> str:
    """Return the main file with the files that it inputs, each once and not those that these input."""
    folder, used = posixpath.dirname(main), {main}

    def insert(found: re.Match[str]) -> str:
        name = posixpath.normpath(posixpath.join(folder, found[2].strip()))
        name = name if name in files else f"{name}.tex"
        if name not in files or name in used or len(used) > MAX_INPUTS:
            return found[0]
        used.add(name)
        return f"{found[1]}\n{decode(files[name])}\n"

    text = decode(files[main])
    for _ in range(3):  # levels of inputs
        text = INPUT.sub(insert, text)
    return text


def _read_zip(body: bytes) -> dict[str, bytes]:
    archive = OfficeArchive(body, "archive")
    return _limit({name: archive.read(name) for name in archive.names() if name.lower().endswith(SUFFIXES)})


def _read_tar(body: bytes) -> dict[str, bytes]:
    if body.startswith(GZIP):
        body = _inflate(body)
    files: dict[str, bytes] = {}
    size = 0
    try:
        with tarfile.open(fileobj=io.BytesIO(body), mode="r:") as archive:
            for count, member in enumerate(archive):
                if count >= MAX_FILES:
                    raise InvalidInput(f"The archive has more than {MAX_FILES:,} files.")
                if not member.isfile() or not member.name.lower().endswith(SUFFIXES):
                    continue
                size += member.size
                content = archive.extractfile(member) if size <= MAX_TEXT else None
                if content is not None:
                    files[posixpath.normpath(member.name)] = content.read(MAX_TEXT)
    except (tarfile.TarError, ValueError, OverflowError, EOFError) as failure:
        if body[:1] in (b"\\", b"%"):
            return {"main.tex": body}  # arXiv packs a single file without tar
        raise UpstreamFailed("The archive is damaged: it is not a tar archive.") from failure
    return _limit(files)


def _inflate(body: bytes) -> bytes:
    unpacker = zlib.decompressobj(wbits=31)
    try:
        content = unpacker.decompress(body, MAX_ARCHIVE)
    except zlib.error as failure:
        raise UpstreamFailed("The archive is damaged: it cannot be unpacked.") from failure
    if unpacker.unconsumed_tail:
        raise InvalidInput(
            f"The archive unpacks to more than {MAX_ARCHIVE:,} bytes, which is refused as a decompression bomb."
        )
    return content


def _limit(files: dict[str, bytes]) -> dict[str, bytes]:
    if sum(map(len, files.values())) > MAX_TEXT:
        raise InvalidInput(f"The LaTeX files of the archive have more than {MAX_TEXT:,} bytes.")
    return files
