from collections.abc import Callable, Mapping

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.block_walk import BlockWalk as BlockWalk
from assay.html.reader.text_blocks import Frame, Mark, TextBlock, Token

class FrameFields:
    element: HtmlElement
    tag: str
    parent: Frame | None
    first: int
    last: int
    words: int
    link_words: int
    blocks: int
    texts: int
    items: int
    place: int
    nested: bool
    rows: list[list[Frame]] | None
    cells: int
    marker: str | None
    data: bool | None
    heading: int
    table: Frame | None
    def __init__(self, element: HtmlElement, tag: str, parent: Frame | None, first: int) -> None: ...

class BlockFields:
    index: int
    frame: Frame
    tokens: list[Token]
    text: str
    kind: str
    words: int
    links: int
    link_words: int
    is_running_text: bool
    score: float
    def __init__(self, index: int, frame: Frame, tokens: list[Token], text: str, kind: str) -> None: ...

def configure(
    frame_type: type[Frame],
    block_type: type[TextBlock],
    break_token: Mark,
    traits_by_tag: Mapping[str, int],
    mark_by_tag: Mapping[str, str],
    count_words: Callable[[str], int],
    /,
) -> None: ...
