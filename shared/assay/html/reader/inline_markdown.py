"""Inline content as markdown (CommonMark): text, emphasis, links, code and formulas."""

import re
from collections.abc import Callable, Iterator
from functools import cached_property

from assay.html.reader.alternative_texts import (
    is_meaningful,
    is_title,
    list_words,
    names_file,
    repeats_words,
    says_alternative,
)
from assay.html.reader.emphasis import DEL, EM, MOVABLE_SIGNS, STRONG, Run, mark_emphasis, split_text
from assay.html.reader.link_resolver import LinkResolver, take_begun_link
from assay.html.reader.markdown_escapes import (
    LONGEST_ENTITY,
    MANY,
    SIMPLE,
    SPECIAL,
    break_markup,
    collapse_spaces,
    escape_brackets,
    escape_joint,
    escape_markdown,
    escape_signs,
    escape_unpaired_brackets,
    format_code,
)
from assay.html.reader.math_formulas import iter_formulas
from assay.html.reader.text_blocks import BREAK, Mark, TextBlock, Token
from assay.text.sanitize import sanitise
from assay.text.superscripts import mark_superscript

SPACES = re.compile(r" {2,}")
AROUND_BREAK = re.compile(r" *\n[ \n]*")
STYLES = {"strong": STRONG, "em": EM, "del": DEL, "sub": 0}
STYLE_MARKS = frozenset(("open", kind) for kind, style in STYLES.items() if style)
KEPT_ROLES = frozenset(("caption", "link"))  # of images that count whatever their alternative text is
IMAGES = ("![", "[![")  # the beginnings of an image, and of one that links
MAX_ICONS = 50  # icons of a block that are compared with its text
LOOKBACK = 8  # characters before a superscript that are examined


