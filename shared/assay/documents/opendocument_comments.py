"""Comments in OpenDocument texts (ODF 1.3 part 3 section 14.1): elements at their places or around words."""

from collections.abc import Callable
from dataclasses import dataclass, field

from assay.documents.document_comments import Comment, CommentedWords
from assay.documents.ooxml import find_child
from assay.text.safe_xml import Element, get_attribute


@dataclass
class OpenDocumentComments:
    """The comments of the text so far, in its order."""

    commented: CommentedWords = field(default_factory=CommentedWords)
    _elements: dict[str, Element] = field(default_factory=dict)

    def note(self, part: Element, name: str) -> None:
        """Note where a comment stands and where the words begin or end that it is about, if `part` says so."""
        own_name = get_attribute(part, "name")
        if name == "annotation-end":
            self.commented.end(own_name)
        elif name == "annotation":
            key = own_name or f" {len(self._elements)}"
            self._elements.setdefault(key, part)
            self.commented.begin(key)
            if not own_name:
                self.commented.end(key)

    def read(self, read_text: Callable[[Element, int], str]) -> list[Comment]:
        """Return the comments. One whose words do not end is about none."""
        about = self.commented.words | dict.fromkeys(self.commented.open, "")
        self.commented.open.clear()
        return [
            Comment(read_text(self._elements[name], 1), read_author(self._elements[name]), words)
            for name, words in about.items()
        ]


def read_author(comment: Element) -> str:
    """Return the name of who wrote a comment; "" if it has none."""
    author = find_child(comment, "creator")
    return "" if author is None else author.text or ""
