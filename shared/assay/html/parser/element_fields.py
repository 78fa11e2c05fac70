"""The fields of an element, as `_element_tree.c` has them, for a machine where that is not built."""

from collections.abc import Mapping, Sequence

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


def unlink_elements(elements: Sequence[ElementFields], /) -> None:
    """Remove the links between the elements, so that no cycle of references is left."""
    for element in elements:
        element.parent = element.previous = element.first = element.next = None
