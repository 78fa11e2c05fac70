"""Style blocks as rules: as much of CSS as hides text in a document."""

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field

from lxml.html import HtmlElement

from assay.text import media
from assay.text.escapes import unescaped
from assay.text.selectors import Compound, Purse, fits_before, listed, selector, specificity

BYTES = 2_000_000  # of style read in one document
RULES = 20_000  # kept of one document

COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
WRAPPING = re.compile(r"<!--|-->")  # of old, so that style is no text to those who do not know it
STRING = re.compile(r""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'""", re.DOTALL)
BRACE = re.compile(r"([{}])")
AT = re.compile(r"@([a-zA-Z-]+)\s*(.*)", re.DOTALL)
UNREAD = re.compile(r"(?<!\\):(?::|hover|focus|active|visited|before|after|placeholder)")
WORDS = re.compile(r"[.#](?:[\w-]|[^\x00-\x7f])+(?![^\[]*\])")
IMPORTANT = re.compile(r"!\s*important\s*$", re.IGNORECASE)

type Declarations = dict[str, tuple[str, bool]]  # property: (value, is important), both in lower case


@dataclass(slots=True)
class Rule:
    steps: list[Compound]
    declarations: Declarations
    weight: tuple[int, int, int, int]  # specificity, then order
    known: dict[HtmlElement | None, bool] = field(default_factory=dict)  # parents: whether the steps before fit above

    def matches(self, element: HtmlElement, purse: Purse) -> bool:
        if not self.steps[-1].matches(element, purse):
            return False
        if len(self.steps) == 1 or self.steps[-1].combinator in "+~":
            return fits_before(self.steps, element, purse)
        parent = element.getparent()
        if parent not in self.known:
            self.known[parent] = fits_before(self.steps, element, purse)
        return self.known[parent]


def declarations(body: str) -> Declarations:
    """The declarations of a rule or of a style attribute; the later of two counts unless the earlier is important."""
    if "/*" in body:
        body = COMMENT.sub("", body)
    if '"' in body or "'" in body:
        body = STRING.sub('""', body)
    found: Declarations = {}
    for piece in body.split(";"):
        name, colon, value = piece.partition(":")
        if not colon:
            continue
        name, value = unescaped(name).strip().lower(), unescaped(value).strip().lower()
        important = False
        if "!" in value:
            plain = IMPORTANT.sub("", value)
            important, value = plain != value, plain.strip()
        if important or name not in found or not found[name][1]:
            found[name] = (value, important)
    return found


def bare(css: str) -> str:
    """A sheet without comments."""
    return WRAPPING.sub("", COMMENT.sub("", css))


def blocks(css: str) -> Iterator[tuple[str, str]]:
    """(selector list, body) of every style rule that holds on a screen of any size."""
    css = bare(css[:BYTES])
    if '"' in css or "'" in css:
        css = STRING.sub(lambda found: '""' if set("{};") & set(found.group()) else found.group(), css)
    open_rules: list[str | None] = []  # the selectors of each open block; "" for one that changes nothing, None: skip
    before = ""
    for part in BRACE.split(css):
        if part == "{":
            body, _, prelude = before.rpartition(";")
            if open_rules and open_rules[-1] and body:
                yield open_rules[-1], body
            open_rules.append(_scope(prelude.strip(), open_rules[-1] if open_rules else ""))
            before = ""
        elif part == "}":
            selectors = open_rules.pop() if open_rules else None
            if selectors and before.strip():
                yield selectors, before
            before = ""
        else:
            before = part
    if open_rules and open_rules[-1] and before.strip():
        yield open_rules[-1], before


def _scope(prelude: str, outer: str | None) -> str | None:
    if outer is None:
        return None
    if at := AT.match(prelude):
        return outer if _applies(at[1].lower(), at[2].strip()) else None
    if not outer:
        return prelude
    if len(outer) + len(prelude) > 400:
        return None
    return ",".join(
        inner.replace("&", before) if "&" in inner else f"{before} {inner.strip()}"
        for before in listed(outer)
        for inner in listed(prelude)
    )


def _applies(name: str, condition: str) -> bool:
    """Whether what stands in an at-rule counts for a reader."""
    if name == "media":
        return media.holds(condition)
    return name == "layer" or (name == "supports" and not condition.lower().startswith("not"))


def rules_of(pairs: Iterable[tuple[str, str]], names: Container[str] | None = None) -> Iterator[Rule]:
    """The rules of (selector list, body) pairs, one for each selector we can read.

    Given `names`, the classes and `#` ids of a document, what asks for others is left out.
    """
    order = 0
    seen: set[tuple[str, str]] = set()
    for selectors, body in pairs:
        found: Declarations | None = None
        for text in listed(selectors):
            order += 1
            if order > RULES:
                return
            steps = selector(text) if text and (text, body) not in seen and _concerns(text, names) else None
            seen.add((text, body))
            if steps is None:
                continue
            if found is None:
                found = declarations(body)
            if found:
                yield Rule(steps, found, (*specificity(steps), order))


def _concerns(text: str, names: Container[str] | None) -> bool:
    """A quick look at a selector, before it is read."""
    if ":" in text and "(" not in text and UNREAD.search(text):
        return False
    if names is None or "\\" in text or "(" in text:
        return not text.isspace()
    return all((word[1:] if word[0] == "." else word) in names for word in WORDS.findall(text)) and not text.isspace()


def key(steps: list[Compound]) -> str:
    """Under what a rule is looked up: the id, a class or the tag that its last step asks for, else `*`."""
    last = steps[-1]
    if last.hash:
        return f"#{last.hash}"
    if last.classes:
        return f".{min(last.classes)}"
    return last.tag or "*"
