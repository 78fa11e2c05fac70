"""What Word and PowerPoint files share: parts, relations between them, properties, equations."""

import posixpath
import re
from dataclasses import dataclass
from urllib.parse import quote

from assay.documents.document import NAMES
from assay.documents.file_types import OLE
from assay.documents.safe_xml import Element, local, root_of
from assay.documents.safe_zip import OfficeArchive
from assay.errors import InvalidInput, UpstreamFailed

UNSAFE = re.compile(r"[\s()<>\\\"`|\[\]\x00-\x1f\x7f]")
PART = re.compile(
    r"(?:word|ppt|docProps)/(?:slides/|notesSlides/)?(?:_rels/)?"
    r"(?:document|styles|numbering|footnotes|endnotes|presentation|core|app|(?:notesS|s)lide\d{1,5})\.xml(?:\.rels)?"
)


@dataclass(frozen=True)
class Relation:
    kind: str  # the last word of its type: "slide", "hyperlink", …
    target: str  # a part's name, or an address when outside
    outside: bool


class Package:
    """An Office file as parts and relations."""

    def __init__(self, body: bytes, kind: str) -> None:
        self.what = NAMES[kind]
        if body.startswith(OLE):
            raise InvalidInput(
                f"The {self.what} is encrypted or of the old binary format: a password or a new copy is needed."
            )
        self.archive = OfficeArchive(body, self.what)
        self._relations: dict[str, dict[str, Relation]] = {}

    def root(self, name: str) -> Element:
        """The root element of a part, None where there is no such part."""
        part = self.archive.read(name)
        # A name of the file's own making is none of the reader's business: it could be a sentence.
        return root_of(part, f"{self.what}'s {name if PART.fullmatch(name) else 'part'}") if part.strip() else None

    def relations(self, name: str) -> dict[str, Relation]:
        """The relations of a part by id."""
        if name not in self._relations:
            self._relations[name] = self._read_relations(name)
        return self._relations[name]

    def _read_relations(self, name: str) -> dict[str, Relation]:
        folder, _, base = name.rpartition("/")
        root = self.root(f"{folder}/_rels/{base}.rels" if folder else f"_rels/{base}.rels")
        return {} if root is None else {item.get("Id", ""): _relation(item, folder) for item in root if local(item)}

    def main(self, default: str) -> str:
        """The name of the main part: as the package relates it, or by custom."""
        for relation in self.relations("").values():
            if relation.kind == "officeDocument" and relation.target in self.archive:
                return relation.target
        if default not in self.archive:
            raise UpstreamFailed(f"The {self.what} lacks its main part, {default}.")
        return default

    def properties(self) -> dict[str, str]:
        """`title`, `creator`, `created` as the file declares them, where it does."""
        root = self.root("docProps/core.xml")
        return (
            {} if root is None else {local(item): " ".join((item.text or "").split()) for item in root if local(item)}
        )


def _relation(item: Element, folder: str) -> Relation:
    target, outside = item.get("Target", ""), item.get("TargetMode") == "External"
    if not outside:
        target = posixpath.normpath(posixpath.join("/" + folder, target)).lstrip("/")
    return Relation(item.get("Type", "").rpartition("/")[2], target, outside)


def child(element: Element, *path: str) -> Element:
    """The first child of a child … by local names, None where there is none."""
    for name in path:
        element = next((inner for inner in element if local(inner) == name), None)
        if element is None:
            return None
    return element


def address(relation: Relation | None) -> str:
    """A link's address as markdown may carry it, "" unless it is one that may be followed."""
    if relation is None or not relation.outside or not relation.target.startswith(("http://", "https://", "mailto:")):
        return ""
    return UNSAFE.sub(lambda found: quote(found.group()), relation.target)
