"""Recognizes brand guideline pages and reads the values that they state explicitly."""

import re
from collections.abc import Iterator, Sequence

from assay.brand.brand_models import Brand, Colors, Face, Manners, Swatch, Tone, Typography
from assay.brand.colors import codes, swatch
from assay.text import word_count
from assay.text.plain_text import to_plain_text

STRONG = re.compile(
    r"\b(?:brand (?:kit|guidelines?|guide|assets|resources|cent(?:er|re)|book|identity|portal|colou?rs|standards|"
    r"toolkit|hub)|brandbook|style ?guide|(?:press|media) (?:kit|assets|resources|cent(?:er|re)|room)|newsroom|"
    r"logo (?:usage|guidelines|downloads?|assets)|(?:download|our) logos?|design (?:system|language)|visual identity|"
    r"identity guidelines|colou?r palette|tone of voice)\b",
    re.IGNORECASE,
)
WEAK = re.compile(
    r"\b(brand|logos?|colou?rs?|palette|typography|typefaces?|fonts?|guidelines?|identity|assets?|downloads?|press|"
    r"media|trademarks?|wordmark|tokens|pantone|cmyk|rgb|hex|voice|usage)\b",
    re.IGNORECASE,
)
ENOUGH_WEAK = 3
GONE = re.compile(
    r"""\b(?:
        page\ (?:not\ found|can(?:no|')t\ be\ found|does(?:n[’']t|\ not)\ exist) | not\ found | (?:error\ )?404 |
        no\ longer\ (?:available|exists) | (?:sign|log)\ ?in(?:\ to|\ required|$) | login\ required | access\ denied |
        authentication\ required | forbidden | password\ required | enter\ (?:your|the)\ password
    )\b""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
SHORT = 60  # words; on a shorter page a refusal phrase anywhere in the text counts
MIN_WORDS = 150  # a portal page with fewer needs scripts or a login

ROLES = {
    "text secondary": "text_secondary", "secondary text": "text_secondary", "primary": "primary",
    "secondary": "secondary", "accent": "accent", "tertiary": "accent", "background": "background",
    "surface": "surface", "text": "text",
}  # fmt: skip
NOISE = re.compile(
    r"\b(?:hex(?:adecimal)?|rgba?|cmyk|hsl|pantone|pms|ral|code|copy|colou?rs?)\b|[#*_`|\[\]{}()<>:=•·–—]+|\d+%?|[.,;/-]+(?=\s|$)"
    r"|\(\s*\)",
    re.IGNORECASE,
)
FAMILY = r"(?P<family>[A-Z][A-Za-z0-9]*(?: [A-Z0-9][A-Za-z0-9]*){0,3})"
USE = (
    r"(?P<use>headings?|headlines?|titles?|display|primary|secondary|body|body text|body copy|paragraphs?|"
    r"mono(?:space)?|code)"
)
LABELLED = re.compile(
    rf"^[\s*_#>-]*(?i:{USE})\s*(?i:fonts?|typefaces?|type)?\s*(?i:family)?[*_]*\s*[:–—|-][\s*_]*{FAMILY}[\s*_]*(?:$|[,.(|–—])"
)
TOLD = re.compile(rf"\b(?i:our|the) (?i:{USE} )?(?i:typeface|font)(?i: family)? (?i:is) [*_]*{FAMILY}")
USES = {"head": "heading", "titl": "heading", "disp": "heading", "prim": "heading", "": "heading", "seco": "body"}
USES |= {"body": "body", "para": "body", "mono": "mono", "code": "mono"}
NO_FAMILY = {"The", "Use", "Our", "See", "Download", "Weights", "Regular", "Bold", "Light", "Medium", "Type", "This"}

HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
VOICE = re.compile(
    r"^(?:(?:our|brand) )?(?:(?:tone|voice)(?: (?:of voice|(?:and|&) (?:tone|voice)))?|brand voice)$", re.IGNORECASE
)
DO = re.compile(r"^(?:do|dos|do[’']s|we are|we do)$", re.IGNORECASE)
DONT = re.compile(r"^(?:do[ -]?n[’']?o?ts?|do not|don[’']ts|avoid|never|we are not|we don[’']t)$", re.IGNORECASE)
ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(.*)$")
BOLD = re.compile(r"^(?:\*\*|__)([^*_]{2,40})(?:\*\*|__)")

type Section = tuple[int, str, list[str]]  # heading depth, heading text, lines


def is_portal(title: str, text: str) -> bool:
    """Return whether a page has brand guidelines and is neither an error page nor a login page."""
    heading = next((line.lstrip("# ") for line in text.splitlines() if line.startswith("#")), "")
    head = f"{title}\n{heading}"
    if GONE.search(head) or (word_count.count_words(text) < SHORT and GONE.search(text)):
        return False
    said = f"{head}\n{text}"
    return bool(STRONG.search(said)) or len({found.lower().rstrip("s") for found in WEAK.findall(said)}) >= ENOUGH_WEAK


def is_blocked(text: str) -> bool:
    """Return whether the page has too little text without scripts to be read."""
    return word_count.count_words(text) < MIN_WORDS


def read(markdown: str) -> Brand:
    """Read colour codes, typeface names and the tone-of-voice section from Markdown."""
    lines = [line.strip() for line in markdown.splitlines()[:20_000]]
    return Brand(colors=_colors(lines), typography=_typography(lines), tone_of_voice=_tone(lines))


def _colors(lines: Sequence[str]) -> Colors:
    palette: dict[str, Swatch] = {}
    for name, role, code in _find_named_colors(lines):
        one = swatch(code, name=name, role=role)
        if one and one.hex not in palette:
            palette[one.hex] = one
    roles: dict[str, str] = {}
    for one in palette.values():
        if one.role:
            roles.setdefault(one.role, one.hex)
    return Colors(**roles, palette=list(palette.values())[:60])


def _find_named_colors(lines: Sequence[str]) -> Iterator[tuple[str | None, str | None, str]]:
    """Yield (name, role, code) of each colour; labels come from the same line, the line above or the headings."""
    above, trail = "", list[tuple[int, str | None]]()  # enclosing headings with their roles
    for line in lines:
        found = codes(line)
        if (heading := HEADING.match(line)) and not found:
            depth = len(heading[1])
            trail = [step for step in trail if step[0] < depth] + [(depth, _role(line))]
            above = _label(line)
        elif not found:
            above = _label(line) or above
        last = 0
        for start, end, code in found:
            own = _label(line[last:start]) or (_label(line[end:]) if len(found) == 1 else "")
            above = own or above
            role = _role(above) or next((use for _, use in reversed(trail) if use), None)
            yield above or None, role, code
            last = end


def _label(text: str) -> str:
    """Clean a label; "" if the text is too long for one."""
    said = " ".join(NOISE.sub(" ", text).split()).strip(" .,;")
    return to_plain_text(said, 60) if len(said.split()) <= 5 else ""


def _role(label: str) -> str | None:
    said = label.lower()
    return next((role for words_of, role in ROLES.items() if re.search(rf"\b{words_of}\b", said)), None)


def _typography(lines: Sequence[str]) -> Typography:
    found: dict[str, Face] = {}
    for line in lines:
        for match in (LABELLED.match(line[:300]), TOLD.search(line[:2_000])):
            if match and match["family"] not in NO_FAMILY:
                use = USES[(match["use"] or "").lower()[:4]]
                found.setdefault(use, Face(family=match["family"]))
    return Typography(**found)


def _sections(lines: Sequence[str]) -> Iterator[Section]:
    depth, heading, body = 0, "", list[str]()
    for line in lines:
        if match := HEADING.match(line):
            yield depth, heading, body
            depth, heading, body = len(match[1]), match[2].strip(" #*:_"), []
        elif line:
            body.append(line)
    yield depth, heading, body


def _tone(lines: Sequence[str]) -> Tone:
    """Read the tone-of-voice section and its subsections."""
    inside: list[Section] = []
    for section in _sections(lines):
        if inside and (section[0] <= inside[0][0]):
            break
        if inside or VOICE.match(section[1]):
            inside.append(section)
    if not inside:
        return Tone()
    texts = [line for line in inside[0][2] if not ITEM.match(line)]
    manners = Manners(dos=_under(inside, DO), donts=_under(inside, DONT))
    return Tone(
        summary=to_plain_text(texts[0], 600) or None if texts else None,
        attributes=_attributes(inside),
        dos_and_donts=manners if manners.dos or manners.donts else None,
    )


def _attributes(sections: Sequence[Section]) -> list[str]:
    """Collect short headings, short list items and bold words at the start of longer items."""
    found = [heading for _, heading, _ in sections[1:] if not DO.match(heading) and not DONT.match(heading)]
    for _, heading, body in sections:
        if DO.match(heading) or DONT.match(heading):
            continue
        for line in body:
            item = ITEM.match(line)
            text = item[1] if item else line
            bold = BOLD.match(text)
            found += [bold[1] if bold else text] if item or bold else []
    short = [said for text in found if (said := to_plain_text(text, 60).strip(" :.*_")) and len(said.split()) <= 3]
    return list(dict.fromkeys(short))[:20]


def _under(sections: Sequence[Section], wanted: re.Pattern[str]) -> list[str]:
    """Collect the list items below a heading or line that matches `wanted` (do or don't)."""
    found: list[str] = []
    for _, heading, body in sections:
        on = bool(wanted.match(heading))
        for line in body:
            item = ITEM.match(line)
            if item and on:
                found.append(to_plain_text(item[1], 300))
            elif not item:
                on = bool(wanted.match(line.strip(" *_:#")))
    return found[:30]
