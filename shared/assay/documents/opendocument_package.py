"""The parts of an OpenDocument file (ODF 1.3 part 2): content, styles and properties."""

from assay.documents.document import ENCRYPTED, NAMES
from assay.documents.ooxml import find_child
from assay.documents.safe_zip import OfficeArchive
from assay.errors import InvalidInput, UpstreamFailed
from assay.text.safe_xml import Element, local_name, parse_xml

CONTENT, MANIFEST = "content.xml", "META-INF/manifest.xml"


def open_archive(body: bytes, kind: str) -> OfficeArchive:
    """Open the file. Raises InvalidInput if it is encrypted, UpstreamFailed if it has no content."""
    archive = OfficeArchive(body, NAMES[kind])
    if b"encryption-data" in archive.read(MANIFEST):
        raise InvalidInput(ENCRYPTED.format(NAMES[kind]))
    if not archive.read(CONTENT).strip():
        raise UpstreamFailed(f"The {NAMES[kind]} lacks its main part, {CONTENT}.")
    return archive


def parse_root(archive: OfficeArchive, name: str, kind: str) -> Element:
    """The root element of a part; None if there is none."""
    part = archive.read(name)
    return parse_xml(part, f"{NAMES[kind]}'s {name}") if part.strip() else None


def read_properties(archive: OfficeArchive, kind: str) -> dict[str, str]:
    """The properties that the file declares, such as `title`, `creator` and `creation-date`."""
    root = parse_root(archive, "meta.xml", kind)
    meta = None if root is None else find_child(root, "meta")
    return (
        {}
        if meta is None
        else {local_name(item): " ".join((item.text or "").split()) for item in meta if local_name(item)}
    )
