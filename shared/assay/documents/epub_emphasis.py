"""Bold and italic text of EPUB books, which programs write as classes of inline elements."""

import re
from collections.abc import Iterable

INLINE = "span|a|big|cite|dfn|font|label|q|small|u|ins"
SELECTOR = re.compile(rf"(?:{INLINE})?\.([\w-]{{1,100}})", re.IGNORECASE)
EMPHASIS = re.compile(r"\b(font-weight|font-style)\s*:\s*([\w-]{1,20})", re.IGNORECASE)
FLOATS = re.compile(r"\bfloat\s*:\s*(?:left|right)", re.IGNORECASE)  # a drop cap
EMPHASISED = re.compile(r"bold|bolder|[6-9]00|italic|oblique", re.IGNORECASE)
TAG = re.compile(rf"<(?:{INLINE})\s[^<>]{{0,1000}}>", re.IGNORECASE)
CLASS = re.compile(r"""\sclass\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
STYLED = re.compile(r"\sstyle\s*=", re.IGNORECASE)
MOST_RULES = 20_000

type ClassEmphasis = dict[str, dict[str, str]]  # the properties of each class


def read_emphasis(rules: str) -> ClassEmphasis:
    """What the rules of a style sheet for single classes say of bold and italic text."""
    found: ClassEmphasis = {}
    first, *rest = rules.split("/*")
    plain = "".join([first, *(piece.partition("*/")[2] for piece in rest)])
    for rule in plain.split("}")[:MOST_RULES]:
        selectors, _, declarations = rule.rpartition("{")
        properties = {name.lower(): value.lower() for name, value in EMPHASIS.findall(declarations)}
        if not properties or FLOATS.search(declarations):
            continue
        for selector in selectors.rpartition("{")[2].split(","):
            if single := SELECTOR.fullmatch(selector.strip()):
                found.setdefault(single[1], {}).update(properties)
    return found


def mark_emphasis(chapter: str, sheets: Iterable[ClassEmphasis]) -> str:
    """Return the HTML of a chapter whose inline elements have the emphasis of their classes as their style."""
    classes: ClassEmphasis = {}
    for sheet in sheets:
        for name, properties in sheet.items():
            classes.setdefault(name, {}).update(properties)
    if not any(EMPHASISED.fullmatch(value) for properties in classes.values() for value in properties.values()):
        return chapter
    return TAG.sub(lambda tag: _add_style(tag[0], classes), chapter)


def _add_style(tag: str, classes: ClassEmphasis) -> str:
    found = CLASS.search(tag)
    if found is None or STYLED.search(tag):
        return tag
    style: dict[str, str] = {}
    for name in (found[1] or found[2] or "").split():
        style.update(classes.get(name, {}))
    if not any(map(EMPHASISED.fullmatch, style.values())):
        return tag
    declared = ";".join(f"{name}:{'bold' if value == 'bolder' else value}" for name, value in style.items())
    return f'{tag[: found.end()]} style="{declared}"{tag[found.end() :]}'
