"""The nesting and the markers of list items, also where a page nests lists otherwise than HTML intends."""

import re
from collections.abc import Container

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.element_roles import find_item_level
from assay.html.reader.headings import find_heading_level
from assay.html.reader.text_blocks import BlockPage, Frame, TextBlock
from assay.html.reader.typed_lists import NUMBER_LINE, is_numbered

STRUCTURE = frozenset(("li", "blockquote", "dd"))
LISTS = frozenset(("ul", "ol", "menu", "dir"))
NESTING = STRUCTURE | LISTS
MAX_NUMBER = 999_999_999  # of an item in markdown
MAX_ITEM_TEXTS = 3  # paragraphs of an item; more in one may be those of the page
MAX_DEPTH = 8  # nesting up to which lists and quotes are indented
LEVEL_CLASS = re.compile(r"(?:^|\s)ql-indent-([1-8])(?:\s|$)")  # of an editor that writes one list for all levels
# Of an online editor of documents, which writes the items of each level as a list: the list's name and its level.
LEVEL_OF_LIST = re.compile(r"(?:^|\s)lst-kix_([\w-]{1,60})-([0-8])(?:\s|$)")
ITEM_MARK = "ltx_tag_item"  # class of the bullet, number or label of an item in papers that LaTeXML converted
BULLETS = frozenset("•-–—*∗◦⋄▪·")
MAX_ITEM_LEVELS = 3  # elements around a text in which its item is looked for
TYPED_NUMBER = re.compile(r"\(?(?:(\d{1,9})|[a-z]{1,7})[.)]", re.IGNORECASE)


