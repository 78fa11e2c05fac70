"""Inline content as markdown (CommonMark): text, emphasis, links, code and formulas."""

import re
from collections.abc import Sequence
from functools import cached_property

from assay.html.reader.alternative_texts import is_meaningful, list_words, names_file, repeats_words
from assay.html.reader.emphasis import DEL, EM, MOVABLE_SIGNS, STRONG, Run, mark_emphasis, split_text
from assay.html.reader.link_resolver import LinkResolver
from assay.html.reader.markdown_escapes import (
    MANY,
    SPECIAL,
    break_markup,
    collapse_spaces,
    escape_brackets,
    escape_joint,
    escape_markdown,
    escape_signs,
    escape_unpaired_brackets,
    format_code,
    is_simple,
)
from assay.html.reader.math_formulas import iter_formulas
from assay.html.reader.text_blocks import BREAK, TextBlock, Token
from assay.text.sanitize import sanitise
from assay.text.superscripts import mark_superscript

SPACES = re.compile(r" {2,}")
AROUND_BREAK = re.compile(r" *\n[ \n]*")
STYLES = {"strong": STRONG, "em": EM, "del": DEL, "sub": 0}
CONTAINERS = frozenset(("a", "code", "sup"))  # whose content is rendered by itself
KEPT_ROLES = frozenset(("caption", "link"))  # of images that count whatever their alternative text is
MAX_ICONS = 50  # icons of a block that are compared with its text
LOOKBACK = 8  # characters before a superscript that are examined


