"""The structure that a reader of markdown sees (CommonMark with tables and strikethrough of GFM)."""

import re
from collections import defaultdict
from typing import Any

from infra.benchmarks.structure_pages.page import Table
from markdown_it import MarkdownIt
from markdown_it.token import Token

FORMULAS = (
    ("display", re.compile(r"\$\$(.+?)\$\$", re.DOTALL)),
    ("display", re.compile(r"(?<!\\)\\\[(.+?)(?<!\\)\\\]", re.DOTALL)),
    ("inline", re.compile(r"(?<![\\\d$])\$(?![\s$])([^$\n]+?)(?<![\s\\])\$(?!\d)")),
    ("inline", re.compile(r"(?<!\\)\\\((.+?)(?<!\\)\\\)")),
)
CODE = re.compile(r"^ *(`{3,}).*?^ *\1`* *$|(?<![\\`])(`+)(?!`).+?(?<!`)\2(?!`)", re.DOTALL | re.MULTILINE)
MARKS = {"strong_open": "strong", "em_open": "em", "s_open": "s"}


def squeeze(text: str) -> str:
    return " ".join(text.split())


def read_markdown(markdown: str) -> dict[str, list[Any]]:
    """Return the items of each class in the markdown, as the truth of a page lists them."""
    reader = _Reader()
    for token in MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown):
        reader.take(token)
    found = reader.found
    found["formulas"] = read_formulas(markdown)
    return found


def read_formulas(markdown: str) -> list[tuple[str, str]]:
    text = CODE.sub(" ", markdown)
    found = []
    for kind, pattern in FORMULAS:
        found += [(kind, normalise_tex(match)) for match in pattern.findall(text)]
        text = pattern.sub(" ", text)
    return found


def normalise_tex(tex: str) -> str:
    """Return TeX without insignificant space and braces around one letter or digit."""
    bare = re.sub(r"(\\[A-Za-z]+)\s+(?=[A-Za-z])", r"\1~", tex.strip())
    bare = re.sub(r"\s+", "", bare)
    if (style := re.fullmatch(r"\{\\displaystyle~?(.*)\}", bare)) is not None:
        bare = style[1]
    return re.sub(r"(?<=[_^])\{(\w)\}", r"\1", bare)


class _Reader:
    def __init__(self) -> None:
        self.found: dict[str, list[Any]] = defaultdict(list)
        self.lists: list[tuple[str, int]] = []
        self.items: list[list[str]] = []
        self.starts: list[int | None] = []
        self.quotes = 0
        self.heading = 0
        self.row: list[str] | None = None

    def take(self, token: Token) -> None:
        handler = getattr(self, f"_on_{token.type}", None)
        if handler is not None:
            handler(token)

    def _on_heading_open(self, token: Token) -> None:
        self.heading = int(token.tag[1])

    def _on_heading_close(self, _: Token) -> None:
        self.heading = 0

    def _on_blockquote_open(self, _: Token) -> None:
        self.quotes += 1

    def _on_blockquote_close(self, _: Token) -> None:
        self.quotes -= 1

    def _on_bullet_list_open(self, _: Token) -> None:
        self.lists.append(("ul", 0))

    def _on_ordered_list_open(self, token: Token) -> None:
        self.lists.append(("ol", int(token.attrs.get("start", 1))))

    def _on_bullet_list_close(self, _: Token) -> None:
        self.lists.pop()

    _on_ordered_list_close = _on_bullet_list_close

    def _on_list_item_open(self, _: Token) -> None:
        self.items.append([])
        tag, start = self.lists[-1]
        self.starts.append(start if tag == "ol" else None)
        self.lists[-1] = (tag, start + 1)
        self.found["items"].append(None)  # keeps the place, so that an item stands before the items in it
        self.items[-1].append(str(len(self.found["items"]) - 1))

    def _on_list_item_close(self, _: Token) -> None:
        place, *texts = self.items.pop()
        text, tag = squeeze(" ".join(texts)), self.lists[-1][0]
        self.found["items"][int(place)] = (len(self.lists), tag, text)
        number = self.starts.pop()
        if number is not None:
            self.found["starts"].append((number, text))

    def _on_fence(self, token: Token) -> None:
        lines = [line.rstrip() for line in token.content.strip("\n").split("\n")]
        self.found["code"].append((token.info.strip().lower(), "\n".join(lines)))

    _on_code_block = _on_fence

    def _on_table_open(self, _: Token) -> None:
        self.found["tables"].append(Table([], True))

    def _on_tr_open(self, _: Token) -> None:
        self.row = []

    def _on_tr_close(self, _: Token) -> None:
        table = self.found["tables"][-1]
        row, self.row = self.row or [], None
        if not table.rows and not any(row) and table.head:
            self.found["tables"][-1] = Table([], False)
        else:
            table.rows.append(row)

    def _on_inline(self, token: Token) -> None:
        lines = self._read_line(token.children or [])
        text = squeeze(" ".join(lines))
        if self.row is not None:
            self.row.append(text)
            self.found["lines"].append(text)
            return
        self.found["lines"] += [squeeze(line) for line in lines]
        if self.heading:
            self.found["headings"].append((self.heading, text))
        elif self.items:
            self.items[-1].append(text)
        if self.quotes:
            self.found["quotes"].append((self.quotes, text))

    def _read_line(self, tokens: list[Token]) -> list[str]:
        """Return the lines of inline content, and record its links, images and marks."""
        text = ""
        opened: list[tuple[str, str, int]] = []
        for token in tokens:
            if token.type in ("softbreak", "hardbreak"):
                text += "\n"
            elif token.type == "image":
                line = len(self.found["lines"]) + text.count("\n")
                self.found["images"].append((str(token.attrs.get("src", "")), squeeze(token.content), line))
            elif token.type == "code_inline":
                self.found["inline"].append(("code", squeeze(token.content)))
                text += token.content
            elif token.type == "link_open" or token.type in MARKS:
                opened.append((MARKS.get(token.type, "a"), str(token.attrs.get("href", "")), len(text)))
            elif token.type.endswith("_close") and opened:
                kind, target, start = opened.pop()
                self._record(kind, target, squeeze(text[start:]))
            else:
                text += token.content.replace("<br>", "\n")  # a line end in a table's cell
        return text.split("\n")

    def _record(self, kind: str, target: str, text: str) -> None:
        if kind == "a":
            self.found["links"] += [(text, target)] if text else []  # without text it is a picture's
        else:
            self.found["inline"].append((kind, text))
