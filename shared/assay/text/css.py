"""Style blocks as rules, and which of them match an element: as much of CSS as hides text in a document."""

import re
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field

from lxml.html import HtmlElement

BYTES = 2_000_000  # of style read in one document
RULES = 20_000  # kept of one document
NESTING = 20
STEPS = 60  # ancestors or siblings tried for one combinator

COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
STRING = re.compile(r""""(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'""", re.DOTALL)
BRACE = re.compile(r"([{}])")
ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
COMMA = re.compile(r",(?![^()\[\]]{0,200}[)\]])")
NAME = r"(?:[\w-]|[^\x00-\x7f]|\\[0-9a-fA-F]{1,6}\s?|\\[^\n])++"
PART = re.compile(
    rf"""(?P<space>\s*[>+~]\s*|\s+)|(?P<star>\*|&)|(?P<hash>\#{NAME})|(?P<class>\.{NAME})|(?P<tag>{NAME})
    |\[\s*(?P<attribute>[\w:-]+)\s*(?:(?P<operator>[~|^$*]?=)\s*(?P<value>"[^"]*"|'[^']*'|[^\]\s]+)\s*[iIsS]?\s*)?\]
    |:not\(\s*(?P<negated>[^()]*)\)|(?P<first>:first-child)|(?P<last>:last-child)|(?P<root>:root)""",
    re.VERBOSE,
)
UNREAD = re.compile(r"(?<!\\):(?!not\(|first-child|last-child|root)")
WORDS = re.compile(r"[.#](?:[\w-]|[^\x00-\x7f])+(?![^\[]*\])")
IMPORTANT = re.compile(r"!\s*important\s*$", re.IGNORECASE)

type Declarations = dict[str, tuple[str, bool]]  # property: (value, is important), both in lower case


@dataclass(slots=True)
class Compound:
    """One step of a selector: all that an element itself must be."""

    combinator: str = " "  # how it hangs on the step before it
    tag: str = ""
    hash: str = ""
    classes: set[str] = field(default_factory=set)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    negated: list["Compound"] = field(default_factory=list)
    places: list[str] = field(default_factory=list)

    def matches(self, element: HtmlElement) -> bool:
        if self.tag and element.tag != self.tag:
            return False
        if self.hash and element.get("id") != self.hash:
            return False
        if self.classes and not self.classes.issubset((element.get("class") or "").split()):
            return False
        if not all(_has(element, *wanted) for wanted in self.attributes):
            return False
        if any(inner.matches(element) for inner in self.negated):
            return False
        return all(_stands(element, place) for place in self.places)


@dataclass(slots=True)
class Rule:
    steps: list[Compound]
    declarations: Declarations
    weight: tuple[int, int, int, int]  # specificity, then order

    def matches(self, element: HtmlElement) -> bool:
        """Right to left, the nearest fitting ancestor first: no backtracking, so the work is bounded."""
        if not self.steps[-1].matches(element):
            return False
        current: HtmlElement | None = element
        for position in range(len(self.steps) - 1, 0, -1):
            current = _found(current, self.steps[position].combinator, self.steps[position - 1])
            if current is None:
                return False
        return True


def _found(element: HtmlElement | None, combinator: str, step: Compound) -> HtmlElement | None:
    for _ in range(STEPS):
        if element is None:
            return None
        element = element.getprevious() if combinator in "+~" else element.getparent()
        if element is not None and isinstance(element.tag, str) and step.matches(element):
            return element
        if combinator in ">+":
            return None
    return None


def _has(element: HtmlElement, name: str, operator: str, value: str) -> bool:
    got = element.get(name)
    if got is None:
        return False
    match operator:
        case "":
            return True
        case "=":
            return got == value
        case "^=":
            return bool(value) and got.startswith(value)
        case "$=":
            return bool(value) and got.endswith(value)
        case "*=":
            return bool(value) and value in got
        case "~=":
            return value in got.split()
    return got == value or got.startswith(value + "-")


