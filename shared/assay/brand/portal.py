"""Recognizes brand guideline pages and parses the values that they state explicitly."""

import re
from collections.abc import Iterator, Sequence

from assay.brand.brand_models import Brand, Colors, DosAndDonts, Face, Swatch, Tone, Typography
from assay.brand.colors import find_color_codes, parse_swatch
from assay.text import word_count
from assay.text.plain_text import to_plain_text

DECISIVE_PHRASE = re.compile(
    r"\b(?:brand (?:kit|guidelines?|guide|assets|resources|cent(?:er|re)|book|identity|portal|colou?rs|standards|"
    r"toolkit|hub)|brandbook|style ?guide|(?:press|media) (?:kit|assets|resources|cent(?:er|re)|room)|newsroom|"
    r"logo (?:usage|guidelines|downloads?|assets)|(?:download|our) logos?|design (?:system|language)|visual identity|"
    r"identity guidelines|colou?r palette|tone of voice)\b",
    re.IGNORECASE,
)
BRAND_WORD = re.compile(
    r"\b(brand|logos?|colou?rs?|palette|typography|typefaces?|fonts?|guidelines?|identity|assets?|downloads?|press|"
    r"media|trademarks?|wordmark|tokens|pantone|cmyk|rgb|hex|voice|usage)\b",
    re.IGNORECASE,
)
MIN_BRAND_WORDS = 3
REFUSAL = re.compile(
    r"""\b(?:
        page\ (?:not\ found|can(?:no|')t\ be\ found|does(?:n[’']t|\ not)\ exist) | not\ found | (?:error\ )?404 |
        no\ longer\ (?:available|exists) | (?:sign|log)\ ?in(?:\ to|\ required|$) | login\ required | access\ denied |
        authentication\ required | forbidden | password\ required | enter\ (?:your|the)\ password
    )\b""",
    re.IGNORECASE | re.MULTILINE | re.VERBOSE,
)
SHORT_PAGE = 60  # words; on a shorter page a refusal phrase anywhere in the text counts
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
LABELLED_FONT = re.compile(
    rf"^[\s*_#>-]*(?i:{USE})\s*(?i:fonts?|typefaces?|type)?\s*(?i:family)?[*_]*\s*[:–—|-][\s*_]*{FAMILY}[\s*_]*(?:$|[,.(|–—])"
)
FONT_SENTENCE = re.compile(rf"\b(?i:our|the) (?i:{USE} )?(?i:typeface|font)(?i: family)? (?i:is) [*_]*{FAMILY}")
FONT_USES = {"head": "heading", "titl": "heading", "disp": "heading", "prim": "heading", "": "heading", "seco": "body"}
FONT_USES |= {"body": "body", "para": "body", "mono": "mono", "code": "mono"}
NO_FAMILY_NAMES = {
    "The",
    "Use",
    "Our",
    "See",
    "Download",
    "Weights",
    "Regular",
    "Bold",
    "Light",
    "Medium",
    "Type",
    "This",
}

HEADING = re.compile(r"^(#{1,6})\s+(.*)$")
VOICE_HEADING = re.compile(
    r"^(?:(?:our|brand) )?(?:(?:tone|voice)(?: (?:of voice|(?:and|&) (?:tone|voice)))?|brand voice)$", re.IGNORECASE
)
DO_HEADING = re.compile(r"^(?:do|dos|do[’']s|we are|we do)$", re.IGNORECASE)
DONT_HEADING = re.compile(
    r"^(?:do[ -]?n[’']?o?ts?|do not|don[’']ts|avoid|never|we are not|we don[’']t)$", re.IGNORECASE
)
LIST_ITEM = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+(.*)$")
BOLD_PHRASE = re.compile(r"^(?:\*\*|__)([^*_]{2,40})(?:\*\*|__)")

type Section = tuple[int, str, list[str]]  # heading depth, heading text, lines


def is_portal(title: str, text: str) -> bool:
    """Return whether a page has brand guidelines and is neither an error page nor a login page."""
    heading = next((line.lstrip("# ") for line in text.splitlines() if line.startswith("#")), "")
    head = f"{title}\n{heading}"
    if REFUSAL.search(head) or (word_count.count_words(text) < SHORT_PAGE and REFUSAL.search(text)):
        return False
    cleaned = f"{head}\n{text}"
    return (
        bool(DECISIVE_PHRASE.search(cleaned))
        or len({found.lower().rstrip("s") for found in BRAND_WORD.findall(cleaned)}) >= MIN_BRAND_WORDS
    )


def is_blocked(text: str) -> bool:
    """Return whether the page has too little text without scripts to be read."""
    return word_count.count_words(text) < MIN_WORDS


def parse_guidelines(markdown: str) -> Brand:
    """Read colour codes, typeface names and the tone-of-voice section from Markdown."""
    lines = [line.strip() for line in markdown.splitlines()[:20_000]]
    return Brand(colors=_find_colors(lines), typography=_find_typography(lines), tone_of_voice=_parse_tone(lines))


