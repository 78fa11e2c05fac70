"""Items of task lists: whether they are done, as a box, an attribute or a class says."""

from assay.html.parser.html_element import HtmlElement

STATES = {"true": "x", "checked": "x", "false": " ", "unchecked": " "}
BOXES = ("[x] ", "[ ] ")
MAX_BOX_LEVELS = 4  # elements around a box at the start of an item
TASK_LISTS = frozenset(("tox-checklist", "inline-task-list"))  # which mark only those of their items that are done
DONE_CLASSES = {"tox-checklist--checked": "x", "checkbox-on": "x", "checkbox-off": " "}


def find_box(item: HtmlElement) -> str:
    """Return the box before the text of an item of a task list, as markdown writes it; "" for other items."""
    state = _read_state(item)
    return f"[{state}] " if state else ""


def _read_state(item: HtmlElement) -> str:
    attributes = item.attributes
    named = attributes.get("data-checked") or attributes.get("data-list") or ""
    if not named and item.parent is not None:
        named = item.parent.attributes.get("data-checked") or ""
    if not named and attributes.get("role") == "checkbox":
        named = attributes.get("aria-checked") or ""
    if state := STATES.get(named) or _find_class_state(item):
        return state
    return _find_input(item)


def _find_class_state(item: HtmlElement) -> str:
    """Return the state by the class of the item, of its list, or of an empty element at its start."""
    for element in (item, item.first):
        if element is not None:
            for name in (element.attributes.get("class") or "").split():
                if name in DONE_CLASSES:
                    return DONE_CLASSES[name]
    around = ((item.parent.attributes.get("class") or "") if item.parent is not None else "").split()
    if "inline-task-list" in around and "checked" in (item.attributes.get("class") or "").split():
        return "x"  # in Confluence
    return "" if TASK_LISTS.isdisjoint(around) else " "


def _find_input(item: HtmlElement) -> str:
    """Return the state of the check box with which an item begins; one that a reader can use has another purpose."""
    box, text = item.first, item.text
    for _ in range(MAX_BOX_LEVELS):
        if box is None or (text and not text.isspace()):
            return ""
        if box.tag == "input":
            is_box = box.attributes.get("type") == "checkbox" and "disabled" in box.attributes
            return "" if not is_box else "x" if box.attributes.get("checked") is not None else " "
        text, box = box.text, box.first
    return ""
