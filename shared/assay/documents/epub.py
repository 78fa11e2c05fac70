"""EPUB books: the chapters of the spine, each read as the page it is."""

import posixpath
from urllib.parse import unquote

from assay.documents.document import NAMES, TEXT_CHARS, Document, cut
from assay.documents.ooxml import child
from assay.documents.safe_xml import Element, local, root_of
from assay.documents.safe_zip import OfficeArchive
from assay.errors import InvalidInput, UpstreamFailed

CONTAINER, ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
FONTS = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")  # obfuscate fonts, not text
PAGES = ("application/xhtml+xml", "text/html")
CHAPTERS = 2_000


def prepare() -> None:
    from assay.html.parser import html_tree  # noqa: F401
    from assay.html.reader import main_content, markdown_renderer  # noqa: F401
    from assay.text import decode  # noqa: F401


def parse(body: bytes, kind: str) -> Document:
    """The book's text in reading order, without what its pages hide."""
    what = NAMES[kind]
    archive = OfficeArchive(body, what)
    _refuse_locked(archive, what)
    place, package = _package(archive, what)
    told = _properties(child(package, "metadata"))
    chapters = _chapters(package, posixpath.dirname(place))
    texts: list[str] = []
    for name in chapters[:CHAPTERS]:
        if sum(map(len, texts)) > TEXT_CHARS:
            break
        texts.append(_read_chapter(archive.read(name)))
    markdown, was_cut = cut("\n\n".join(text for text in texts if text))
    return Document(
        kind, markdown, told.get("title", ""), told.get("creator", ""), told.get("date", ""),
        truncated=was_cut or len(texts) < len(chapters),
    )  # fmt: skip


def _refuse_locked(archive: OfficeArchive, what: str) -> None:
    locked = archive.read(ENCRYPTION)
    methods = locked.count(b"EncryptionMethod Algorithm") + locked.count(b"EncryptionMethod  Algorithm")
    if locked and methods > sum(locked.count(font) for font in FONTS):
        raise InvalidInput(f"The {what} is protected (DRM) and cannot be read without its key.")


def _package(archive: OfficeArchive, what: str) -> tuple[str, Element]:
    """The name and root of the package document."""
    container = archive.read(CONTAINER)
    root = root_of(container, f"{what}'s container") if container.strip() else None
    found = None if root is None else next(root.iter("{*}rootfile"), None)
    place = "" if found is None else found.get("full-path", "")
    if place not in archive:
        raise UpstreamFailed(f"The {what} does not say where its text is.")
    return place, root_of(archive.read(place), f"{what}'s package document")


def _properties(metadata: Element) -> dict[str, str]:
    """The first title, creator and date."""
    told: dict[str, str] = {}
    for item in () if metadata is None else metadata:
        if local(item):
            told.setdefault(local(item), " ".join((item.text or "").split()))
    return told


def _chapters(package: Element, folder: str) -> list[str]:
    """The names of the parts in reading order, those left out that are not part of it (`linear="no"`)."""
    manifest, spine = child(package, "manifest"), child(package, "spine")
    items = {
        item.get("id"): posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
        for item in (() if manifest is None else manifest)
        if item.get("media-type") in PAGES
    }
    found = (items.get(item.get("idref")) for item in (() if spine is None else spine) if item.get("linear") != "no")
    return [name for name in found if name]


def _read_chapter(body: bytes) -> str:
    from assay.html.parser.html_tree import parse as parse_page
    from assay.html.reader.main_content import collect_blocks
    from assay.html.reader.markdown_renderer import Renderer
    from assay.text.decode import decode

    page = collect_blocks(parse_page(decode(body, "utf-8")))
    return Renderer(page, "").render(page.blocks).strip()
