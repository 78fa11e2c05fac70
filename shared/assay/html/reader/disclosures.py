"""Hidden sections that a click opens: accordions, tabs, "read more" and popovers.

A section is read if a control opens it according to `disclosure_controls`, and that control is near it, visible and
has visible text, or a visible icon and an accessible name. Only what hides a closed section is undone: a section that
is also off screen, clipped or transparent stays hidden, and so does what is hidden inside it. Menus, searches, consent
banners, sign-in forms and lists of links stay hidden too, since they are no content.
"""

import re
from itertools import islice

from assay.html.css.inherited_visibility import INITIAL_STATE, State
from assay.html.css.visibility import VisibilityResolver
from assay.html.parser.html_element import HtmlElement
from assay.html.reader.accessible_names import has_accessible_name, is_icon
from assay.html.reader.disclosure_controls import DisclosureControls, is_near
from assay.text.word_lists import parse_words

MAX_ELEMENTS = 200_000  # elements in closed sections of a document that are examined
MAX_USES = 8  # controls of one section that are examined
MAX_CONTROL_ELEMENTS, MAX_CONTROL_CHARACTERS = 60, 300  # a larger element is no control
MAX_LINK_SHARE = 0.6  # of a section's characters; a menu has more
MAX_FIELDS = 1  # fields to fill in; a form has more
MAX_OVERLAY_LEVELS = 64  # elements around a popover or dialog that are searched for the main content
MAX_NAMED_LEVELS = 3  # elements around a section whose names tell its purpose

BUTTON_INPUTS = parse_words("hidden button submit reset")
FIELDS = parse_words("input select textarea")
SECRET_INPUTS = parse_words("password email search tel")
UNREAD_TAGS = parse_words("script style noscript template svg head select iframe object canvas textarea")
CHROME_TAGS = parse_words("nav menu header footer search")
CHROME_ROLES = parse_words(
    "navigation menu menubar search listbox combobox tooltip alert alertdialog dialog tree toolbar banner contentinfo"
)
CHROME_NAMES = parse_words(
    "nav navbar navigation subnav menu menus submenu megamenu offcanvas cookie cookies consent gdpr onetrust login "
    "signin signup newsletter subscribe search autocomplete language languages lang locale locales currency country "
    "countries cart basket minicart share sharing filter filters facet facets sort modal popup"
)
NAME_WORD = re.compile(r"[A-Za-z][a-z]+|[A-Z]{2,}")


