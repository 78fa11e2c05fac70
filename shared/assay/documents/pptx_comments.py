"""Comments on slides: older ones (ECMA-376 part 1 section 19.4), and threads with replies (MS-PPTX section 2.6.5)."""

from collections.abc import Iterable, Iterator

from assay.documents.document_comments import Comment
from assay.documents.ooxml import Package, Relation, find_child, list_children
from assay.documents.paragraph_markdown import format_paragraph
from assay.text.safe_xml import Element, get_attribute, local_name

AUTHORS = {"commentAuthors", "authors"}  # the lists of authors of older comments, and of threads


class PptxComments:
    """Reads the comments on the slides of a presentation."""

    def __init__(self, package: Package, main: str) -> None:
        self._package = package
        self._authors = {
            get_attribute(author, "id"): get_attribute(author, "name")
            for part in _list_parts(package.relations(main).values(), AUTHORS)
            for author in list_children(package.root(part))
        }

    def read(self, relations: Iterable[Relation], title: str, place: int) -> Iterator[Comment]:
        """Yield the comments on a slide with this title and number, each before its replies."""
        for part in _list_parts(relations, {"comments"}):
            for comment in list_children(self._package.root(part)):
                for each in (comment, *list_children(find_child(comment, "replyLst"))):
                    author = self._authors.get(get_attribute(each, "authorId"), "")
                    text = " ".join(_read_text(each).split())
                    yield Comment(format_paragraph(text), author, title, place)


def _read_text(comment: Element) -> str:
    """The text of a comment, which in a thread has paragraphs."""
    text = find_child(comment, "text")
    if text is not None:
        return text.text or ""
    paragraphs = (part for part in list_children(find_child(comment, "txBody")) if local_name(part) == "p")
    return "\n".join("".join(_read_words(paragraph)) for paragraph in paragraphs)


def _read_words(paragraph: Element) -> Iterator[str]:
    for part in paragraph:
        words = find_child(part, "t")
        yield " " if local_name(part) == "br" else "" if words is None else words.text or ""


def _list_parts(relations: Iterable[Relation], kinds: set[str]) -> list[str]:
    return [relation.target for relation in relations if relation.kind in kinds and not relation.outside]
