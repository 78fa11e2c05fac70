"""Inline content as markdown (CommonMark): text, emphasis, links, code and formulas."""

import re
from html.entities import html5
from urllib.parse import quote

from assay.html.reader.math_formulas import iter_formulas
from assay.html.reader.protected_addresses import PROTECTED_LINK, decode_address
from assay.html.reader.text_blocks import Token
from assay.text.sanitize import sanitise
from assay.text.superscripts import mark_superscript
from assay.text.url_parts import join_url, split_url
from assay.text.word_lists import parse_words

SPACES = re.compile(r" {2,}")
AROUND_BREAK = re.compile(r" *\n[ \n]*")
SPECIAL = re.compile(r"[\\`*_\[\]<&~]")
MARKUP_BYTES = b"\\`*_[]<&~(\x7f" + bytes({*range(32)} - {*b"\t\n"})
ESCAPED = re.compile(
    r"\\(?=[!-/:-@\[-`{-~]|\Z)|`|\*|(?<![^\W_])_+|_+(?![^\W_])|\](?=\()|<(?=[A-Za-z/!?]|\Z)"
    r"|&(?=#\w{1,8};|(\w{1,31};))|~(?=~)"
)
BRACKETS = re.compile(r"\\.|[\[\]]")
IN_FORMULA = re.compile(r"(?<=\])(?=\()|(?<=<)(?=[A-Za-z/!?])")
TICKS = re.compile(r"`+")
SCHEME = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
ALLOWED_SCHEMES = ("http:", "https:", "mailto:", "tel:", "ftp:")
UNPRINTED = re.compile(r"^[\x00-\x20]+|[\x00-\x1f\x7f]+|[\x00-\x20]+$")
UNSAFE = re.compile('[\\s()<>\\\\"`|\\[\\]\x00-\x1f\U00010000-\U0010ffff]')
SAFE = re.compile(r"[\w!#$%&'*+,./:;=?@~-]+", re.ASCII)  # needs no trimming or quoting
MARKERS = {"strong": "**", "em": "*", "del": "~~"}
MOVABLE_SIGNS = ".,:;!?…\"'”’»%：，。！？；、）」』】》"
FILE_NAME = re.compile(r"^\S+\.(?:jpe?g|png|gif|webp|svg|avif)$|^[\w-]*\d{5,}[\w-]*$", re.IGNORECASE)
EMPTY_WORDS = parse_words(
    "image img photo picture icon logo avatar thumbnail banner placeholder spacer loading untitled arrow close menu "
    "search profile cover figure graphic screenshot photograph illustration quote view post"
)
MAX_URL = 2000
LOOKBACK = 8  # characters before a superscript that are examined
MAX_TARGET_CHARACTERS = 2_000_000  # characters of URLs per document


class LinkResolver:
    """Resolves link targets against `base`, the page's base URL, up to a total length."""

    def __init__(self, base: str) -> None:
        self.base = base
        parts = split_url(base)
        self.scheme = parts.scheme or "https"
        self.origin = f"{parts.scheme}://{parts.netloc}" if parts.netloc else ""
        self.seen: dict[str, str] = {}
        self.left = MAX_TARGET_CHARACTERS

    def absolute(self, href: str) -> str:
        """Return an absolute URL that a link may carry; "" for scripts, data URLs and malformed URLs."""
        target = self.seen.get(href)
        if target is None:
            target = self.seen[href] = _decode_link(href) if PROTECTED_LINK in href else self._absolute(href)
        self.left -= len(target)
        return target if self.left > 0 else ""

    def _absolute(self, href: str) -> str:
        is_clean = SAFE.fullmatch(href) or not UNPRINTED.search(href)
        target = href if is_clean else UNPRINTED.sub("", href[: MAX_URL + 1])
        if not target or len(target) > MAX_URL:
            return ""
        if SCHEME.match(target):
            if not target.lower().startswith(ALLOWED_SCHEMES):
                return ""
        elif target.startswith("//"):
            target = f"{self.scheme}:{target}"
        elif target.startswith("/") and self.origin:
            target = self.origin + target
        else:
            try:
                target = join_url(self.base, target)
            except ValueError:
                return ""
            if not target.lower().startswith(ALLOWED_SCHEMES):
                return ""
        return target if SAFE.fullmatch(target) else UNSAFE.sub(lambda found: quote(found.group()), target)


def _decode_link(href: str) -> str:
    address = decode_address(href.partition("#")[2])
    return f"mailto:{quote(address, safe='@?=&')}" if address else ""


def is_simple(text: str) -> bool:
    """Return quickly whether the text contains nothing to remove or escape."""
    return text.isascii() and len(text.encode().translate(None, MARKUP_BYTES)) == len(text)


def collapse_spaces(text: str) -> str:
    """Return the text with each run of white space replaced by one space."""
    if text.isprintable() and "  " not in text:  # the only printable white space is a space
        return text
    bare = " ".join(text.split())
    if not bare:
        return " " if text else ""
    return f"{' ' if text[0].isspace() else ''}{bare}{' ' if text[-1].isspace() else ''}"


