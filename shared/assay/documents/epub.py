"""Parser for EPUB books (EPUB 3 Open Container Format and package document): converts the spine's chapters."""

import posixpath
from urllib.parse import unquote

from assay.documents import html_markdown
from assay.documents.document import NAMES, TEXT_CHARS, Document, truncate_text
from assay.documents.epub_styles import BookStyles
from assay.documents.html_markdown import render_html
from assay.documents.ooxml import find_child
from assay.documents.safe_zip import OfficeArchive
from assay.errors import InvalidInput, UpstreamFailed
from assay.text.safe_xml import Element, local_name, parse_xml

CONTAINER, ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
FONTS = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")  # font obfuscation, not DRM
PAGES = ("application/xhtml+xml", "text/html")
CHAPTERS = 2_000


def prepare() -> None:
    """Import what `parse` needs, before the sandbox forbids opening files."""
    from assay.text import decode  # noqa: F401

    html_markdown.prepare()


def parse(body: bytes, kind: str) -> Document:
    """Convert the book to Markdown in reading order, without hidden text.

    Raises InvalidInput for DRM or a decompression bomb, UpstreamFailed for a damaged file.
    """
    from assay.text.decode import decode

    what = NAMES[kind]
    archive = OfficeArchive(body, what)
    _refuse_drm(archive, what)
    place, package = _read_package(archive, what)
    metadata = _read_properties(find_child(package, "metadata"))
    chapters = _list_chapters(package, posixpath.dirname(place))
    styles = BookStyles(archive)
    texts: list[str] = []
    lacks_text = False
    for name in chapters[:CHAPTERS]:
        if sum(map(len, texts)) > TEXT_CHARS:
            break
        text, is_cut = render_html(styles.embed(decode(archive.read(name), "utf-8"), name))
        texts.append(text)
        lacks_text = lacks_text or is_cut
    markdown, was_cut = truncate_text("\n\n".join(text for text in texts if text))
    return Document(
        kind, markdown, metadata.get("title", ""), metadata.get("creator", ""), metadata.get("date", ""),
        truncated=was_cut or lacks_text or len(texts) < len(chapters),
    )  # fmt: skip


def _refuse_drm(archive: OfficeArchive, what: str) -> None:
    locked = archive.read(ENCRYPTION)
    methods = locked.count(b"EncryptionMethod Algorithm") + locked.count(b"EncryptionMethod  Algorithm")
    if locked and methods > sum(locked.count(font) for font in FONTS):
        raise InvalidInput(f"The {what} is protected (DRM) and cannot be read without its key.")


def _read_package(archive: OfficeArchive, what: str) -> tuple[str, Element]:
    """The name and the root element of the package document, from `META-INF/container.xml`."""
    container = archive.read(CONTAINER)
    root = parse_xml(container, f"{what}'s container") if container.strip() else None
    found = None if root is None else next(root.iter("{*}rootfile"), None)
    place = "" if found is None else found.get("full-path", "")
    if place not in archive:
        raise UpstreamFailed(f"The {what} does not name a package document in {CONTAINER}.")
    return place, parse_xml(archive.read(place), f"{what}'s package document")


def _read_properties(metadata: Element) -> dict[str, str]:
    """The first value of each metadata element, by local name."""
    properties: dict[str, str] = {}
    for item in () if metadata is None else metadata:
        if local_name(item):
            properties.setdefault(local_name(item), " ".join((item.text or "").split()))
    return properties


def _list_chapters(package: Element, folder: str) -> list[str]:
    """The file names of the spine's items in reading order, without auxiliary ones (`linear="no"`)."""
    manifest, spine = find_child(package, "manifest"), find_child(package, "spine")
    items = {
        item.get("id"): posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
        for item in (() if manifest is None else manifest)
        if item.get("media-type") in PAGES
    }
    found = (items.get(item.get("idref")) for item in (() if spine is None else spine) if item.get("linear") != "no")
    return [name for name in found if name]
