"""The elements of a parsed page, as plain Python objects with the part of lxml's interface that the readers use.

lxml creates a Python object whenever an element is reached, which costs a reader more than its own work; these objects
exist once. Text is kept as in lxml: `text` is before the first child, `tail` after the end of the element.
"""

import re
from collections.abc import Collection, Iterator, KeysView
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, cast

from assay.html.parser.element_fields import NO_ATTRIBUTES

if TYPE_CHECKING:
    from assay.html.parser import _element_tree as fields
else:
    try:
        from assay.html.parser import _element_tree as fields
    except ImportError:  # the extension module is not built
        from assay.html.parser import element_fields as fields


class HtmlElement(fields.ElementFields):
    """An element, linked to its neighbours. The tree is not modified after it is built."""

    __slots__ = ()

    def keys(self) -> KeysView[str]:
        """Return the names of the attributes."""
        return self.attributes.keys()

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return True

    def __getitem__(self, index: int) -> "HtmlElement":
        for child in islice(self, index, None):
            return child
        raise IndexError(index)

    def iterchildren(self, *, reversed: bool = False) -> Iterator["HtmlElement"]:  # noqa: A002 -- lxml's name
        return iter([*self][::-1]) if reversed else iter(self)

    def getparent(self) -> "HtmlElement | None":
        return self.parent

    def getnext(self) -> "HtmlElement | None":
        return self.next

    def getprevious(self) -> "HtmlElement | None":
        return self.previous

    def itersiblings(self, tag: str | None = None, *, preceding: bool = False) -> Iterator["HtmlElement"]:
        """Yield the siblings after the element, or before it beginning with the nearest."""
        sibling = self.previous if preceding else self.next
        while sibling is not None:
            if tag is None or sibling.tag == tag:
                yield sibling
            sibling = sibling.previous if preceding else sibling.next

    def find(self, tag: str) -> "HtmlElement | None":
        """Return the first child with the tag."""
        return next((child for child in self if child.tag == tag), None)

    def itertext(self) -> Iterator[str]:
        """Yield the texts in the element in document order."""
        if self.text:
            yield self.text
        element = self.first
        while element is not None:
            if element.text:
                yield element.text
            if element.first is not None:
                element = element.first
            else:
                for ended in self._iter_ended(element):
                    if ended.tail:
                        yield ended.tail
                    element = ended
                element = element.next

    def _iter_ended(self, element: "HtmlElement") -> Iterator["HtmlElement"]:
        """Yield a descendant without children and the elements that end with it, the innermost first."""
        yield element
        while element.next is None and element.parent is not self:
            element = cast("HtmlElement", element.parent)
            yield element

    def list_texts(self, left_out: frozenset[str]) -> list[str]:
        """Return the texts in the element, but those directly in one of the tags `left_out`."""
        return fields.list_texts(self, left_out)

    def text_content(self) -> str:
        return "".join(self.itertext())


class HtmlRoot(HtmlElement):
    """The root element of a page, which finds elements by their tag and attributes without a walk."""

    def __init__(self, tag: str, attributes: dict[str, str] = NO_ATTRIBUTES) -> None:
        super().__init__(tag, attributes)
        self.elements: list[HtmlElement] = [self]  # all, in document order
        self.is_cut = False  # whether a limit left out a part of the page

    @cached_property
    def by_tag(self) -> dict[str, list[HtmlElement]]:
        return fields.group_by_tag(self.elements)

    @cached_property
    def by_attribute(self) -> dict[str, list[HtmlElement]]:
        """The elements with an attribute, by its name."""
        return fields.group_by_attribute(self.elements)

    @cached_property
    def by_id(self) -> dict[str, HtmlElement | None]:
        """The elements with an id; None for an id that several have."""
        found: dict[str, HtmlElement | None] = {}
        for element in self.list_with("id"):
            name = element.attributes["id"]
            found[name] = None if name in found else element
        return found

    @cached_property
    def class_values(self) -> set[str]:
        """The values of the class attributes."""
        return self.collect_values("class")

    @cached_property
    def class_names(self) -> set[str]:
        """All classes of the page."""
        return set(chain.from_iterable(map(str.split, self.class_values)))

    @cached_property
    def _class_lines(self) -> str:
        return "\n".join(self.class_names)

    @cached_property
    def fragment_links(self) -> list[str]:
        """The targets of links that lead to a place in a page."""
        return [target for target in fields.collect_values(self.by_tag.get("a", []), "href") if "#" in target]

    def collect_values(self, name: str) -> set[str]:
        """Return the values of an attribute."""
        return fields.collect_values(self.by_attribute.get(name, []), name)

    def find_classes(self, pattern: re.Pattern[str] | None, wanted: frozenset[str] = frozenset()) -> set[str]:
        """Return the values of the class attributes with a class that is wanted, or in which the pattern is found.

        The pattern matches no white space. It is searched once in the names of all classes.
        """
        lines, names = self._class_lines, self.class_names & wanted
        for match in pattern.finditer(lines) if pattern else ():
            start = lines.rfind("\n", 0, match.start()) + 1
            end = lines.find("\n", match.end())
            names.add(lines[start : end if end >= 0 else None])
        return {value for value in self.class_values if not names.isdisjoint(value.split())} if names else names

    def list_with(self, *names: str) -> list[HtmlElement]:
        """Return the elements that have one of the attributes, in document order."""
        return self._merge([self.by_attribute[name] for name in names if name in self.by_attribute])

    def list_matching(self, wanted: dict[str, Collection[str]], *tags: str) -> list[HtmlElement]:
        """Return the elements of one of the tags, or with a value that is wanted of an attribute, in document order."""
        groups = [self.by_tag[tag] for tag in tags if tag in self.by_tag]
        for name, values in wanted.items():
            if values and name in self.by_attribute:
                groups.append(fields.list_matching(self.by_attribute[name], name, values))
        return self._merge([group for group in groups if group])

    def _merge(self, groups: list[list[HtmlElement]]) -> list[HtmlElement]:
        """Return the elements of all groups in document order."""
        if len(groups) < 2:
            return groups[0].copy() if groups else []
        found = set(chain.from_iterable(groups))
        return list(filter(found.__contains__, self.elements))

    def iter(self, *tags: str) -> Iterator[HtmlElement]:
        return iter(self.list_matching({}, *tags) if tags else self.elements)

    def unlink(self) -> None:
        """Break the links between the elements, so that their memory is free before a garbage collection."""
        fields.unlink_elements(self.elements)
        self.elements.clear()
        for name in ("by_tag", "by_attribute", "by_id"):  # they refer to the root, too
            self.__dict__.pop(name, None)
