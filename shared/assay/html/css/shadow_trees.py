"""Declarative shadow roots: the trees that browsers show, the children of hosts without a slot, and scoped selectors.

https://dom.spec.whatwg.org/#shadow-trees, https://www.w3.org/TR/css-scoping-1/
"""

import re

from assay.html.css.css_syntax import split_list
from assay.html.parser.html_element import HtmlElement, HtmlRoot
from assay.text.word_lists import parse_words

MODES = frozenset(("open", "closed"))
HOSTS = parse_words("article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span")
ROOT, HOST = "-assay-shadow-root-", "-assay-shadow-host-"  # pseudo-classes with the number of a shadow tree
HOST_SELECTOR = re.compile(r":host(?:-context)?(?:\(((?:[^()]|\([^()]*\)){1,200})\)|(?![\w-]))", re.IGNORECASE)
SLOTTED = re.compile(r"(?:^|[^\s>+~]{0,200})::slotted\(((?:[^()]|\([^()]*\)){1,200})\)", re.IGNORECASE)


def find_shadow_roots(root: HtmlRoot) -> frozenset[HtmlElement]:
    """Return the templates with a tree that a browser shows in place of the children of their parents."""
    found: dict[HtmlElement, HtmlElement] = {}
    for template in root.iter("template"):
        host = template.parent
        if (
            host is not None
            and (template.get("shadowrootmode") or "").lower() in MODES
            and (host.tag in HOSTS or "-" in host.tag)
            and not _is_inert(template, found)
        ):
            found.setdefault(host, template)  # a second template of a host stays a template
    return frozenset(found.values())


def _is_inert(template: HtmlElement, shown: dict[HtmlElement, HtmlElement]) -> bool:
    """Return whether the template is in another one that is not shown."""
    return any(shown.get(around.parent) is not around for around in template.iterancestors("template") if around.parent)


def find_unslotted(shadow_roots: frozenset[HtmlElement]) -> frozenset[HtmlElement]:
    """Return the children of shadow hosts that no slot of the shadow root takes."""
    found: set[HtmlElement] = set()
    for template in shadow_roots:
        names = {slot.get("name") or "" for slot in template.iter("slot")}
        children = template.parent or ()
        found.update(child for child in children if child.tag != "template" and (child.get("slot") or "") not in names)
    return frozenset(found)


class ShadowTrees:
    """The shadow trees of a document, and those that have the same style sheet by its number."""

    def __init__(self, shadow_roots: frozenset[HtmlElement] = frozenset()) -> None:
        self.shadow_roots = shadow_roots
        self.roots: list[set[HtmlElement]] = []
        self.hosts: list[set[HtmlElement]] = []
        self._numbers: dict[str, int] = {}

    def add_sheet(self, text: str, shadow_root: HtmlElement) -> int | None:
        """Return the number of the sheet; None if it is known already."""
        number = self._numbers.setdefault(text, len(self.roots))
        is_new = number == len(self.roots)
        if is_new:
            self.roots.append(set())
            self.hosts.append(set())
        self.roots[number].add(shadow_root)
        if shadow_root.parent is not None:
            self.hosts[number].add(shadow_root.parent)
        return number if is_new else None

    def scope_selectors(self, selectors: str, number: int) -> str:
        """Return the selectors of the sheet of a shadow tree as those of the document with the tree in a template."""
        return ",".join(self._scope_selector(selector, number) for selector in split_list(selectors))

    def _scope_selector(self, selector: str, number: int) -> str:
        lower = selector.lower()
        if ":host" not in lower and "::slotted" not in lower:
            return f":{ROOT}{number} {selector}"
        tags = {host.tag for host in self.hosts[number]}
        host = f"{tags.pop() if len(tags) == 1 else ''}:{HOST}{number}"
        if "::slotted" in lower:
            return SLOTTED.sub(lambda found: f"{host} > :is({found[1]})", selector)
        return HOST_SELECTOR.sub(lambda found: f"{host}:is({found[1]})" if found[1] else host, selector)
