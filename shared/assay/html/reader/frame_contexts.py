"""What a frame passes to the features of its blocks: class hints above, amount of text, and its region of the page."""

from math import log

from assay.html.parser.html_element import HtmlElement
from assay.html.reader.class_hints import HINT_COUNT, NAME_INDEX, NO_HINTS, TAG_HINTS, HintDistances, list_bits
from assay.html.reader.container_names import INDEX_BY_TAG, NO_SHARES
from assay.html.reader.text_blocks import BlockPage, Frame

NAVIGATION_TAGS = frozenset(("nav", "footer"))
ALL_HINTS = (1 << HINT_COUNT) - 1
MAX_NAMES = 300  # characters of the names of an element that are read
NO_REGION = (0.0, 0.0, 0.0, 0, -1.0, 0.0)

type Traits = tuple[tuple[int, ...], tuple[int, ...]]  # hints and purposes
type NamingValues = tuple[str, str | None, str | None, str | None, str | None, str | None]  # after the tag


class TraitsReader:
    """Reads the hints and purposes of the elements of one page, those with the same tag and names once."""

    def __init__(self) -> None:
        self._by_names: dict[NamingValues, Traits] = {}
        self._by_groups: dict[tuple[str, int], Traits] = {}

    def read(self, element: HtmlElement) -> Traits:
        get = element.attributes.get
        key = (element.tag, get("class"), get("id"), get("role"), get("itemprop"), get("data-testid"))
        traits = self._by_names.get(key)
        if traits is None:
            traits = self._by_names[key] = self._find(key)
        return traits

    def _find(self, key: NamingValues) -> Traits:
        tag, *names = key
        groups = NAME_INDEX.find_bits(" ".join(filter(None, names))[:MAX_NAMES])
        traits = self._by_groups.get((tag, groups))
        if traits is None:
            traits = self._by_groups[tag, groups] = find_traits(tag, groups)
        return traits


def find_traits(tag: str, groups: int) -> Traits:
    """Return the hints and the purposes that the tag and the groups of an element's names say."""
    hints, purposes = list_bits(groups & ALL_HINTS), list_bits(groups >> HINT_COUNT)
    if tag in TAG_HINTS:
        hints = (*hints, TAG_HINTS[tag])
    if tag in INDEX_BY_TAG:
        purposes = (*purposes, INDEX_BY_TAG[tag])
    return hints, purposes


class FrameContext:
    """Features that a frame passes to its blocks: distances to class hints above, and its amount of text.

    `lineage` is of the three enclosing frames; the outermost one is repeated if there are fewer.
    """

    __slots__ = ("depth", "distances", "inside", "is_navigation", "lineage", "numbers", "region", "shares", "within")

    def __init__(self, numbers: tuple[float, ...], above: "FrameContext", distances: HintDistances) -> None:
        within = above.within
        if within is None:
            within = above.within = above.numbers + above.lineage[:6]
        self.numbers: tuple[float, ...] = numbers
        self.lineage: tuple[float, ...] = within or numbers * 3
        self.within: tuple[float, ...] | None = None  # the lineage of the frames in this one, once there is one
        self.depth: int = above.depth + 1
        self.inside: int = above.inside + 1 if above.inside else 0
        self.is_navigation: bool = above.is_navigation
        self.distances = distances
        self.region: tuple[float, ...] = above.region
        self.shares: tuple[float, ...] = above.shares

    def set_shares(self, purposes: tuple[int, ...], share: float) -> None:
        """Make the frame the nearest container of the purposes, with its share of the page's words."""
        shares = list(self.shares)
        for purpose in purposes:
            shares[purpose] = share
        self.shares = tuple(shares)


class PageContext(FrameContext):
    """What is around the outermost frame of a page."""

    __slots__ = ()

    def __init__(self) -> None:
        self.numbers = self.lineage = self.within = ()
        self.depth, self.inside, self.is_navigation = -1, 0, False
        self.distances = HintDistances(NO_HINTS)
        self.region, self.shares = NO_REGION, NO_SHARES


def build_contexts(page: BlockPage, core: Frame) -> dict[Frame | None, FrameContext | None]:
    """Return the context of every frame that has a block; None if it has only links and is in a menu.

    The blocks of such a frame are never content.
    """
    contexts: dict[Frame | None, FrameContext | None] = {None: PageContext()}
    read_traits = TraitsReader().read
    total = page.frames[0].words or 1
    regions = 0
    for frame in page.frames:
        blocks = frame.blocks
        if not blocks:
            continue
        above = contexts[frame.parent]
        if above is None:
            contexts[frame] = None
            continue
        is_region = above.inside == 1
        regions += is_region
        words, link_words, tag = frame.words, frame.link_words, frame.tag
        is_navigation = above.is_navigation or tag in NAVIGATION_TAGS
        if is_navigation and link_words == words:
            contexts[frame] = None
            continue
        hints, purposes = read_traits(frame.element)
        numbers = (log(1 + words), link_words / words if words else 0.0, frame.texts / blocks)
        context = contexts[frame] = FrameContext(numbers, above, above.distances.enter(hints))
        context.is_navigation = is_navigation
        if purposes and tag != "body":
            context.set_shares(purposes, words / total)
        if is_region:
            context.region = (*numbers, regions, frame.first / len(page.blocks), words / (core.words or 1))
        if frame is core:
            context.inside = 1
    return contexts


def find_core(page: BlockPage) -> Frame:
    """Return the smallest frame that has most of the running text."""
    frames = page.frames
    children: dict[int, Frame] = {}
    for frame in frames:
        parent = frame.parent
        if parent is not None and frame.texts:
            best = children.get(id(parent))
            if best is None or frame.texts > best.texts:
                children[id(parent)] = frame
    core = frames[0]
    while True:
        child = children.get(id(core))
        if child is None or child.texts * 10 < core.texts * 6:
            return core
        core = child