class ListNesting:
    """Finds the items around a block, as a browser shows them, from the items that were written before."""

    def __init__(self, page: BlockPage) -> None:
        self.blocks = page.blocks
        self.texts = page.frames[0].texts if page.frames else 0
        self.last_items: dict[tuple[int, int], Frame] = {}  # by `id()` of the list and level in it: the last item
        self.named_items: dict[tuple[str, int], Frame] = {}  # by the name of a list and level: the last item
        self.signs: dict[int, str] = {}  # by `id()` of the list: its bullet, or the sign after its numbers
        self.unnested: set[Frame] = set()  # frames without items, quotes and lists around them
        self.starts: dict[int, int] = {}  # by `id()` of the ordered list: the number of its first item
        self.flat: dict[int, bool] = {}  # by `id()` of the list: whether it holds the items of all levels
        self.counts: dict[int, list[int]] = {}  # by `id()` of such a list: the last number of each level
        self.numbered: dict[int, bool] = {}  # by `id()` of the list: whether the text of its items numbers them
        self.typed: dict[int, int] = {}  # by `id()` of the last typed item of a level: its number

    def find_chain(self, frame: Frame | None) -> list[Frame]:
        """Return the items and quotes around a frame, outermost first."""
        if frame is not None and frame.tag not in NESTING and frame.parent in self.unnested:
            return []
        chain: list[Frame] = []
        passed: list[Frame] = []  # since the last item, quote or list
        while frame is not None and frame not in self.unnested:
            if frame.tag not in NESTING:
                passed.append(frame)
                frame = frame.parent
                continue
            passed.clear()
            if frame.tag in LISTS:
                frame = self._find_outer(frame)
            elif (frame.tag == "dd" and self._is_caption(frame)) or (frame.tag == "li" and self._is_layout(frame)):
                frame = frame.parent
            else:
                owner = self._find_item_shown(frame)
                chain.append(owner)
                frame = self._find_outer(owner)
        self.unnested.update(passed)
        chain.reverse()
        return chain[:MAX_DEPTH]

    def add_item(self, item: Frame) -> None:
        """Record an item that is written, so that what follows can belong to it."""
        if item.parent is not None:
            self.last_items[id(item.parent), _find_level(item)] = item
            self.last_items.pop((id(item.parent), _find_level(item) + 1), None)
            name, level = _find_name(item.parent)
            if name:
                self.named_items[name, level] = item

    def _find_outer(self, frame: Frame) -> Frame | None:
        """Return the element around a frame; for a list directly within a list, the item before it."""
        parent = frame.parent
        if parent is None:
            return None
        if frame.tag == "li":
            level = _find_level(frame)
            return self.last_items.get((id(parent), level - 1), parent) if level else parent
        if frame.tag in LISTS:
            name, level = _find_name(frame)
            if level and (name, level - 1) in self.named_items:
                return self.named_items[name, level - 1]
            if parent.tag in LISTS:
                return self.last_items.get((id(parent), 0), parent)
        return parent

    def _is_caption(self, frame: Frame) -> bool:
        """Return whether a definition is the caption of the picture that is its term, as in a gallery."""
        if frame.parent is None or frame.parent.tag != "dl":
            return False
        term = self.blocks[frame.parent.first]
        return term.kind == "image" and term.frame.tag == "dt"

    def _is_layout(self, frame: Frame) -> bool:
        """Return whether an item is a column of the page: it has most of its paragraphs, and all those of its list."""
        if frame.texts <= MAX_ITEM_TEXTS or frame.texts * 2 <= self.texts:
            return False
        return frame.parent is not None and frame.parent.texts == frame.texts

    def _find_item_shown(self, frame: Frame) -> Frame:
        """Return the item itself, or the item before one that has nothing but an inner list."""
        if frame.tag != "li" or frame.parent is None or not frame.words:
            return frame
        inner: Frame | None = self.blocks[frame.first].frame
        while inner is not None and inner is not frame:
            if inner.tag == "li":
                return self.last_items.get((id(frame.parent), 0), frame)
            inner = inner.parent
        return frame

    def without_number(self, block: TextBlock, text: str) -> str:
        """Return the text of an item without the number that its marker repeats."""
        number = NUMBER_LINE.match(text)
        item = _find_item(block.frame) if number else None
        holder = _find_list(item) if item is not None and item.first == block.index else None
        if number and item is not None and holder is not None and self.is_numbered(item, holder):
            return text[number.end() :]
        return text

    def format_marker(self, item: Frame, outer: list[Frame], before: list[Frame]) -> str:
        """Return the bullet or number of an item in the items `outer`; `before` are those of the block before."""
        if item.marker:
            return self._format_typed(item, item.marker, before[len(outer)] if len(before) > len(outer) else None)
        holder = _find_list(item)
        if holder is None:
            return "- "
        if self._is_flat(holder):
            number = self._count_level(item, holder)
            return f"{number}. " if number else "- "
        if self.is_numbered(item, holder):
            label = NUMBER_LINE.match(self.blocks[item.first].text)
            if label:
                return f"{int(label[1])}{self._find_sign(holder, '.)', outer, before)} "
        elif holder.tag == "ol":
            return f"{self._find_number(item, holder)}{self._find_sign(holder, '.)', outer, before)} "
        return f"{self._find_sign(holder, '-*', outer, before)} "

    def is_numbered(self, item: Frame, holder: Frame) -> bool:
        """Return whether the text of the items of a list numbers them, as its first two that are written show."""
        found = self.numbered.get(id(holder))
        if found is None:
            after = self.blocks[item.last] if item.last < len(self.blocks) else None
            is_beside = after is not None and _is_in(after.frame, holder)
            first = self.blocks[item.first]
            texts = (first.text, after.text if after is not None and is_beside else "")
            found = self.numbered[id(holder)] = is_numbered(*texts) and not find_heading_level(first)
        return found

    def _format_typed(self, item: Frame, marker: str, sibling: Frame | None) -> str:
        """Return the marker of an item of a word processor; letters count from the item before."""
        found = TYPED_NUMBER.fullmatch(marker)
        if found is None:
            return "- "
        self.typed[id(item)] = number = int(found[1] or self.typed.get(id(sibling), 0) + 1)
        return f"{number}. "

    def _is_flat(self, holder: Frame) -> bool:
        """Return whether an editor wrote the items of all levels, and of all kinds, into one list."""
        if id(holder) not in self.flat:
            self.flat[id(holder)] = any(
                "data-list" in item.attributes or LEVEL_CLASS.search(item.attributes.get("class") or "")
                for item in holder.element
            )
        return self.flat[id(holder)]

    def _count_level(self, item: Frame, holder: Frame) -> int:
        """Return the number of an item of such a list among those of its level; 0 for one with a bullet."""
        level = _find_level(item)
        kind = item.element.get("data-list") or ("ordered" if holder.tag == "ol" else "")
        counts = self.counts.setdefault(id(holder), [])
        del counts[level + 1 :]
        counts += [0] * (level + 1 - len(counts))
        if kind != "ordered":
            return 0
        counts[level] += 1
        return counts[level]

    def _find_sign(self, holder: Frame, signs: str, outer: list[Frame], before: list[Frame]) -> str:
        """Return the sign of a list: the first one, or the second if a list directly before has the first.

        Markdown would continue that list otherwise, as it may with bullets where each item is a list of its own.
        """
        if id(holder) not in self.signs:
            sibling = before[len(outer)] if before[: len(outer)] == outer and len(before) > len(outer) else None
            list_before = _find_list(sibling) if sibling is not None and sibling.tag == "li" else None
            if list_before is not None and self._continues(holder, list_before):
                self.signs[id(holder)] = self.signs[id(list_before)]
                return self.signs[id(holder)]
            follows = list_before is not None and self.signs.get(id(list_before)) == signs[0]
            if list_before is not None and holder.tag != "ol":
                follows = follows and min(list_before.items, holder.items) > 1
            self.signs[id(holder)] = signs[1] if follows else signs[0]
        return self.signs[id(holder)]

    def _continues(self, holder: Frame, before: Frame) -> bool:
        """Return whether an ordered list counts on from the one directly before it, as if both were one."""
        start, start_before = self.starts.get(id(holder)), self.starts.get(id(before))
        return start is not None and start_before is not None and start == start_before + before.items

    def _find_number(self, item: Frame, holder: Frame) -> int:
        """Return the number of an item: from its `value`, that of an item before it, or the start of the list."""
        step = -1 if holder.element.get("reversed") is not None else 1
        place = max(item.place - 1, 0) * step
        value = _read_number(item.element, "value")
        if value is not None:
            self.starts[id(holder)] = value - place
        elif id(holder) not in self.starts:
            start = _read_number(holder.element, "start")
            self.starts[id(holder)] = start if start is not None else holder.items if step < 0 else 1
        return min(max(0, self.starts[id(holder)] + place), MAX_NUMBER)