class InlineRenderer:
    """Renders the tokens of one block."""

    def __init__(
        self,
        targets: LinkResolver,
        list_beside: Callable[[TextBlock], list[TextBlock]],
        block: TextBlock,
        *,
        line_end: str = "\n",
        plain: bool = False,
        has_tex: bool = False,
    ) -> None:
        self.targets = targets
        self.list_beside = list_beside  # returns the block and its neighbours, whose texts an image may repeat
        self.block = block
        self.has_tex = has_tex  # whether the text may contain TeX between delimiters
        self.line_end = line_end  # what a line break becomes
        self.plain = plain  # no emphasis, in headings and table heads
        self.runs: list[Run] = []  # of the innermost link, superscript or code that is open; none is empty
        self.styles = 0  # of the text that is read
        self.in_code = 0
        self.links = 0
        self.icon: Run | None = None  # one that was left out, in the link that is open
        self.has_gap = False  # whether an icon was left out before the next text

    def render(self, tokens: list[Token]) -> str:
        """Return the markdown of the tokens, which are those of the block, or those of them that are written."""
        self.tokens = tokens
        self.rest = iter(tokens)  # those that are not read yet
        self.has_styles = not (self.plain or STYLE_MARKS.isdisjoint(tokens))
        while self._read():
            pass  # a mark closed nothing
        text = self._format(self.runs)
        if "  " in text:
            text = SPACES.sub(" ", text)
        if "\n" in text:
            text = AROUND_BREAK.sub(self.line_end, text.strip())
        return text.strip()

    def _read(self) -> bool:
        """Read the tokens up to the mark that closes what is open; return whether there is one."""
        text = ""
        for token in self.rest:
            if isinstance(token, str):
                text += token
                continue
            if text:
                self._text(text)
                text = ""
            kind = token[0]
            if kind == "open":
                self._open(token)
            elif kind == "close":
                return True
            else:
                self._add_mark(token)
        if text:
            self._text(text)
        return False

    def _text(self, text: str) -> None:
        if SIMPLE.fullmatch(text):
            self._add_text(collapse_spaces(text))
            return
        text = collapse_spaces(sanitise(text))
        if not text:
            return
        if self.in_code:
            self.runs.append((text, 0))
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
        runs = self.runs
        if runs and text[0] != " ":
            last, first = runs[-1][0], text[0]
            if first.isalnum() and ((self.has_gap and last[-1].isalnum()) or last.startswith(IMAGES)):
                runs.append((" ", self.styles))
            elif first in "(~" or "&" in last[-LONGEST_ENTITY:]:
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

    def _add_mark(self, token: Mark) -> None:
        """Add what stands by itself."""
        kind = token[0]
        if kind == "br":
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
        repeats = is_title if role == "link" else says_alternative  # a link needs its title
        is_repeated = alt != "" and any(repeats(block, alt) for block in self.list_beside(self.block))
        around = next(self._around_icons, None) if role == "icon" else None
        is_double = around is not None and (is_repeated or repeats_words(alt, *around))
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

    @cached_property
    def _around_icons(self) -> Iterator[tuple[str, str]]:
        """The words before and after the first icons of the block, up to the next image or formula."""
        texts: list[list[str]] = [[]]
        icons: list[int] = []
        for token in self.tokens:
            if isinstance(token, str) or token == BREAK:
                texts[-1].append(token if isinstance(token, str) else " ")
            elif token[0] not in ("open", "close"):
                icons += [len(texts)] if token[0] == "img" and token[3:] == ("icon",) else []
                texts.append([])
        words = [list_words("".join(text)) for text in texts]
        return iter([(words[place - 1], words[place]) for place in icons[:MAX_ICONS]])

    def _open(self, mark: Mark) -> None:
        """Read what is between the mark and the one that closes it."""
        kind = mark[1]
        if kind == "a":
            self._link(mark[2])
        elif kind == "code":
            self._code()
        elif kind == "sup":
            self._superscript()
        else:
            styles = self.styles
            if not (self.plain or self.in_code):
                self.styles |= STYLES[kind]
            self._read()
            self.styles = styles

    def _read_inside(self) -> list[Run]:
        """Return the runs of a link, superscript or code, which is rendered by itself."""
        runs, styles = self.runs, self.styles
        self.runs, self.styles, self.icon = [], 0, None
        self._read()
        inner, self.runs, self.styles = self.runs, runs, styles
        return inner

    def _code(self) -> None:
        self.in_code += 1
        inner = self._read_inside()
        self.in_code -= 1
        if self.in_code:
            self.runs += inner
            return
        code = format_code("".join([text for text, _ in inner]))
        bare = code.strip()
        if not bare:
            self.runs += [(code, self.styles)] if code else ()
            return
        last = self.runs[-1][0] if self.runs else ""
        lead, tail = code[: len(code) - len(code.lstrip())], code[len(code.rstrip()) :]
        if last.endswith("`") and not lead:  # markdown would read both as one
            self.runs.append((" ", self.styles))
        self.runs += [(part, self.styles) for part in (lead, bare, tail) if part]

    def _superscript(self) -> None:
        """Mark a superscript that would change what stands before; markers of emphasis are no part of either."""
        inner = self._read_inside()
        if self.in_code:
            self.runs += inner
            return
        content = "".join([text for text, _ in inner])
        before = "".join([text for text, _ in self.runs[-LOOKBACK:]])[-LOOKBACK:]
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

    def _link(self, href: str) -> None:
        links = self.links
        inner = self._read_inside()
        if self.in_code:
            self.runs += inner
            return
        if self.icon and not any(text.strip() for text, _ in inner):
            inner = [self.icon]  # the link has no words
        around = self.styles
        content = self._format([(text, styles & ~around) for text, styles in inner] if around else inner)
        bare = content.strip()
        if "\n" in bare or "  " in bare:
            bare = AROUND_BREAK.sub("\n", SPACES.sub(" ", bare))
        is_link = href and links == self.links and bare and bare not in MOVABLE_SIGNS  # a link holds no other link
        target = self.targets.absolute(href) if is_link else ""
        if not target:
            self._insert(inner)
            return
        runs = self.runs
        sign = runs[-1][0][-1] if runs else ""
        if sign == "!":
            last, styles = runs[-1]
            runs[-1] = (f"{last[:-1]}\\!", styles)
        if content[0].isspace():
            runs.append((" ", around))
        begun = take_begun_link(runs, target, around) if sign == ")" and bare[0].isalnum() else ""
        runs.append((f"{begun or '['}{escape_unpaired_brackets(bare)}]({target})", around))
        if content[-1].isspace():
            runs.append((" ", around))
        self.links += not begun

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
