from collections.abc import Callable, Collection, Iterator
from typing import overload

from assay.html.parser.html_element import HtmlElement, HtmlRoot

class ElementFields:
    tag: str
    attributes: dict[str, str]
    parent: HtmlElement | None
    previous: HtmlElement | None
    text: str | None
    tail: str | None
    first: HtmlElement | None
    next: HtmlElement | None
    def __init__(
        self,
        tag: str,
        attributes: dict[str, str] = ...,
        parent: HtmlElement | None = ...,
        previous: HtmlElement | None = ...,
    ) -> None: ...
    @overload
    def get(self, name: str, /) -> str | None: ...
    @overload
    def get(self, name: str, default: str, /) -> str: ...
    def __iter__(self) -> Iterator[HtmlElement]: ...
    def iter(self, *tags: str) -> Iterator[HtmlElement]: ...
    def iterdescendants(self, *tags: str) -> Iterator[HtmlElement]: ...
    def iterancestors(self, *tags: str) -> Iterator[HtmlElement]: ...

def build_tree(
    markup: bytes,
    root_type: type[HtmlRoot],
    element_type: type[HtmlElement],
    max_depth: int,
    parse_noscript: Callable[[str], bytes],
    /,
) -> tuple[HtmlRoot, bool]: ...
def unlink_elements(elements: list[HtmlElement], /) -> None: ...
def group_by_tag(elements: list[HtmlElement], /) -> dict[str, list[HtmlElement]]: ...
def collect_values(elements: list[HtmlElement], name: str, /) -> set[str]: ...
def list_matching(
    elements: list[HtmlElement], wanted: dict[str, Collection[str] | None], tags: frozenset[str], /
) -> list[HtmlElement]: ...