class InlineRenderer:
    """Renders the tokens of one block."""

    def __init__(
        self,
        targets: LinkResolver,
        beside: Sequence[TextBlock],
        *,
        line_end: str = "\n",
        plain: bool = False,
        has_tex: bool = False,
    ) -> None:
        self.targets = targets
        self.beside = beside  # the block and its neighbours, whose texts an image may repeat
        self.has_tex = has_tex  # whether the text may contain TeX between delimiters
        self.line_end = line_end  # what a line break becomes
        self.plain = plain  # no emphasis, in headings and table heads
        self.runs: list[Run] = []  # of the innermost link, superscript or code that is open; none is empty
        self.styles = 0
        # Kind and target of what is open, and the runs, styles and number of links before it.
        self.open: list[tuple[str, str, list[Run], int, int]] = []
        self.in_code = 0
        self.links = 0
        self.icons = 0  # so far
        self.icon: Run | None = None  # one that was left out, in the link that is open
        self.has_gap = False  # whether an icon was left out before the next text
        self.has_styles = False  # whether a part of the block has one
        self.tokens: list[Token] = []  # of the block

    def render(self, tokens: list[Token]) -> str:
        self.tokens = tokens
        texts: list[str] = []
        for token in tokens:
            if isinstance(token, str):
                texts.append(token)
                continue
            if texts:
                self._text(texts[0] if len(texts) == 1 else "".join(texts))
                texts.clear()
            self._mark(token)
        if texts:
            self._text("".join(texts))
        while self.open:
            self._close()
        text = self._format(self.runs)
        if "  " in text:
            text = SPACES.sub(" ", text)
        if "\n" in text:
            text = AROUND_BREAK.sub(self.line_end, text.strip())
        return text.strip()

    def _text(self, text: str) -> None:
        if is_simple(text):
            self._add_text(collapse_spaces(text))
            return
        text = collapse_spaces(sanitise(text))
        if self.in_code:
            self.runs += [(text, 0)] if text else ()
            return
        for part, is_display in iter_formulas(text) if self.has_tex else ((text, None),):
            if is_display is None:
                self._add_text(escape_signs(part, *self._counts) if SPECIAL.search(part) else part)
            else:
                self._formula(part, "$$" if is_display else "$")

    @cached_property
    def _counts(self) -> tuple[int, int]:
        """The numbers of stars and low lines in the block; MANY stars if they could pair with markers of emphasis."""
        texts = [token for token in self.tokens if isinstance(token, str)]
        marks = [token for token in self.tokens if not isinstance(token, str)]
        stars = sum([text.count("*") for text in texts])
        if stars and any(len(mark) > 1 and mark[1] in STYLES for mark in marks):
            stars = MANY
        return stars, sum([text.count("_") for text in texts])

    def _add_text(self, text: str) -> None:
        """Add a text without anything to escape, or in which it is escaped."""
        if not text:
            return
        runs = self.runs
        if runs:
            last = runs[-1][0]
            if (self.has_gap and last[-1].isalnum() and text[0].isalnum()) or (
                last[0] in "![" and text[0].isalnum() and last.startswith(("![", "[!["))
            ):
                runs.append((" ", self.styles))
            else:
                last, text = escape_joint(last, text)
                runs[-1] = last, runs[-1][1]
        self.has_gap = False
        if self.styles:
            runs += split_text(text, self.styles)
        else:
            runs.append((text, 0))

    def _formula(self, tex: str, fence: str) -> None:
        tex = break_markup(collapse_spaces(sanitise(tex)))
        self.runs.append((f"{fence}{tex}{fence}", self.styles))

    def _mark(self, token: tuple[str, ...]) -> None:
        kind = token[0]
        if kind == "open":
            self._open(token[1], token[2] if len(token) > 2 else "")
        elif kind == "close":
            self._close()
        elif kind == "br":
            is_space = self.in_code or self.line_end == " "
            self.runs.append((" " if is_space else "\n", 0 if self.in_code else self.styles))
        elif kind == "img":
            self._image(token[1], token[2], token[3] if len(token) > 3 else "")
        elif kind == "math":
            self._formula(token[1], "$$" if token[2] else "$")
        elif kind == "check":
            self.runs.append((f"[{token[1]}] ", self.styles))

    def _image(self, alt: str, source: str, role: str) -> None:
        """Add an image, or the link to what the page embeds."""
        if role != "link" and names_file(alt, source):
            alt = ""
        target = self.targets.absolute(source) if source and (role in KEPT_ROLES or is_meaningful(alt)) else ""
        is_repeated = alt != "" and any(block.text == alt for block in self.beside)
        is_double = role == "icon" and self._is_beside_words(alt, is_repeated=is_repeated)
        if is_repeated:
            alt = ""
        if self.in_code or not target.startswith("http"):
            return
        words = escape_brackets(escape_markdown(alt))
        if role == "link":
            self.runs += [(" ", 0), (f"[{words}]({target})" if words else f"<{target}>", 0), (" ", 0)]
            self.links += 1
            return
        if is_double:
            self.icon, self.has_gap = (f"![{words}]({target})", self.styles), True
            return
        last = self.runs[-1][0] if self.runs else ""
        if last[-1:].isalnum() or last.startswith("!["):
            self.runs.append((" ", self.styles))
        self.runs.append((f"![{words}]({target})", self.styles))

    def _is_beside_words(self, alt: str, *, is_repeated: bool) -> bool:
        """Return whether an icon's alternative text is directly before or after it, or repeats a block beside it."""
        self.icons += 1
        return self.icons <= MAX_ICONS and (is_repeated or repeats_words(alt, *self._around_icons[self.icons - 1]))

    @cached_property
    def _around_icons(self) -> list[tuple[str, str]]:
        """The words before and after each icon of the block, up to the next image or formula."""
        texts: list[list[str]] = [[]]
        icons: list[int] = []
        for token in self.tokens:
            if isinstance(token, str) or token == BREAK:
                texts[-1].append(token if isinstance(token, str) else " ")
            elif token[0] not in ("open", "close"):
                icons += [len(texts)] if token[0] == "img" and token[3:] == ("icon",) else []
                texts.append([])
        words = [list_words("".join(text)) for text in texts]
        return [(words[place - 1], words[place]) for place in icons]

    def _open(self, kind: str, target: str) -> None:
        self.open.append((kind, target, self.runs, self.styles, self.links))
        if kind in STYLES:
            self.styles |= 0 if self.plain or self.in_code else STYLES[kind]
            self.has_styles = self.has_styles or self.styles > 0
        elif kind in CONTAINERS:
            self.runs, self.styles, self.icon = [], 0, None
            self.in_code += kind == "code"

    def _close(self) -> None:
        if not self.open:
            return
        kind, target, runs, self.styles, links = self.open.pop()
        if kind not in CONTAINERS:
            return
        inner, self.runs = self.runs, runs
        if kind == "code":
            self.in_code -= 1
        if self.in_code:
            self.runs += inner
        elif kind == "code":
            self._add_code("".join(text for text, _ in inner))
        elif kind == "a":
            if self.icon and not any(text.strip() for text, _ in inner):
                inner = [self.icon]  # the link has no words
            self._link(inner, target if links == self.links else "")  # a link holds no other link
        else:
            self._superscript(inner)

    def _add_code(self, text: str) -> None:
        code = format_code(text)
        bare = code.strip()
        if not bare:
            self.runs += [(code, self.styles)] if code else ()
            return
        last = self.runs[-1][0] if self.runs else ""
        lead, tail = code[: len(code) - len(code.lstrip())], code[len(code.rstrip()) :]
        if last.endswith("`") and not lead:  # markdown would read both as one
            self.runs.append((" ", self.styles))
        self.runs += [(part, self.styles) for part in (lead, bare, tail) if part]

    def _superscript(self, inner: list[Run]) -> None:
        """Mark a superscript that would change what stands before; markers of emphasis are no part of either."""
        content = "".join(text for text, _ in inner)
        before = "".join(text for text, _ in self.runs[-LOOKBACK:])[-LOOKBACK:]
        opening, closing = mark_superscript(before, content)
        if opening:
            space = content[len(content.rstrip()) :]
            text = self._format(inner).strip()
            inner = [(f"{opening}{text}{closing}", 0), *([(space, 0)] if space else ())]
        self._insert(inner)

    def _insert(self, inner: list[Run]) -> None:
        """Add the runs of an element that is not marked itself."""
        for text, styles in inner:
            self.runs += split_text(text, styles | self.styles) if self.styles else [(text, styles)]

    def _link(self, inner: list[Run], href: str) -> None:
        content = self._format([(text, styles & ~self.styles) for text, styles in inner] if self.styles else inner)
        bare = content.strip()
        if "\n" in bare or "  " in bare:
            bare = AROUND_BREAK.sub("\n", SPACES.sub(" ", bare))
        target = self.targets.absolute(href) if href and bare and bare not in MOVABLE_SIGNS else ""
        if not target:
            self._insert(inner)
            return
        bare = escape_unpaired_brackets(bare)
        if self.runs and self.runs[-1][0].endswith("!"):
            last, styles = self.runs[-1]
            self.runs[-1] = (f"{last[:-1]}\\!", styles)
        spaces = [(" ", self.styles)]
        if content[0].isspace():
            self.runs += spaces
        self.runs.append((f"[{bare}]({target})", self.styles))
        if content[-1].isspace():
            self.runs += spaces
        self.links += 1

    def _format(self, runs: list[Run]) -> str:
        """Return the markdown of the runs, line by line."""
        if not self.has_styles:
            return runs[0][0] if len(runs) == 1 else "".join([text for text, _ in runs])
        lines: list[list[Run]] = [[]]
        for run in runs:
            if run[0] == "\n":
                lines.append([])
            else:
                lines[-1].append(run)
        return "\n".join(map(mark_emphasis, lines))