def escape_markdown(text: str) -> str:
    """Return the text with a backslash before characters that markdown would interpret, in any context.

    Invisible characters are removed first, because they could split a markup sequence.
    """
    text = sanitise(text)
    if not SPECIAL.search(text):
        return text
    stars, lines = text.count("*"), text.count("_")
    return ESCAPED.sub(lambda found: _escape(found, stars, lines), text)


def _escape(found: re.Match[str], stars: int, lines: int) -> str:
    sign, text = found.group(), found.string
    if sign == "*":
        before = text[found.start() - 1 : found.start()] if found.start() else ""
        after = text[found.end() : found.end() + 1]
        if (before.isspace() and after.isspace()) or (before and after and stars == 1):
            return sign
    elif sign == "&":
        return sign if found[1] and found[1] not in html5 else "\\&"
    elif sign[0] == "_":
        return sign if lines == 1 else "\\_" * len(sign)
    return "\\" + sign


def escape_brackets(text: str) -> str:
    """Return markdown with its brackets escaped, for use between brackets."""
    return BRACKETS.sub(lambda found: found.group() if len(found.group()) > 1 else f"\\{found.group()}", text)


def format_code(text: str) -> str:
    """Return inline code, fenced by more backticks than it contains."""
    text = collapse_spaces(text)
    bare = text.strip()
    if not bare:
        return " " if text else ""
    longest = max((len(run) for run in TICKS.findall(bare)), default=0)
    fence = "`" * (longest + 1)
    padded = f" {bare} " if bare.startswith("`") or bare.endswith("`") else bare
    return f"{' ' if text[0] == ' ' else ''}{fence}{padded}{fence}{' ' if text[-1] == ' ' else ''}"


def is_meaningful(alt: str) -> bool:
    """Return whether the alternative text of an image says anything."""
    if FILE_NAME.match(alt):
        return False
    words = [word for word in re.findall(r"\w+", alt.lower()) if not word.isdigit()]
    return any(word not in EMPTY_WORDS for word in words)