class Disclosures:
    """The hidden sections of one document that a click opens."""

    def __init__(self, resolver: VisibilityResolver) -> None:
        self.resolver = resolver
        self.opened: set[HtmlElement] = set()
        self.controls: DisclosureControls | None = None
        self.states: dict[HtmlElement, State | None] = {}  # states of elements around controls; None: hidden
        self.names: dict[HtmlElement, bool] = {}  # by control: whether a reader sees what it is
        self.in_chrome: dict[HtmlElement, bool] = {}
        self.elements_left = MAX_ELEMENTS

    def open(self, section: HtmlElement, outer: State) -> State | None:
        """Return the state for the children of a hidden element as if a click had opened it; None if none does."""
        cause = self.resolver.hidden_by
        state = self._open(section, outer)
        self.resolver.hidden_by = cause
        return state

    def _open(self, section: HtmlElement, outer: State) -> State | None:
        if self._is_in_chrome(section) or _is_named_as_chrome(section):
            return None
        state = self.resolver.resolve_opened(section, outer)
        if state is None or not self._has_control(section) or not self._is_content(section):
            return None
        self.opened.add(section)
        self.states[section] = state
        return state

    def _has_control(self, section: HtmlElement) -> bool:
        if self.controls is None:
            self.controls = DisclosureControls(self.resolver.root)
        controls = (self.controls.find(section) or self._find_labels(section))[:MAX_USES]
        return any(is_near(control, section) and self._is_named(control) for control in controls)

    def _find_labels(self, section: HtmlElement) -> list[HtmlElement]:
        """Return the labels of the checkboxes and radio buttons before the section, if a rule shows it by them."""
        assert self.controls is not None
        return self.controls.find_labels(section) if self.resolver.depends_on_check(section) else []

    def _is_named(self, control: HtmlElement) -> bool:
        """Return whether the control is a small element with visible text, or with an icon and a name."""
        found = self.names.get(control)
        if found is None:
            found = self.names[control] = self._has_visible_name(control)
        return found

    def _has_visible_name(self, control: HtmlElement) -> bool:
        assert self.controls is not None
        state = self._find_state(control)
        waiting = [(control, state)]
        has_text = has_icon = False
        characters = 0
        for _ in range(MAX_CONTROL_ELEMENTS):
            if not waiting:
                return has_text or (has_icon and has_accessible_name(control, self.resolver.root))
            element, state = waiting.pop()
            if state is None:
                continue
            texts = [element.text or "", *((child.tail or "") for child in element)]
            characters += sum(map(len, map(str.strip, texts)))
            if characters > MAX_CONTROL_CHARACTERS:
                return False
            has_text = has_text or (state.shows and any(map(str.isalpha, "".join(texts))))
            has_icon = has_icon or any(is_icon(child) and self._is_shown(child, state) for child in element)
            waiting += [(child, self._resolve(child, state)) for child in element]
        return False

    def _is_shown(self, icon: HtmlElement, outer: State) -> bool:
        state = self.resolver.resolve(icon, outer, icon.get("class"))
        return state is not None and state.shows

    def _find_state(self, element: HtmlElement) -> State | None:
        """Return the visibility state inside an element."""
        path: list[HtmlElement] = []
        current: HtmlElement | None = element
        while current is not None and current not in self.states:
            if current not in self.resolver.places:
                path.append(current)
            current = self._get_parent(current)
        state = INITIAL_STATE if current is None else self.states[current]
        for current in reversed(path):
            if state is not None:
                state = self._resolve(current, state)
            self.states[current] = state
        return state

    def _get_parent(self, element: HtmlElement) -> HtmlElement | None:
        """Return the element around this one, after scripts moved what they move into place."""
        return self.resolver.places.get(element, element).parent

    def _resolve(self, element: HtmlElement, outer: State) -> State | None:
        if element.tag in UNREAD_TAGS or (element.tag == "dialog" and element.get("open") is None):
            return None
        if element.tag == "body":
            return outer  # one that is hidden waits for a script that shows it
        return self.resolver.resolve(element, outer, element.get("class"))

    def _is_content(self, section: HtmlElement) -> bool:
        """Return whether the section may be content: neither a form nor a list of links."""
        elements = list(islice(section.iter(), max(self.elements_left, 0)))
        self.elements_left -= len(elements)
        if self.elements_left <= 0 or _is_overlay_of_site(section):
            return False
        fields = [element.get("type") for element in elements if _is_field(element)]
        return len(fields) <= MAX_FIELDS and SECRET_INPUTS.isdisjoint(fields) and not _is_link_list(section, elements)

    def _is_in_chrome(self, element: HtmlElement) -> bool:
        """Return whether the element is or lies in navigation, a form or a dialog."""
        path: list[HtmlElement] = []
        current: HtmlElement | None = element
        while current is not None and current not in self.in_chrome:
            path.append(current)
            current = self._get_parent(current)
        found = current is not None and self.in_chrome[current]
        for current in reversed(path):
            found = found or current.tag in CHROME_TAGS or current.get("role") in CHROME_ROLES
            self.in_chrome[current] = found
        return found


def _is_field(element: HtmlElement) -> bool:
    return element.tag in FIELDS and (element.tag != "input" or element.get("type") not in BUTTON_INPUTS)


def _is_link_list(section: HtmlElement, elements: list[HtmlElement]) -> bool:
    """Return whether most of the section's characters are in links, given all its elements in document order."""
    total = linked = 0
    in_links: set[HtmlElement | None] = set()
    for element in elements:
        characters = len((element.text or "").strip()) if element.tag not in UNREAD_TAGS else 0
        tail = len((element.tail or "").strip()) if element is not section else 0
        total += characters + tail
        if element.parent in in_links:
            linked += tail
        if element.parent in in_links or (element.tag == "a" and element.get("href") is not None):
            in_links.add(element)
            linked += characters
    return linked > MAX_LINK_SHARE * total


def _is_overlay_of_site(section: HtmlElement) -> bool:
    """Return whether the section is a popover or dialog outside the main content, such as an account menu."""
    if section.get("popover") is None and section.tag != "dialog":
        return False
    around = islice(section.iterancestors(), MAX_OVERLAY_LEVELS)
    return not any(element.tag in ("main", "article") or element.get("role") == "main" for element in around)


def _is_named_as_chrome(section: HtmlElement) -> bool:
    """Return whether the classes or ids of the section, or of the elements around it, name navigation or a form."""
    current: HtmlElement | None = section
    for _ in range(MAX_NAMED_LEVELS + 1):
        if current is None or current.tag in ("body", "html"):
            return False
        names = f"{current.get('class') or ''} {current.get('id') or ''}"
        if not CHROME_NAMES.isdisjoint(map(str.lower, NAME_WORD.findall(names))):
            return True
        current = current.getparent()
    return False
