"""Comments on the cells of Excel sheets: notes (ECMA-376 part 1 section 18.7) and threads (MS-XLSX section 2.1.32)."""

from collections.abc import Callable, Iterator

from assay.documents.document_comments import Comment
from assay.documents.office_emphasis import strip_foreign_marks
from assay.documents.ooxml import Package, find_child, list_children
from assay.documents.paragraph_markdown import format_paragraph
from assay.documents.xlsx_text import read_rich_text
from assay.text.safe_xml import get_attribute, local_name

THREAD_AUTHOR = "tc="  # of the note that stands for a thread in programs that do not know threads

type IsShown = Callable[[str], bool]  # whether the cell with a reference such as B4 is shown


class XlsxComments:
    """Reads the comments of the sheets of a workbook."""

    def __init__(self, package: Package, persons: str) -> None:
        self._package = package
        root = package.root(persons) if persons else None
        self._persons = {
            get_attribute(person, "id"): get_attribute(person, "displayName")
            for person in (() if root is None else root)
            if local_name(person) == "person"
        }

    def read(self, part: str, sheet: str, is_shown: IsShown) -> Iterator[Comment]:
        """Yield the comments on the shown cells of a sheet, which is that part of the file."""
        parts = {relation.kind: relation.target for relation in self._package.relations(part).values()}
        threads = list(self._list_threads(parts.get("threadedComment", "")))
        for reference, author, text in [*self._list_notes(parts.get("comments", ""), bool(threads)), *threads]:
            if is_shown(reference):
                yield build_comment(sheet, reference, author, text)

    def _list_notes(self, part: str, has_threads: bool) -> Iterator[tuple[str, str, str]]:
        """Yield the cell, the author and the text of each note."""
        root = self._package.root(part) if part else None
        if root is None:
            return
        authors = [author.text or "" for author in list_children(find_child(root, "authors"))]
        for note in list_children(find_child(root, "commentList")):
            number = get_attribute(note, "authorId")
            author = authors[int(number)] if number.isdecimal() and int(number[:9]) < len(authors) else ""
            if not (has_threads and author.startswith(THREAD_AUTHOR)):
                text = find_child(note, "text")
                yield get_attribute(note, "ref"), author, "" if text is None else read_rich_text(text)

    def _list_threads(self, part: str) -> Iterator[tuple[str, str, str]]:
        root = self._package.root(part) if part else None
        for comment in list_children(root):
            author = self._persons.get(get_attribute(comment, "personId"), "")
            text = find_child(comment, "text")
            yield get_attribute(comment, "ref"), author, "" if text is None else text.text or ""


def build_comment(sheet: str, reference: str, author: str, text: str) -> Comment:
    """Return a comment on a cell, without the name of the author that Excel writes before the text."""
    said = strip_foreign_marks(text).strip().removeprefix(f"{author}:" if author else "")
    return Comment(format_paragraph(" ".join(said.split())), author, f"{sheet}!{reference}")
