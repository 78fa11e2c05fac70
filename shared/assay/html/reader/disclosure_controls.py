"""Controls that open a hidden section, according to their attributes: ARIA, Bootstrap's `data-toggle`, `popovertarget`
and `commandfor`. https://www.w3.org/WAI/ARIA/apg/patterns/disclosure/
"""

from collections import defaultdict
from collections.abc import Iterator
from itertools import islice

from assay.html.parser.html_element import HtmlElement, HtmlRoot
from assay.html.reader.unseen_siblings import find_before, is_alone
from assay.text.word_lists import parse_words

MAX_CONTROLS = 2_000  # controls, and labelled sections, of a document that are examined
MAX_TARGETS = 4  # elements that one control may name
MAX_WRAPPERS = 3  # elements around a section that hold nothing else
MAX_HEADER_ELEMENTS = 40  # elements before a section that are searched for its control
MAX_LEVELS = 8  # levels between a control or its section and the nearest element that holds both
MAX_SIBLINGS = 12  # siblings between them there
MAX_SWITCH_LEVELS = 3  # levels around a section at which a checkbox that shows it may stand before it

CONTROL_ATTRIBUTES = parse_words("aria-controls aria-expanded popovertarget commandfor data-toggle data-bs-toggle")
LABELLED_ROLES = parse_words("tabpanel region")
SEPARATE_TAGS = parse_words("article main aside footer")  # parts of a page that contain what they control
TOGGLES = parse_words("collapse tab pill list")
OPENING_COMMANDS = parse_words("show-modal show-popover toggle-popover")
MENU_POPUPS = parse_words("true menu listbox tree grid")  # values of `aria-haspopup`


class DisclosureControls:
    """The controls of a document, by the sections that they name."""

    def __init__(self, root: HtmlRoot) -> None:
        self.root = root
        self.by_section: defaultdict[HtmlElement, list[HtmlElement]] = defaultdict(list)
        controls = root.list_with(*CONTROL_ATTRIBUTES)[:MAX_CONTROLS]
        self.targets: dict[HtmlElement, list[HtmlElement]] = {control: [] for control in controls}
        self.labels: defaultdict[str, list[HtmlElement]] = defaultdict(list)  # by the id of the box that they switch
        for label in root.iter("label"):
            if "for" in label.attributes:
                self.labels[label.attributes["for"]].append(label)
        self._index([one for one in root.list_with("aria-labelledby") if one.get("role") in LABELLED_ROLES])

    def _index(self, labelled: list[HtmlElement]) -> None:
        for control, targets in self.targets.items():
            named = map(self.root.by_id.get, islice(_named_ids(control), MAX_TARGETS))
            targets += [target for target in named if target is not None]
            for target in targets:
                for section in _with_wrappers(target):
                    self.by_section[section].append(control)
        for panel in labelled:
            tab = self.root.by_id.get(panel.attributes["aria-labelledby"])
            if tab is not None and not self.targets.get(tab) and _is_closed(tab):
                self.by_section[panel].append(tab)

    def find(self, section: HtmlElement) -> list[HtmlElement]:
        """Return the controls that open the section: those that name it, or the one directly before it."""
        return self.by_section.get(section) or self._find_preceding(section)

    def _find_preceding(self, section: HtmlElement) -> list[HtmlElement]:
        """Return the only closed control in the element before the section, unless it names another section."""
        before = find_before(section)
        if before is None:
            return []
        inside = islice(before.iter(), MAX_HEADER_ELEMENTS + 1)
        closed = [element for element in inside if element in self.targets and _is_closed(element)]
        if len(closed) != 1 or _opens_menu(closed[0]):
            return []
        name = section.get("id")
        if name and name in (closed[0].get("aria-controls") or "").split():  # an id that several elements have
            return closed
        is_free = closed[0].get("aria-controls") is None and not self.targets[closed[0]]
        return closed if is_free and closed[0].get("aria-expanded") == "false" else []

    def find_labels(self, section: HtmlElement) -> list[HtmlElement]:
        """Return the labels of the checkboxes and radio buttons before the section."""
        ids = (switch.get("id") or "" for switch in _find_switches(section))
        return [label for name in ids for label in self.labels.get(name, ())[:MAX_TARGETS]]


def _find_switches(section: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the checkboxes and radio buttons shortly before the section or an element around it."""
    for element in _path_up(section)[:MAX_SWITCH_LEVELS]:
        for before in islice(element.itersiblings(preceding=True), MAX_SIBLINGS):
            for inner in (before, *islice(before, MAX_SIBLINGS)):  # a box may be wrapped
                if inner.tag == "input" and inner.get("type") in ("checkbox", "radio"):
                    yield inner


def _named_ids(control: HtmlElement) -> Iterator[str]:
    """Yield the ids of the elements that the control shows."""
    if _opens_menu(control):
        return
    if _is_closed(control):
        yield from (control.get("aria-controls") or "").split()
    if control.get("popovertarget") and control.get("popovertargetaction") != "hide":
        yield control.get("popovertarget") or ""
    if control.get("commandfor") and (control.get("command") or "").lower() in OPENING_COMMANDS:
        yield control.get("commandfor") or ""
    is_toggle = (control.get("data-bs-toggle") or control.get("data-toggle") or "").lower() in TOGGLES
    if is_toggle or control.get("role") == "tab":
        for attribute in ("data-bs-target", "data-target", "href"):
            value = control.get(attribute) or ""
            if value.startswith("#"):
                yield value[1:]


def _is_closed(control: HtmlElement) -> bool:
    """Return whether the control may open something: a tab, or a button that is not said to be expanded."""
    expanded = control.get("aria-expanded")
    if expanded is not None:
        return expanded == "false" or control.get("role") == "tab"
    return control.tag == "button" or control.get("role") in ("button", "tab")


def _opens_menu(control: HtmlElement) -> bool:
    return control.get("aria-haspopup") in MENU_POPUPS


def _with_wrappers(section: HtmlElement) -> Iterator[HtmlElement]:
    """Yield the section and the elements around it that hold nothing else."""
    yield section
    for _ in range(MAX_WRAPPERS):
        parent = section.getparent()
        if parent is None or not is_alone(section, parent):
            return
        yield parent
        section = parent


def is_near(control: HtmlElement, section: HtmlElement) -> bool:
    """Return whether both are in one part of the page, neither in the other, with few levels and siblings between."""
    path, other_path = _path_up(control), _path_up(section)
    shared = next((element for element in path if element in other_path), None)
    if shared is None or shared is control or shared is section:
        return False
    below, other_below = path[: path.index(shared)], other_path[: other_path.index(shared)]
    if any(element.tag in SEPARATE_TAGS for element in (*below, *other_below)):
        return False
    branch, other_branch = below[-1], other_below[-1]
    return any(
        sibling is other_branch
        for is_preceding in (False, True)
        for sibling in islice(branch.itersiblings(preceding=is_preceding), MAX_SIBLINGS)
    )


def _path_up(element: HtmlElement) -> list[HtmlElement]:
    """Return the element and the nearest elements around it."""
    return [element, *islice(element.iterancestors(), MAX_LEVELS)]
