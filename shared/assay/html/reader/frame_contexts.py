"""What a frame passes to the features of its blocks: class hints above, amount of text, and its region of the page."""

import re
from math import log

from assay.html.reader.class_hints import HINT_COUNT, HINTS, NO_HINTS, TAG_HINTS, HintDistances, NameIndex
from assay.html.reader.container_names import INDEX_BY_TAG, NO_SHARES, PURPOSES
from assay.html.reader.text_blocks import BlockPage, Frame
from assay.text.short_text_cache import cache_short

# Attributes that name an element, in addition to its class.
NAMING_ATTRIBUTES = ("id", "role", "itemprop", "data-testid")
NAMING_ATTRIBUTE_SET = frozenset(NAMING_ATTRIBUTES)
NAVIGATION_TAGS = frozenset(("nav", "footer"))
DIGITS = re.compile(r"\d+")
MAX_NAMES = 300  # characters of the names of an element that are read
find_name_groups = NameIndex((*HINTS, *PURPOSES)).find  # in one search: the purposes follow the hints
NO_REGION = (0.0, 0.0, 0.0, 0, -1.0, 0.0)


@cache_short(8192)
def strip_digits(names: str) -> str:
    """Return the classes without digits, so that numbered classes compare equal."""
    return DIGITS.sub("", names)


class ElementTraits:
    """What the tag and the names of an element say: its hints, its purposes, and a name that similar ones share."""

    __slots__ = ("group", "hints", "purposes")

    def __init__(self, tag: str, class_names: str, names: str) -> None:
        groups = find_name_groups(names) if names else ()
        hints = [index for index in groups if index < HINT_COUNT]
        purposes = [index - HINT_COUNT for index in groups if index >= HINT_COUNT]
        if tag in TAG_HINTS:
            hints.append(TAG_HINTS[tag])
        if tag in INDEX_BY_TAG:
            purposes.append(INDEX_BY_TAG[tag])
        self.hints = tuple(hints)
        self.purposes = purposes
        self.group = f"{tag}.{strip_digits(class_names)}"


class FrameContext:
    """Features that a frame passes to its blocks: distances to class hints above, and its amount of text.

    A frame that has only links and is in a menu `is_settled`: its blocks are never content, so only its group counts.
    """

    __slots__ = (
        "depth",
        "distances",
        "group",
        "inside",
        "is_navigation",
        "is_settled",
        "lineage",
        "numbers",
        "region",
        "shares",
    )

    def __init__(self, frame: Frame, above: "FrameContext | None", traits: ElementTraits, total: int) -> None:
        self.group = traits.group
        self.is_navigation: bool = frame.tag in NAVIGATION_TAGS or (above is not None and above.is_navigation)
        self.is_settled = self.is_navigation and frame.link_words == frame.words
        if self.is_settled:
            return
        words, blocks = frame.words, frame.blocks
        self.numbers = (
            log(1 + words),
            frame.link_words / words if words else 0.0,
            frame.texts / blocks if blocks else 0.0,
        )
        self.inside = 0
        # `lineage` is of the three enclosing frames; the outermost one is repeated if there are fewer
        if above is None:
            self.depth = 0
            self.distances = HintDistances(NO_HINTS).enter(traits.hints)
            self.lineage: tuple[float, ...] = self.numbers * 3
            self.region: tuple[float, ...] = NO_REGION
            self.shares: tuple[float, ...] = NO_SHARES
        else:
            self.depth = above.depth + 1
            self.distances = above.distances.enter(traits.hints)
            self.lineage = above.numbers + above.lineage[:6]
            self.region = above.region
            self.shares = above.shares
        if traits.purposes and frame.tag != "body":
            shares = list(self.shares)
            for index in traits.purposes:
                shares[index] = words / total
            self.shares = tuple(shares)


class TraitsReader:
    """Reads the traits of the elements of one page, those with the same tag and names once."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], ElementTraits] = {}

    def read(self, frame: Frame) -> ElementTraits:
        tag, attributes = frame.element.tag, frame.element.attributes
        class_names = names = attributes.get("class") or ""
        key: tuple[str, ...] = (tag, class_names)
        if attributes and not NAMING_ATTRIBUTE_SET.isdisjoint(attributes):
            names = " ".join([class_names, *filter(None, map(attributes.get, NAMING_ATTRIBUTES))])
            key = (tag, class_names, names)
        traits = self._known.get(key)
        if traits is None:
            traits = self._known[key] = ElementTraits(tag, class_names, names[:MAX_NAMES])
        return traits


def build_contexts(page: BlockPage, core: Frame) -> dict[Frame, FrameContext]:
    """Return the context of every frame that has a block."""
    contexts: dict[Frame, FrameContext] = {}
    traits = TraitsReader()
    regions = 0
    total = page.frames[0].words or 1
    for frame in page.frames:
        if not frame.blocks:
            continue
        parent = frame.parent
        above = contexts[parent] if parent is not None else None
        context = contexts[frame] = FrameContext(frame, above, traits.read(frame), total)
        regions += parent is core
        if context.is_settled:
            continue
        if frame is core:
            context.inside = 1
        elif above is not None and above.inside:
            context.inside = above.inside + 1
        if parent is core:
            position = frame.first / len(page.blocks)
            context.region = (*context.numbers, regions, position, frame.words / (core.words or 1))
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
