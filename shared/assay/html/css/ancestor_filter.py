"""A Bloom filter over the tags, classes and ids of an element and its ancestors; rejects most selectors early."""

from collections.abc import Iterable
from zlib import crc32

from lxml.html import HtmlElement

FILTER_BITS = 512


def filter_bit(name: str) -> int:
    """Return the filter bit of a name; several names may share one."""
    return 1 << crc32(name.encode("utf-8", "surrogatepass")) % FILTER_BITS


def filter_bits(names: Iterable[str]) -> int:
    """Return the filter bits of all names."""
    found = 0
    for name in names:
        found |= filter_bit(name)
    return found


class AncestorBloom:
    """Filter bits of the tags, of the classes as `.class` and of the ids as `#id`, from the root down to an element."""

    __slots__ = ("classes", "known")

    def __init__(self) -> None:
        self.known: dict[HtmlElement | None, int] = {None: 0}
        self.classes: dict[str, int] = {}  # by class attribute

    def bits_for(self, element: HtmlElement | None) -> int:
        """Return the bits of the element and all its ancestors."""
        path: list[HtmlElement] = []
        while (found := self.known.get(element)) is None:
            assert element is not None
            path.append(element)
            element = element.getparent()
        for one in reversed(path):
            found |= self._own(one)
            self.known[one] = found
        return found

    def _own(self, element: HtmlElement) -> int:
        found = filter_bit(element.tag)
        name, identity = element.get("class"), element.get("id")
        if name:
            if name not in self.classes:
                self.classes[name] = filter_bits(f".{word}" for word in name.split())
            found |= self.classes[name]
        return found | filter_bit(f"#{identity}") if identity else found
