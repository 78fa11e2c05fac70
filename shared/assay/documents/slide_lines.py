"""The paragraphs of a text on a slide as lines of markdown, with the marks and the numbers of lists."""

from dataclasses import dataclass, field

from assay.documents.paragraph_markdown import read_plain
from assay.text.code_fence import fence_code

NUMBER = "1."  # the mark of an item of a numbered list


@dataclass
class SlideLines:
    """Collects the lines of a text."""

    lines: list[str] = field(default_factory=list)
    letters_of_code: int = 0
    _code: list[str] = field(default_factory=list)  # the lines of code that are open
    _columns: list[int] = field(default_factory=list)  # where the text of the open items begins, by level
    _counts: dict[int, int] = field(default_factory=dict)

    def add(self, text: str, level: int, mark: str, first: int = 1) -> None:
        """Add a paragraph with its mark ("-", "1." or ""); `first` is the first number of its list."""
        self._end_code()
        self._counts = {depth: number for depth, number in self._counts.items() if depth < level + (mark == NUMBER)}
        if mark == NUMBER:
            self._counts[level] = self._counts[level] + 1 if level in self._counts else first
            mark = f"{self._counts[level]}."
        self._columns = self._columns[:level]
        indent = self._columns[-1] if self._columns and mark else 0
        mark = f"{mark} " if mark else ""
        self._columns += [indent] * (level - len(self._columns)) + [indent + len(mark)]
        self.lines.append(f"{' ' * indent}{mark}{text}")

    def add_code(self, marked: str) -> None:
        """Add a paragraph of code by its marked text; those that follow each other form one block."""
        text = read_plain(marked).rstrip()
        self.letters_of_code += len(text)
        self._code.append(text)

    def _end_code(self) -> None:
        if self._code:
            self.lines.append(fence_code("\n".join(self._code)))
            self._code = []

    def join(self) -> str:
        """Return the lines of the text."""
        self._end_code()
        return "\n".join(self.lines)
