"""Style blocks as rules: as much of CSS as hides text in a document."""

import re
from collections.abc import Iterable, Iterator

from assay.html.css import media_queries
from assay.html.css.css_escapes import unescape
from assay.html.css.selectors import split_selectors
from assay.html.css.value_validity import is_valid

BYTES = 2_000_000  # of style read in one document

COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
WRAPPING = re.compile(r"<!--|-->")  # of old, so that style is no text to those who do not know it
STRING = re.compile(r""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'""", re.DOTALL)
SIGN = re.compile(r"[{};]")
SCOPE = re.compile(r"\s*\(((?:[^()]|\([^()]*\)){1,400})\)")
CONTAINER = re.compile(r"^\s*(?!not\b)[\w-]+\s+(?=\()")
AT = re.compile(r"@([a-zA-Z-]+)\s*(.*)", re.DOTALL)
VAR = re.compile(r"var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)")
SHOWING = (  # not colours: the last word on those is often that of a theme which is not on
    *("display", "visibility", "content-visibility", "opacity", "font-size"),
    *("transform", "clip", "clip-path", "left", "top", "text-indent"),
)
IMPORTANT = re.compile(r"!\s*important\s*$", re.IGNORECASE)

type Declarations = dict[str, tuple[str, bool]]  # property: (value, is important), both in lower case


def declarations(body: str) -> Declarations:
    """The declarations of a rule or of a style attribute; the later of two counts unless the earlier is important."""
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
    """A value without the mark that makes it important, and whether it has it."""
    if "!" not in value:
        return value, False
    plain = IMPORTANT.sub("", value)
    return plain.strip(), plain != value


def bare(css: str) -> str:
    """A sheet without comments."""
    if "/*" in css:
        css = COMMENT.sub("", css)
    return WRAPPING.sub("", css) if "<!--" in css or "-->" in css else css


def custom(bodies: Iterable[tuple[str, str]]) -> dict[str, str]:
    """The properties of a sheet's own, whoever they are for: the last word on each."""
    found: dict[str, str] = {}
    for _, body in bodies:
        if "--" in body:
            found |= {name: value for name, (value, _) in declarations(body).items() if name.startswith("--")}
    return found


def with_custom(values: dict[str, str], given: dict[str, str]) -> dict[str, str]:
    """The values with `var()` replaced where it decides whether anything is shown; the element's own come first."""
    asked = [name for name in SHOWING if "var(" in values.get(name, "")]
    if not asked:
        return values
    known = given | {name: value for name, value in values.items() if name.startswith("--")}
    told = {name: VAR.sub(lambda found: known.get(found[1], (found[2] or "").strip()), values[name]) for name in asked}
    return values | {name: VAR.sub(lambda found: known.get(found[1], ""), value) for name, value in told.items()}


def blocks(css: str) -> Iterator[tuple[str, str]]:
    """(selector list, body) of every style rule that holds on a screen of any size."""
    css = bare(css[:BYTES])
    if '"' in css or "'" in css:
        css = STRING.sub(_without_signs, css)
    open_rules: list[str | None] = []  # the selectors of each open block; "" for one that changes nothing, None: skip
    for closed in css.split("}"):
        *opening, last = closed.split("{")
        for before in opening:
            body, _, prelude = before.rpartition(";")
            if open_rules and open_rules[-1] and body:
                yield open_rules[-1], body
            open_rules.append(_scope(prelude.strip(), open_rules[-1] if open_rules else ""))
        selectors = open_rules.pop() if open_rules else None
        if selectors and last and not last.isspace():
            yield selectors, last


def _without_signs(found: re.Match[str]) -> str:
    """A string as it is, unless something in it could be taken for a part of a rule."""
    return '""' if SIGN.search(found[0]) else found[0]


def _scope(prelude: str, outer: str | None) -> str | None:
    if outer is None:
        return None
    if prelude.startswith("@") and (at := AT.match(prelude)):
        if at[1].lower() == "scope" and (limits := SCOPE.match(at[2])):
            return _nest_selectors(outer, limits[1])
        return outer if _applies(at[1].lower(), at[2].strip()) else None
    return _nest_selectors(outer, prelude)


def _nest_selectors(outer: str, prelude: str) -> str | None:
    """The selectors of a rule within the rules around it."""
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
    """Whether what stands in an at-rule counts for a reader."""
    if name == "media":
        return media_queries.holds(condition)
    if name == "container":  # as wide as the screen, since nobody lays it out
        return media_queries.holds(CONTAINER.sub("", condition))
    return name in ("layer", "scope") or (name == "supports" and not condition.lower().startswith("not"))
