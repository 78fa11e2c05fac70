"""Elements that a declarative shadow root leaves without a slot, and that a browser therefore does not show.

https://dom.spec.whatwg.org/#finding-slots-and-slottables
"""

from assay.html.parser.html_element import HtmlElement

MODES = frozenset(("open", "closed"))


def find_unslotted(root: HtmlElement) -> frozenset[HtmlElement]:
    """Return the children of shadow hosts that no slot of the shadow root takes."""
    found: set[HtmlElement] = set()
    hosts: set[HtmlElement] = set()
    for template in root.iter("template"):
        host = template.getparent()
        if (template.get("shadowrootmode") or "").lower() not in MODES or host is None or host in hosts:
            continue
        hosts.add(host)  # a second template of a host stays a template
        names = {slot.get("name") or "" for slot in template.iter("slot")}
        found.update(child for child in host if child.tag != "template" and (child.get("slot") or "") not in names)
    return frozenset(found)
