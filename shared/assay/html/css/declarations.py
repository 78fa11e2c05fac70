"""A tolerant parser for style rules and declarations (CSS Syntax Module Level 3), limited to what can hide text."""

import re
from collections.abc import Iterable, Iterator

from assay.html.css import media_queries
from assay.html.css.css_escapes import unescape
from assay.html.css.selectors import split_selectors
from assay.html.css.value_validity import is_valid

MAX_CHARACTERS = 2_000_000  # characters of style read per document

COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
HTML_COMMENT_MARKS = re.compile(r"<!--|-->")  # old convention that hid styles from browsers without CSS
STRING = re.compile(r""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'""", re.DOTALL)
SYNTAX = re.compile(r"[{};]")
SCOPE = re.compile(r"\s*\(((?:[^()]|\([^()]*\)){1,400})\)")
CONTAINER = re.compile(r"^\s*(?!not\b)[\w-]+\s+(?=\()")
AT_RULE = re.compile(r"@([a-zA-Z-]+)\s*(.*)", re.DOTALL)
VAR = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
RESOLVED_PROPERTIES = (  # no colours: the last custom property is often that of an inactive theme
    *("display", "visibility", "content-visibility", "opacity", "font-size"),
    *("transform", "clip", "clip-path", "left", "top", "text-indent"),
)
IMPORTANT = re.compile(r"!\s*important\s*$", re.IGNORECASE)

type Declarations = dict[str, tuple[str, bool]]  # property: (value, is important), both in lower case


def parse_declarations(body: str) -> Declarations:
    """Parse the declarations of a rule or style attribute; the later of two wins unless the earlier is important."""
    if "/*" in body:
        body = COMMENT.sub("", body)
    if '"' in body or "'" in body:
        body = STRING.sub('""', body)
    found: Declarations = {}
    escaped = "\\" in body
    for piece in (body if escaped else body.lower()).split(";"):
        name, colon, value = piece.partition(":")
        if not colon:
            continue
        if escaped:
            name, value = unescape(name).lower(), unescape(value).lower()
        name = name.strip()
        value, important = _split_important(value.strip())
        if is_valid(name, value) and (important or name not in found or not found[name][1]):
            found[name] = (value, important)
    return found


def _split_important(value: str) -> tuple[str, bool]:
    """Return a value without `!important`, and whether it had it."""
    if "!" not in value:
        return value, False
    plain = IMPORTANT.sub("", value)
    return plain.strip(), plain != value


def strip_comments(css: str) -> str:
    """Return a style sheet without comments."""
    if "/*" in css:
        css = COMMENT.sub("", css)
    return HTML_COMMENT_MARKS.sub("", css) if "<!--" in css or "-->" in css else css


def find_custom_properties(bodies: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the custom properties of a style sheet, whatever they apply to; the last declaration of each wins."""
    found: dict[str, str] = {}
    for _, body in bodies:
        if "--" in body:
            found |= {name: value for name, (value, _) in parse_declarations(body).items() if name.startswith("--")}
    return found


def resolve_variables(values: dict[str, str], inherited: dict[str, str]) -> dict[str, str]:
    """Return the values with `var()` replaced where it decides visibility; the element's own properties take
    precedence.
    """
    names = [name for name in RESOLVED_PROPERTIES if "var(" in values.get(name, "")]
    if not names:
        return values
    variables = inherited | {name: value for name, value in values.items() if name.startswith("--")}
    resolved = {
        name: VAR.sub(lambda found: variables.get(found[1], (found[2] or "").strip()), values[name]) for name in names
    }
    return values | {
        name: VAR.sub(lambda found: variables.get(found[1], ""), value) for name, value in resolved.items()
    }


def iter_rules(css: str) -> Iterator[tuple[str, str]]:
    """Yield (selector list, body) of every style rule that applies on the assumed screen."""
    css = strip_comments(css[:MAX_CHARACTERS])
    if '"' in css or "'" in css:
        css = STRING.sub(_blank_syntax, css)
    # The selectors of each open block; "" for a transparent one, None for a skipped one.
    open_rules: list[str | None] = []
    for closed in css.split("}"):
        *opening, last = closed.split("{")
        for before in opening:
            body, _, prelude = before.rpartition(";")
            if open_rules and open_rules[-1] and body:
                yield open_rules[-1], body
            open_rules.append(_effective_selectors(prelude.strip(), open_rules[-1] if open_rules else ""))
        selectors = open_rules.pop() if open_rules else None
        if selectors and last and not last.isspace():
            yield selectors, last


def _blank_syntax(found: re.Match[str]) -> str:
    """Return the string unchanged unless it contains characters that could be taken for rule syntax."""
    return '""' if SYNTAX.search(found[0]) else found[0]


def _effective_selectors(prelude: str, outer: str | None) -> str | None:
    if outer is None:
        return None
    if prelude.startswith("@") and (at := AT_RULE.match(prelude)):
        if at[1].lower() == "scope" and (limits := SCOPE.match(at[2])):
            return _nest_selectors(outer, limits[1])
        return outer if _applies(at[1].lower(), at[2].strip()) else None
    return _nest_selectors(outer, prelude)


def _nest_selectors(outer: str, prelude: str) -> str | None:
    """Return the selectors of a rule combined with the rules around it. https://www.w3.org/TR/css-nesting-1/"""
    if not outer:
        return prelude
    if len(outer) + len(prelude) > 400:
        return None
    return ",".join(
        inner.replace("&", before) if "&" in inner else f"{before} {inner.strip()}"
        for before in split_selectors(outer)
        for inner in split_selectors(prelude)
    )


def _applies(name: str, condition: str) -> bool:
    """Return whether the content of an at-rule applies."""
    if name == "media":
        return media_queries.matches_screen(condition)
    if name == "container":  # treated as wide as the screen, since no layout is computed
        return media_queries.matches_screen(CONTAINER.sub("", condition))
    return name in ("layer", "scope") or (name == "supports" and not condition.lower().startswith("not"))