def find_item_label(frame: Frame, begun: Container[int]) -> str:
    """Return the mark of the item that a text begins, with a space, if it is neither a bullet nor a number.

    `begun` has the `id()` of the items that have begun already.
    """
    holder: Frame | None = frame
    for _ in range(MAX_ITEM_LEVELS):
        if holder is None or holder.tag == "li":
            break
        holder = holder.parent
    if holder is None or id(holder) in begun or not holder.marker or holder.element.tag != "li":
        return ""
    is_plain = holder.marker in BULLETS or TYPED_NUMBER.fullmatch(holder.marker) is not None
    return "" if is_plain else f"{holder.marker} "


def _read_number(element: HtmlElement, name: str) -> int | None:
    value = element.get(name) or ""
    return int(value[:9]) if value.isascii() and value.isdigit() else None


def _find_list(item: Frame) -> Frame | None:
    """Return the list that the item is in; None if another item is nearer."""
    holder = item.parent
    while holder is not None and holder.tag not in LISTS and holder.tag != "li":
        holder = holder.parent
    return holder if holder is not None and holder.tag in LISTS else None


def _find_item(frame: Frame | None) -> Frame | None:
    while frame is not None and frame.tag not in STRUCTURE:
        frame = frame.parent
    return frame if frame is not None and frame.tag == "li" else None


def _is_in(frame: Frame | None, holder: Frame) -> bool:
    """Return whether the frame is in an item of the list, or in an item within it."""
    while frame is not None and frame is not holder:
        frame = frame.parent
    return frame is holder


def _find_name(holder: Frame) -> tuple[str, int]:
    """Return the name and the level that the class of a list gives; "" and 0 without."""
    names = holder.element.get("class")
    found = LEVEL_OF_LIST.search(names) if names and "lst-kix" in names else None
    return (found[1], int(found[2])) if found else ("", 0)


def _find_level(item: Frame) -> int:
    if item.marker is not None:
        return max(find_item_level(item.element) - 1, 0)
    names = item.element.get("class")
    found = LEVEL_CLASS.search(names) if names else None
    return int(found[1]) if found else 0
