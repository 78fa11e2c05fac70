"""The fields of an element, as `_element_tree.c` has them, for a machine where that is not built."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import cast

NO_ATTRIBUTES: dict[str, str] = {}  # shared by the elements without any


class ElementFields:
    """An element's tag, attributes and text, and its links; text is before the first child, `tail` after the end."""

    __slots__ = ("attributes", "first", "next", "parent", "previous", "tag", "tail", "text")

    def __init__(
        self,
        tag: str,
        attributes: Mapping[str, str] = NO_ATTRIBUTES,
        parent: "ElementFields | None" = None,
        previous: "ElementFields | None" = None,
    ) -> None:
        """Append a new element to `parent`, whose last child is `previous`."""
        self.tag = tag
        self.attributes = attributes
        self.parent = parent
        self.previous = previous
        self.text: str | None = None
        self.tail: str | None = None
        self.first: ElementFields | None = None
        self.next: ElementFields | None = None
        if previous is not None:
            previous.next = self
        elif parent is not None:
            parent.first = self

    def get(self, name: str, default: str | None = None, /) -> str | None:
        """Return the value of an attribute."""
        return self.attributes.get(name, default)

    def __iter__(self) -> "Iterator[ElementFields]":
        child = self.first
        while child is not None:
            yield child
            child = child.next

    def iter(self, *tags: str) -> "Iterator[ElementFields]":
        """Yield the element and its descendants in document order, all of them or those with one of the tags."""
        if not tags or self.tag in tags:
            yield self
        yield from self.iterdescendants(*tags)

    def iterdescendants(self, *tags: str) -> "Iterator[ElementFields]":
        """Yield what `iter` yields without the element itself."""
        element = self.first
        while element is not None:
            if not tags or element.tag in tags:
                yield element
            if element.first is not None:
                element = element.first
            else:
                while element.next is None and element.parent is not self:
                    element = cast("ElementFields", element.parent)
                element = element.next

    def iterancestors(self, *tags: str) -> "Iterator[ElementFields]":
        """Yield the elements around, the innermost first."""
        ancestor = self.parent
        while ancestor is not None:
            if not tags or ancestor.tag in tags:
                yield ancestor
            ancestor = ancestor.parent


def unlink_elements(elements: Sequence[ElementFields], /) -> None:
    """Remove the links between the elements, so that no cycle of references is left."""
    for element in elements:
        element.parent = element.previous = element.first = element.next = None


def group_by_tag[Element: ElementFields](elements: list[Element], /) -> dict[str, list[Element]]:
    """Return lists of the elements with the same tag, by tag."""
    groups: dict[str, list[Element]] = {}
    for element in elements:
        groups.setdefault(element.tag, []).append(element)
    return groups


def group_by_attribute[Element: ElementFields](elements: list[Element], /) -> dict[str, list[Element]]:
    """Return lists of the elements with an attribute, by its name."""
    groups: dict[str, list[Element]] = {}
    for element in elements:
        for name in element.attributes:
            groups.setdefault(name, []).append(element)
    return groups


def collect_values(elements: Sequence[ElementFields], name: str, /) -> set[str]:
    """Return the values of an attribute."""
    return {element.attributes[name] for element in elements if name in element.attributes}


def list_matching[Element: ElementFields](
    elements: list[Element], name: str, values: Collection[str], /
) -> list[Element]:
    """Return the elements with one of the values of an attribute."""
    return [element for element in elements if element.attributes.get(name) in values]


def list_texts(root: ElementFields, left_out: frozenset[str], /) -> list[str]:
    """Return the texts in the element, but those directly in one of the tags `left_out`."""
    texts: list[str] = []
    for element in root.iter():
        if element.text and element.tag not in left_out:
            texts.append(element.text)
        around = None if element is root else element.parent
        if around is not None and element.tail and around.tag not in left_out:
            texts.append(element.tail)
    return texts