def _stands(element: HtmlElement, place: str) -> bool:
    if place == "root":
        return element.getparent() is None
    return (element.getprevious() if place == "first" else element.getnext()) is None


def unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return ESCAPE.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    if not found.group(1):
        return found.group(2)
    code = int(found.group(1), 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


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


def blocks(css: str) -> Iterator[tuple[str, str]]:
    """(selector list, body) of every style rule that holds on a screen of any size."""
    css = COMMENT.sub("", css[:BYTES])
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
    if prelude.startswith("@"):
        name, _, condition = prelude.partition(" ")
        condition = condition.strip().lower()
        holds = name in ("@supports", "@layer") or (name == "@media" and condition in ("all", "screen", "only screen"))
        return outer if holds else None
    if not outer:
        return prelude
    if len(outer) + len(prelude) > 400:
        return None
    return ",".join(
        inner.replace("&", before) if "&" in inner else f"{before} {inner.strip()}"
        for before in _listed(outer)
        for inner in _listed(prelude)
    )


def selector(text: str) -> list[Compound] | None:
    """The steps of one selector, or None when it needs a pointer, a pseudo-element or what we do not read."""
    steps = [Compound()]
    position, text = 0, text.strip()
    while position < len(text):
        part = PART.match(text, position)
        if part is None or len(steps) > NESTING:
            return None
        position = part.end()
        kind = part.lastgroup
        if kind == "space":
            steps.append(Compound(combinator=part.group().strip() or " "))
        elif not _read(steps[-1], part):
            return None
    return steps


def _read(step: Compound, part: re.Match[str]) -> bool:
    if part["hash"]:
        step.hash = unescaped(part["hash"][1:])
    elif part["class"]:
        step.classes.add(unescaped(part["class"][1:]))
    elif part["tag"]:
        step.tag = part["tag"].lower()
    elif part["attribute"]:
        step.attributes.append(
            (part["attribute"].lower(), part["operator"] or "", unescaped((part["value"] or "").strip("\"'")))
        )
    elif part["negated"] is not None:
        return _negate(step, part["negated"])
    elif place := part["first"] or part["last"] or part["root"]:
        step.places.append(place[1:].partition("-")[0])
    return True


def _negate(step: Compound, text: str) -> bool:
    for inner in text.split(","):
        steps = selector(inner) if inner.strip() else None
        if steps is None or len(steps) != 1:
            return False
        step.negated.append(steps[0])
    return True


def rules_of(pairs: Iterable[tuple[str, str]], names: Container[str] | None = None) -> Iterator[Rule]:
    """The rules of (selector list, body) pairs, one for each selector we can read.

    Given `names`, the classes and `#` ids of a document, what asks for others is left out.
    """
    order = 0
    seen: set[tuple[str, str]] = set()
    for selectors, body in pairs:
        found: Declarations | None = None
        for text in _listed(selectors):
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
                yield Rule(steps, found, (*_specificity(steps), order))


def _listed(selectors: str) -> list[str]:
    return COMMA.split(selectors) if "(" in selectors or "[" in selectors else selectors.split(",")


def _concerns(text: str, names: Container[str] | None) -> bool:
    """A quick look at a selector, before it is read."""
    if ":" in text and UNREAD.search(text):
        return False
    if names is None or "\\" in text or "(" in text:
        return not text.isspace()
    return all((word[1:] if word[0] == "." else word) in names for word in WORDS.findall(text)) and not text.isspace()


def _specificity(steps: list[Compound]) -> tuple[int, int, int]:
    hashes = sum(bool(step.hash) for step in steps)
    classes = sum(len(step.classes) + len(step.attributes) + len(step.places) + len(step.negated) for step in steps)
    return hashes, classes, sum(bool(step.tag) for step in steps)


def key(steps: list[Compound]) -> str:
    """Under what a rule is looked up: the id, a class or the tag that its last step asks for, else `*`."""
    last = steps[-1]
    if last.hash:
        return f"#{last.hash}"
    if last.classes:
        return f".{min(last.classes)}"
    return last.tag or "*"
