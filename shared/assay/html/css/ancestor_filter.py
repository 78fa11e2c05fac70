"""A Bloom filter over the tags, classes and ids of an element and its ancestors; rejects most selectors early."""

from collections.abc import Iterable
from zlib import crc32

from assay.html.parser.html_element import HtmlElement
from assay.text.short_text_cache import cache_short

FILTER_BITS = 2048  # a path may have hundreds of names


@cache_short(4096)
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

    __slots__ = ("bits_by_element", "classes")

    def __init__(self) -> None:
        self.bits_by_element: dict[HtmlElement | None, int] = {None: 0}
        self.classes: dict[str, int] = {}  # by class attribute

    def collect_bits(self, element: HtmlElement | None) -> int:
        """Return the bits of the element and all its ancestors."""
        path: list[HtmlElement] = []
        while (found := self.bits_by_element.get(element)) is None:
            assert element is not None
            path.append(element)
            element = element.getparent()
        for ancestor in reversed(path):
            found |= self._element_bits(ancestor)
            self.bits_by_element[ancestor] = found
        return found

    def _element_bits(self, element: HtmlElement) -> int:
        found = filter_bit(element.tag)
        name, identity = element.attributes.get("class"), element.attributes.get("id")
        if name:
            if name not in self.classes:
                self.classes[name] = filter_bits(f".{word}" for word in name.split())
            found |= self.classes[name]
        return found | filter_bit(f"#{identity}") if identity else found
