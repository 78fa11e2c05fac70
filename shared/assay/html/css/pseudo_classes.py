"""The pseudo-classes that a static document decides (Selectors Level 4, sections 6 to 13)."""

from assay.html.css.compound_selectors import Compound, MatchBudget, Test
from assay.html.css.shadow_trees import HOST, ROOT
from assay.html.parser.html_element import HtmlElement
from assay.text.word_lists import parse_words

CHILD_POSITIONS = {  # whether positions count from the end, and only elements of one tag
    "nth-child": (False, False),
    "nth-last-child": (True, False),
    "nth-of-type": (False, True),
    "nth-last-of-type": (True, True),
}
FORM_CONTROLS = parse_words("button input select textarea optgroup option fieldset")
INPUTS = parse_words("input select textarea")


def matches_nothing(_: HtmlElement, __: MatchBudget) -> bool:
    return False


def _matches_all(_: HtmlElement, __: MatchBudget) -> bool:
    return True


def never_matches(steps: list[Compound]) -> bool:
    """Return whether the selector cannot match in a document without user interaction."""
    return any(matches_nothing in step.tests for step in steps)


def is_root_selector(step: Compound) -> bool:
    """Return whether the step has `:root` or `:scope`."""
    return _is_root in step.tests


def _is_root(element: HtmlElement, _: MatchBudget) -> bool:
    return element.getparent() is None


def _is_empty(element: HtmlElement, _: MatchBudget) -> bool:
    return not len(element) and not element.text


def _is_link(element: HtmlElement, _: MatchBudget) -> bool:
    return element.tag in ("a", "area") and element.get("href") is not None


def _is_checked(element: HtmlElement, _: MatchBudget) -> bool:
    return element.get("checked") is not None or element.get("selected") is not None


def _is_disabled(element: HtmlElement, _: MatchBudget) -> bool:
    return element.tag in FORM_CONTROLS and element.get("disabled") is not None


def _is_enabled(element: HtmlElement, _: MatchBudget) -> bool:
    return element.tag in FORM_CONTROLS and element.get("disabled") is None


def _is_required(element: HtmlElement, _: MatchBudget) -> bool:
    return element.tag in INPUTS and element.get("required") is not None


def _is_optional(element: HtmlElement, _: MatchBudget) -> bool:
    return element.tag in INPUTS and element.get("required") is None


def _is_read_write(element: HtmlElement, _: MatchBudget) -> bool:
    if element.tag in ("input", "textarea"):
        return element.get("readonly") is None and element.get("disabled") is None
    around = (one.get("contenteditable") for one in (element, *element.iterancestors()))
    return (next((value for value in around if value is not None), None) or "false").lower() != "false"


def _is_read_only(element: HtmlElement, budget: MatchBudget) -> bool:
    budget.remaining -= 1
    return not _is_read_write(element, budget)


def _is_open(element: HtmlElement, _: MatchBudget) -> bool:
    return element.tag in ("details", "dialog") and element.get("open") is not None


def _is_only(is_typed: bool) -> Test:
    return lambda element, _: all(_is_at_end(element, is_last, is_typed) for is_last in (False, True))


def _make_end_test(is_last: bool, is_typed: bool) -> Test:
    return lambda element, _: _is_at_end(element, is_last, is_typed)


def _is_at_end(element: HtmlElement, is_last: bool, is_typed: bool) -> bool:
    return next(element.itersiblings(element.tag if is_typed else None, preceding=not is_last), None) is None


STATIC_PSEUDO_CLASSES: dict[str, Test] = {
    "root": _is_root,
    "scope": _is_root,
    "empty": _is_empty,
    "link": _is_link,
    "any-link": _is_link,
    "-webkit-any-link": _is_link,
    "-moz-any-link": _is_link,
    "checked": _is_checked,
    "disabled": _is_disabled,
    "enabled": _is_enabled,
    "required": _is_required,
    "optional": _is_optional,
    "valid": _is_optional,  # a form that nobody has filled in
    "invalid": _is_required,
    "read-only": _is_read_only,
    "-moz-read-only": _is_read_only,
    "read-write": _is_read_write,
    "open": _is_open,
    "first-child": _make_end_test(is_last=False, is_typed=False),
    "last-child": _make_end_test(is_last=True, is_typed=False),
    "first-of-type": _make_end_test(is_last=False, is_typed=True),
    "last-of-type": _make_end_test(is_last=True, is_typed=True),
    "only-child": _is_only(is_typed=False),
    "only-of-type": _is_only(is_typed=True),
    "defined": _matches_all,  # scripts usually define custom elements
}


def find_static_test(name: str) -> Test:
    """Return the test of a pseudo-class without arguments."""
    found = STATIC_PSEUDO_CLASSES.get(name)
    return found or _make_shadow_test(*name.rpartition("-")) or matches_nothing


def _make_shadow_test(kind: str, dash: str, number: str) -> Test | None:
    """Return the test for the root or the host of a shadow tree with this number (see `ShadowTrees`)."""
    if kind + dash not in (ROOT, HOST) or not number.isdecimal():
        return None
    place, is_root = int(number[:9]), kind + dash == ROOT

    def is_in_place(element: HtmlElement, budget: MatchBudget) -> bool:
        trees = budget.trees.roots if is_root else budget.trees.hosts
        return place < len(trees) and element in trees[place]

    return is_in_place


def make_position_test(every: int, start: int, is_last: bool, is_typed: bool, filtered: Test | None) -> Test:
    """Return the test of `:nth-child(every·n + start)` and its relatives, among the siblings that match `filtered`."""

    def is_at_position(element: HtmlElement, budget: MatchBudget) -> bool:
        number = budget.position(element, is_last, is_typed, filtered)
        if not number:
            return False
        rest = number - start
        return rest == 0 if every == 0 else rest % every == 0 and rest // every >= 0

    return is_at_position


def make_language_test(name: str, values: list[str]) -> Test:
    """Return the test of `:lang()` or `:dir()`, decided by the nearest ancestor's attribute; the default direction is
    left to right.
    """

    def has_language(element: HtmlElement, budget: MatchBudget) -> bool:
        around = next((one for one in (element, *element.iterancestors()) if one.get(name) is not None), None)
        budget.remaining -= 1
        declared = around.get(name, "") if around is not None else "ltr" if name == "dir" else ""
        declared = declared.strip().lower()
        return any(declared == text or (name == "lang" and text and declared.startswith(text + "-")) for text in values)

    return has_language
