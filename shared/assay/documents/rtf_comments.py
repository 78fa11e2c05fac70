"""Comments in RTF files (RTF Specification 1.9.1, section on comments): who wrote them, and about which words."""

from collections.abc import Sequence

from assay.documents.document_comments import Comment, CommentedWords

AUTHOR, NAME, START, END = COMMENT_FACTS = ("comment author", "comment name", "comment start", "comment end")


class RtfComments:
    """The comments so far. `facts` are the texts that the reader collects by what they are."""

    def __init__(self, facts: dict[str, list[str]]) -> None:
        self.commented = CommentedWords()
        self._facts = facts
        self._found: list[tuple[str, str]] = []  # the author of each comment, and the name by which its words are found

    def end_fact(self, fact: str) -> None:
        """Handle the end of a text that is about comments; the name of a comment stands within it."""
        if fact == AUTHOR:
            return
        name = "".join(self._facts[fact]).strip()
        self._facts[fact].clear()
        if fact == START:
            self.commented.begin(name)
        elif fact == END:
            self.commented.end(name)
        elif self._found:
            self._found[-1] = self._found[-1][0], name

    def begin(self) -> None:
        """Begin a comment, of which the author stands before it."""
        self._found.append(("".join(self._facts[AUTHOR]), ""))
        self._facts[AUTHOR].clear()

    def list(self, texts: Sequence[str]) -> list[Comment]:
        """Return the comments with these texts. One whose words do not end is about none."""
        about = self.commented.words | dict.fromkeys(self.commented.open, "")
        return [
            Comment(text, author, about.get(name, "")) for (author, name), text in zip(self._found, texts, strict=True)
        ]
