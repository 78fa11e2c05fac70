"""What an element and all above it are called, in short: enough to tell of most selectors that they cannot fit."""

from collections.abc import Iterable
from zlib import crc32

from lxml.html import HtmlElement

SIGNS = 512


def sign(name: str) -> int:
    """The bit of a name; several may share it."""
    return 1 << crc32(name.encode("utf-8", "surrogatepass")) % SIGNS


def signs(names: Iterable[str]) -> int:
    found = 0
    for name in names:
        found |= sign(name)
    return found


class AncestorBloom:
    """The signs of the tags, of the classes with a `.`, and of the ids with a `#`, on the way down to an element."""

    __slots__ = ("classes", "known")

    def __init__(self) -> None:
        self.known: dict[HtmlElement | None, int] = {None: 0}
        self.classes: dict[str, int] = {}  # by the class attribute

    def of(self, element: HtmlElement | None) -> int:
        """The signs of the element and of all above it."""
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
        found = sign(element.tag)
        name, identity = element.get("class"), element.get("id")
        if name:
            if name not in self.classes:
                self.classes[name] = signs(f".{word}" for word in name.split())
            found |= self.classes[name]
        return found | sign(f"#{identity}") if identity else found
