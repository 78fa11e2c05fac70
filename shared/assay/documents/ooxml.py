"""Open Packaging Conventions (ECMA-376 part 2) of Office files: parts, relationships, core properties."""

import posixpath
import re
from dataclasses import dataclass
from urllib.parse import quote

from assay.documents.document import NAMES
from assay.documents.file_types import OLE
from assay.documents.safe_zip import OfficeArchive
from assay.errors import InvalidInput, UpstreamFailed
from assay.text.safe_xml import Element, local_name, parse_xml
from assay.text.user_info import remove_url_user_info

UNSAFE = re.compile(r"[\s()<>\\\"`|\[\]\x00-\x1f\x7f]")
PART = re.compile(
    r"(?:word|ppt|docProps)/(?:slides/|notesSlides/)?(?:_rels/)?"
    r"(?:document|styles|numbering|footnotes|endnotes|presentation|core|app|(?:notesS|s)lide\d{1,5})\.xml(?:\.rels)?"
)


@dataclass(frozen=True)
class Relation:
    """A relationship from one part to another, or to an external URL."""

    kind: str  # the last segment of the relationship type: "slide", "hyperlink", …
    target: str  # a part's name, or a URL if `outside`
    outside: bool


class Package:
    """An Office file as parts and relationships. Raises InvalidInput for an encrypted or old binary file."""

    def __init__(self, body: bytes, kind: str) -> None:
        self.what = NAMES[kind]
        if body.startswith(OLE):
            raise InvalidInput(
                f"The {self.what} is encrypted or in the old binary format. Send a copy without a password, in the "
                "current format."
            )
        self.archive = OfficeArchive(body, self.what)
        self._relations: dict[str, dict[str, Relation]] = {}

    def root(self, name: str) -> Element:
        """The root element of a part; None if there is no such part. Raises UpstreamFailed if it is not well-formed."""
        part = self.archive.read(name)
        # The error names standard parts only: a name chosen by the file could inject text into the message.
        return parse_xml(part, f"{self.what}'s {name if PART.fullmatch(name) else 'part'}") if part.strip() else None

    def relations(self, name: str) -> dict[str, Relation]:
        """The relationships of a part by id."""
        if name not in self._relations:
            self._relations[name] = self._read_relations(name)
        return self._relations[name]

    def _read_relations(self, name: str) -> dict[str, Relation]:
        folder, _, base = name.rpartition("/")
        root = self.root(f"{folder}/_rels/{base}.rels" if folder else f"_rels/{base}.rels")
        return (
            {}
            if root is None
            else {item.get("Id", ""): _read_relation(item, folder) for item in root if local_name(item)}
        )

    def main(self, default: str) -> str:
        """The name of the main part, from the package relationships; `default` if they do not name it."""
        for relation in self.relations("").values():
            if relation.kind == "officeDocument" and relation.target in self.archive:
                return relation.target
        if default not in self.archive:
            raise UpstreamFailed(f"The {self.what} lacks its main part, {default}.")
        return default

    def properties(self) -> dict[str, str]:
        """The core properties that the file declares, such as `title`, `creator` and `created`."""
        root = self.root("docProps/core.xml")
        return (
            {}
            if root is None
            else {local_name(item): " ".join((item.text or "").split()) for item in root if local_name(item)}
        )


def _read_relation(item: Element, folder: str) -> Relation:
    target, outside = item.get("Target", ""), item.get("TargetMode") == "External"
    if not outside:
        target = posixpath.normpath(posixpath.join("/" + folder, target)).lstrip("/")
    return Relation(item.get("Type", "").rpartition("/")[2], target, outside)


def find_child(element: Element, *path: str) -> Element:
    """Follow a path of local names through first matching children; None if one is missing."""
    for name in path:
        element = next((inner for inner in element if local_name(inner) == name), None)
        if element is None:
            return None
    return element


def list_children(element: Element, name: str = "") -> list[Element]:
    """The elements in an element, with a local name if one is given; [] for None."""
    children = () if element is None else element
    return [child for child in children if (found := local_name(child)) and found == (name or found)]


def format_link_target(relation: Relation | None, place: str = "") -> str:
    """The target of an external http(s) or mailto link to a place in a page, escaped for Markdown; "" for any other."""
    if relation is None or not relation.outside:
        return ""
    return escape_target(f"{relation.target}#{place}" if place else relation.target)


def escape_target(address: str) -> str:
    """Return an http(s) or mailto address without user name and password, escaped for Markdown; "" for any other."""
    if not address.lower().startswith(("http://", "https://", "mailto:")):
        return ""
    return UNSAFE.sub(lambda match: quote(match.group()), remove_url_user_info(address))