class InlineRenderer:
    """Renders the tokens of one block."""

    def __init__(
        self, targets: LinkResolver, *, line_end: str = "\n", plain: bool = False, has_tex: bool = False
    ) -> None:
        self.targets = targets
        self.has_tex = has_tex  # whether the text may contain TeX between delimiters
        self.line_end = line_end  # what a line break becomes
        self.plain = plain  # no emphasis, in headings and table heads
        self.out: list[str] = []
        self.open: list[tuple[str, int, str]] = []  # kind, start of its content in `out`, target
        self.in_code = 0
        self.links = 0
        self.closed_emphasis = (-1, "")  # place in `out` and marker of the last emphasis
        self.last_emphasis = (-1, "")  # the same of an emphasis that ends in a sign and that nothing follows yet
        self.image_end = -1  # length of `out` behind an image

    def render(self, tokens: list[Token]) -> str:
        for token in tokens:
            if not isinstance(token, str):
                self._mark(token)
            elif is_simple(token):
                self._move_sign(token)
                self.out.append(collapse_spaces(token))
            elif text := collapse_spaces(sanitise(token)):
                self._move_sign(text)
                self._text(text)
        while self.open:
            self._close()
        text = "".join(self.out)
        if "  " in text:
            text = SPACES.sub(" ", text)
        if "\n" in text:
            text = AROUND_BREAK.sub(self.line_end, text.strip())
        return text.strip()

    def _text(self, text: str) -> None:
        if self.in_code:
            self.out.append(text)
            return
        for part, is_display in iter_formulas(text) if self.has_tex else ((text, None),):
            if is_display is None:
                self._plain_text(part)
            else:
                self._formula(part, "$$" if is_display else "$")

    def _plain_text(self, text: str) -> None:
        opens = text.startswith("(") and self._last().endswith("]")
        self.out.append(f"\\{escape_markdown(text)}" if opens else escape_markdown(text))

    def _formula(self, tex: str, fence: str) -> None:
        tex = IN_FORMULA.sub(" ", collapse_spaces(sanitise(tex)))  # a space is insignificant in TeX
        self.out.append(f"{fence}{tex}{fence}")

    def _last(self) -> str:
        return next((piece for piece in reversed(self.out) if piece), "")

    def _mark(self, token: tuple[str, ...]) -> None:
        kind = token[0]
        if kind == "open":
            self.open.append((token[1], len(self.out), token[2] if len(token) > 2 else ""))
            self.in_code += token[1] == "code"
        elif kind == "close":
            if self.open:
                self._close()
        elif kind == "br":
            self.out.append(" " if self.in_code or self.line_end == " " else "\n")
        elif kind == "img":
            self._image(token[1], token[2], token[3] if len(token) > 3 else "")
        elif kind == "math":
            self._formula(token[1], "$$" if token[2] else "$")
        elif kind == "check":
            self.out.append(f"[{token[1]}] ")

    def _image(self, alt: str, source: str, role: str) -> None:
        """Add an image, or the link to what the page embeds."""
        target = self.targets.absolute(source) if source and (role or is_meaningful(alt)) else ""
        if self.in_code or not target.startswith("http"):
            return
        words = escape_brackets(escape_markdown(alt))
        if role == "link":
            self.out.append(f" [{words}]({target}) " if words else f" <{target}> ")
            self.links += 1
            return
        space = " " if self._last()[-1:].isalnum() or self.image_end == len(self.out) else ""
        self.out.append(f"{space}![{words}]({target})")
        self.image_end = len(self.out)

    def _close(self) -> None:
        self.last_emphasis = (-1, "")
        kind, start, target = self.open.pop()
        content = "".join(self.out[start:])
        del self.out[start:]
        if self.closed_emphasis[0] >= start:
            self.closed_emphasis = (-1, "")
        if kind == "code":
            self.in_code -= 1
            self.out.append(format_code(content) if not self.in_code else content)
        elif self.in_code:
            self.out.append(content)
        elif kind == "a":
            self._link(content, target)
        else:
            self._emphasis(kind, content)

    def _emphasis(self, kind: str, content: str) -> None:
        marker = MARKERS.get(kind, "")
        bare = content.strip()
        if not bare or not marker or self.plain or any(name == kind for name, _, _ in self.open):
            self.out.append(self._format_superscript(content) if kind == "sup" else content)
            return
        if "\n" in bare:
            bare = AROUND_BREAK.sub(f"{marker}\n{marker}", bare)
        before = self.out[-1] if self.out else ""
        lead, tail = content[: len(content) - len(content.lstrip())], content[len(content.rstrip()) :]
        if self._continues_emphasis(marker, lead):
            place = self.closed_emphasis[0]
            self.out[place] = self.out[place][: -len(marker)]
            self._add_emphasis(lead, f"{bare}{marker}", tail, marker)
            return
        if not lead and before[-1:].isalnum() and not bare[0].isalnum():
            self.out.append(content)  # markdown would not recognise the markers here
            return
        self._add_emphasis(lead, f"{marker}{bare}{marker}", tail, marker)
        if not tail and not bare[-1].isalnum():
            self.last_emphasis = (len(self.out) - 1, marker)

    def _add_emphasis(self, lead: str, text: str, tail: str, marker: str) -> None:
        self.out += [lead, text] if lead else [text]
        self.closed_emphasis = (len(self.out) - 1, marker)
        if tail:
            self.out.append(tail)

    def _continues_emphasis(self, marker: str, lead: str) -> bool:
        """Return whether only space separates an emphasis, which begins with `lead`, from another one of its kind."""
        place, last = self.closed_emphasis
        if last != marker or not self.out[place].endswith(marker):
            return False
        gap = "".join(self.out[place + 1 :]) + lead
        return "\n" not in gap and not gap.strip()

    def _move_sign(self, following: str) -> None:
        """Move a sign at the end of an emphasis behind its marker if a word follows.

        CommonMark (6.2) does not recognise a marker between a sign and a letter. Without such a sign it is left out.
        """
        if self.image_end == len(self.out) and following[:1].isalnum():
            self.out.append(" ")
        place, marker = self.last_emphasis
        if place < 0 or place != len(self.out) - 1 or not following[:1].isalnum():
            return
        content = self.out[place][len(marker) : -len(marker)]
        kept = content.rstrip(MOVABLE_SIGNS)
        is_movable = kept and kept != content
        self.out[place] = f"{marker}{kept}{marker}{content[len(kept) :]}" if is_movable else content

    def _format_superscript(self, content: str) -> str:
        """Mark a superscript that would change what stands before; markers of emphasis are no part of either."""
        before = ((self.out and self.out[-1]) or self._last())[-LOOKBACK:].replace("*", "")
        opening, closing = mark_superscript(before, content.replace("*", ""))
        if not opening:
            return content
        text = content.rstrip()
        return f"{opening}{text.lstrip()}{closing}{content[len(text) :]}"

    def _link(self, content: str, href: str) -> None:
        bare = " ".join(content.split())
        target = self.targets.absolute(href) if bare and bare not in MOVABLE_SIGNS else ""
        if not target:
            self.out.append(content)
            return
        if bare.count("[") != bare.count("]"):
            bare = escape_brackets(bare)
        place = next((at for at in range(len(self.out) - 1, -1, -1) if self.out[at]), -1)
        if place >= 0 and self.out[place].endswith("!"):
            self.out[place] = self.out[place][:-1] + "\\!"
        lead, tail = content[:1].isspace(), content[-1:].isspace()
        self.out.append(f"{' ' if lead else ''}[{bare}]({target}){' ' if tail else ''}")
        self.links += 1
