"""Comments of reviewers in documents: what they say, who says it, and about which words."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.documents.office_emphasis import strip_foreign_marks
from assay.documents.paragraph_markdown import format_paragraph

MOST_COMMENTS, MOST_CHARS = 2_000, 500_000  # of a document
LONGEST_AUTHOR, LONGEST_WORDS = 100, 300  # characters


class Comment(NamedTuple):
    """A comment: `text` is its markdown; author and words are literal. `page` counts from 1, 0 if none is known."""

    text: str
    author: str = ""
    words: str = ""
    page: int = 0


def format_comments(comments: Iterable[Comment]) -> tuple[str, bool]:
    """Return a paragraph for each comment with text, within limits; also return whether they cut something."""
    texts = [_format_comment(comment) for comment in comments if comment.text.strip()]
    kept, chars = list[str](), 0
    for text in texts[:MOST_COMMENTS]:
        chars += len(text)
        if chars > MOST_CHARS:
            break
        kept.append(text)
    return "\n\n".join(kept), len(kept) < len(texts)


def _format_comment(comment: Comment) -> str:
    author, words = _shorten(comment.author, LONGEST_AUTHOR), _shorten(comment.words, LONGEST_WORDS)
    by = f" by {author}" if author else ""
    on = f" on “{words}”" if words else ""
    page = f" (page {comment.page})" if comment.page else ""
    return f"{format_paragraph(f'Comment{by}{on}{page}:')} {' '.join(comment.text.split())}"


def _shorten(text: str, chars: int) -> str:
    text = " ".join(strip_foreign_marks(text[: 4 * chars]).split())
    return text if len(text) <= chars else f"{text[:chars].rstrip()} …"


@dataclass
class CommentedWords:
    """Collects the words that comments are about while a text is read; the comments are in the order of the text."""

    words: dict[str, str] = field(default_factory=dict)  # by the name of the comment
    open: dict[str, None] = field(default_factory=dict)  # the comments whose words are being read

    def call(self, name: str) -> None:
        """Note that the text has a comment."""
        if len(self.words) <= MOST_COMMENTS:
            self.words.setdefault(name, "")

    def begin(self, name: str) -> None:
        """Begin the words of a comment."""
        self.call(name)
        if self.words.get(name) == "":
            self.open[name] = None

    def add(self, text: str) -> None:
        """Add text to the words of the open comments."""
        for name in tuple(self.open):
            self.words[name] += text
            if len(self.words[name]) > 2 * LONGEST_WORDS:
                self.end(name)

    def end(self, name: str) -> None:
        """End the words of a comment."""
        self.open.pop(name, None)
