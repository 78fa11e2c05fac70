"""Lines of markdown in their places: with the marks of quotations and items, and empty lines where these need them."""

import re

from assay.html.reader.list_nesting import LISTS, STRUCTURE, ListNesting
from assay.html.reader.task_lists import BOXES, find_box
from assay.html.reader.text_blocks import Frame

NUMBER_AT_END = re.compile(r"(\d+)[.)] \Z")
MAX_TERM_LEVELS = 3  # elements around the text of a term in which the term is looked for


class MarkdownLines:
    """The lines that are written so far."""

    def __init__(self, nesting: ListNesting) -> None:
        self.nesting = nesting
        self.lines: list[str] = []
        self.begun: dict[int, str] = {}  # by `id()` of list items already begun: the indent of their next lines
        self.last_chain: list[Frame] = []  # the quotations and items around what was written last
        self.last_frame: Frame | None = None  # of the block that was written last

    def join(self) -> str:
        return "\n".join(self.lines).strip("\n")

    def write(self, lines: list[str], frame: Frame) -> None:
        """Append the lines with the quote markers, indents and list markers of their position."""
        if not lines:
            return
        chain = self.nesting.find_chain(frame)
        if not chain:
            self.last_chain, self.last_frame = chain, frame
            if self.lines:
                self.lines.append("")
            self.lines += [line.rstrip() for line in lines]
            return
        first, rest, opened = self._prefixes(chain)
        if self.lines and not (opened and self._is_tight(chain) and not self._would_continue_text(first, chain)):
            self.lines.append(_common_prefix(self.last_chain, chain, self.begun).rstrip())
        if opened and not lines[0].startswith(BOXES):
            first += find_box(chain[-1].element)
        self.last_chain, self.last_frame = chain, frame
        self.lines.append((first + lines[0]).rstrip() if not first.strip() else first + lines[0])
        self.lines += [(rest + line).rstrip() for line in lines[1:]]

    def _prefixes(self, chain: list[Frame]) -> tuple[str, str, bool]:
        first = rest = ""
        opened = False
        innermost = next((frame for frame in reversed(chain) if frame.tag == "li"), None)
        for place, frame in enumerate(chain):
            if frame.tag == "blockquote":
                first, rest = first + "> ", rest + "> "
            elif id(frame) in self.begun:
                first, rest = first + self.begun[id(frame)], rest + self.begun[id(frame)]
            elif frame is innermost or (frame.tag == "dd" and self._has_term(frame)):
                marker = ": " if frame.tag == "dd" else self._begin_item(frame, chain[:place])
                self.begun[id(frame)] = indent = " " * len(marker)
                first, rest, opened = first + marker, rest + indent, True
        return first, rest, opened

    def _has_term(self, definition: Frame) -> bool:
        """Return whether a term, or another definition of the same list that has one, was written before."""
        return _is_in_term(self.last_frame) or any(
            one.tag == "dd" and one.parent is definition.parent and id(one) in self.begun for one in self.last_chain
        )

    def _begin_item(self, item: Frame, outer: list[Frame]) -> str:
        self.nesting.add_item(item)
        return self.nesting.format_marker(item, outer, self.last_chain)

    def _is_tight(self, chain: list[Frame]) -> bool:
        """Return whether an item directly follows another item of the same, an outer or an inner list."""
        if self._follows_sibling(chain):
            return True
        before = [frame for frame in self.last_chain if frame.tag != "blockquote"]
        if not before:
            return self._follows_term(chain)
        quotes = [frame for frame in chain if frame.tag == "blockquote"]
        if quotes != [frame for frame in self.last_chain if frame.tag == "blockquote"]:
            return False
        lists = {id(frame) for frame in before}
        for frame in before:
            around = frame.parent
            while around is not None and around.tag not in STRUCTURE:
                lists.add(id(around))
                around = around.parent if around.tag in LISTS else None
        return any(_hangs_in(frame, lists) for frame in chain)

    def _follows_sibling(self, chain: list[Frame]) -> bool:
        """Return whether an item directly follows one that is beside it in the same list."""
        if not self.last_chain or self.last_chain[:-1] != chain[:-1]:
            return False
        last, item = self.last_chain[-1], chain[-1]
        in_list = item.parent is not None and item.parent.tag in LISTS
        return in_list and last.parent is item.parent and last.tag == item.tag == "li"

    def _would_continue_text(self, first: str, chain: list[Frame]) -> bool:
        """Return whether markdown would read a number as text: a list that begins with another than 1 (5.3)."""
        number = NUMBER_AT_END.search(first)
        if number is None or number[1] == "1":
            return False
        return all(frame.parent is not chain[-1].parent for frame in self.last_chain)

    def _follows_term(self, chain: list[Frame]) -> bool:
        return chain[-1].tag == "dd" and _is_in_term(self.last_frame)


def _is_in_term(frame: Frame | None) -> bool:
    """Return whether the frame is a term of a list of definitions, or in one, and no heading."""
    for _ in range(MAX_TERM_LEVELS):
        if frame is None or frame.heading:
            return False
        if frame.tag == "dt":
            return True
        frame = frame.parent
    return False


def _hangs_in(frame: Frame, lists: set[int]) -> bool:
    parent = frame.parent
    while parent is not None and parent.tag not in STRUCTURE:
        if id(parent) in lists:
            return True
        parent = parent.parent
    return parent is not None and id(parent) in lists


def _common_prefix(before: list[Frame], after: list[Frame], begun: dict[int, str]) -> str:
    """Return the prefix that keeps an empty line between two blocks inside their common quotes and items."""
    prefix = ""
    for one, other in zip(before, after, strict=False):
        if one is not other:
            break
        prefix += "> " if one.tag == "blockquote" else begun.get(id(one), "")
    return prefix