def _find_colors(lines: Sequence[str]) -> Colors:
    palette: dict[str, Swatch] = {}
    for name, role, code in _find_named_colors(lines):
        swatch = parse_swatch(code, name=name, role=role)
        if swatch and swatch.hex not in palette:
            palette[swatch.hex] = swatch
    roles: dict[str, str] = {}
    for swatch in palette.values():
        if swatch.role:
            roles.setdefault(swatch.role, swatch.hex)
    return Colors(**roles, palette=list(palette.values())[:60])


def _find_named_colors(lines: Sequence[str]) -> Iterator[tuple[str | None, str | None, str]]:
    """Yield (name, role, code) of each colour; labels come from the same line, the line above or the headings."""
    label, headings = "", list[tuple[int, str | None]]()  # enclosing headings with their roles
    for line in lines:
        found = find_color_codes(line)
        if (heading := HEADING.match(line)) and not found:
            depth = len(heading[1])
            headings = [step for step in headings if step[0] < depth] + [(depth, _find_role(line))]
            label = _clean_label(line)
        elif not found:
            label = _clean_label(line) or label
        last = 0
        for start, end, code in found:
            own_label = _clean_label(line[last:start]) or (_clean_label(line[end:]) if len(found) == 1 else "")
            label = own_label or label
            role = _find_role(label) or next((use for _, use in reversed(headings) if use), None)
            yield label or None, role, code
            last = end


def _clean_label(text: str) -> str:
    """Clean a label; "" if the text is too long for one."""
    cleaned = " ".join(NOISE.sub(" ", text).split()).strip(" .,;")
    return to_plain_text(cleaned, 60) if len(cleaned.split()) <= 5 else ""


def _find_role(label: str) -> str | None:
    cleaned = label.lower()
    return next((role for words_of, role in ROLES.items() if re.search(rf"\b{words_of}\b", cleaned)), None)


def _find_typography(lines: Sequence[str]) -> Typography:
    found: dict[str, Face] = {}
    for line in lines:
        for match in (LABELLED_FONT.match(line[:300]), FONT_SENTENCE.search(line[:2_000])):
            if match and match["family"] not in NO_FAMILY_NAMES:
                use = FONT_USES[(match["use"] or "").lower()[:4]]
                found.setdefault(use, Face(family=match["family"]))
    return Typography(**found)


def _split_sections(lines: Sequence[str]) -> Iterator[Section]:
    depth, heading, body = 0, "", list[str]()
    for line in lines:
        if match := HEADING.match(line):
            yield depth, heading, body
            depth, heading, body = len(match[1]), match[2].strip(" #*:_"), []
        elif line:
            body.append(line)
    yield depth, heading, body


def _parse_tone(lines: Sequence[str]) -> Tone:
    """Read the tone-of-voice section and its subsections."""
    inside: list[Section] = []
    for section in _split_sections(lines):
        if inside and (section[0] <= inside[0][0]):
            break
        if inside or VOICE_HEADING.match(section[1]):
            inside.append(section)
    if not inside:
        return Tone()
    texts = [line for line in inside[0][2] if not LIST_ITEM.match(line)]
    dos_and_donts = DosAndDonts(dos=_collect_items(inside, DO_HEADING), donts=_collect_items(inside, DONT_HEADING))
    return Tone(
        summary=to_plain_text(texts[0], 600) or None if texts else None,
        attributes=_find_attributes(inside),
        dos_and_donts=dos_and_donts if dos_and_donts.dos or dos_and_donts.donts else None,
    )


def _find_attributes(sections: Sequence[Section]) -> list[str]:
    """Collect short headings, short list items and bold words at the start of longer items."""
    found = [
        heading for _, heading, _ in sections[1:] if not DO_HEADING.match(heading) and not DONT_HEADING.match(heading)
    ]
    for _, heading, body in sections:
        if DO_HEADING.match(heading) or DONT_HEADING.match(heading):
            continue
        for line in body:
            item = LIST_ITEM.match(line)
            text = item[1] if item else line
            bold = BOLD_PHRASE.match(text)
            found += [bold[1] if bold else text] if item or bold else []
    short = [
        cleaned for text in found if (cleaned := to_plain_text(text, 60).strip(" :.*_")) and len(cleaned.split()) <= 3
    ]
    return list(dict.fromkeys(short))[:20]


def _collect_items(sections: Sequence[Section], wanted: re.Pattern[str]) -> list[str]:
    """Collect the list items below a heading or line that matches `wanted` (do or don't)."""
    found: list[str] = []
    for _, heading, body in sections:
        is_wanted = bool(wanted.match(heading))
        for line in body:
            item = LIST_ITEM.match(line)
            if item and is_wanted:
                found.append(to_plain_text(item[1], 300))
            elif not item:
                is_wanted = bool(wanted.match(line.strip(" *_:#")))
    return found[:30]
