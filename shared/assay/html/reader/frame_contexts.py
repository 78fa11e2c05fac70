"""What a frame passes to the features of its blocks: class hints above, amount of text, and its region of the page."""

import re
from math import log

from assay.html.reader.class_hints import NO_HINTS, TAG_HINTS, find_hints, increment_distances
from assay.html.reader.container_names import INDEX_BY_TAG, NO_SHARES, find_purposes
from assay.html.reader.text_blocks import BlockPage, Frame
from assay.text.short_text_cache import cache_short

# Attributes that name an element, in addition to its class.
NAMING_ATTRIBUTES = ("id", "role", "itemprop", "data-testid")
NAMING_ATTRIBUTE_SET = frozenset(NAMING_ATTRIBUTES)
NAVIGATION_TAGS = frozenset(("nav", "footer"))
DIGITS = re.compile(r"\d+")
NO_REGION = (0.0, 0.0, 0.0, 0, -1.0, 0.0)


@cache_short(8192)
def strip_digits(names: str) -> str:
    """Return the classes without digits, so that numbered classes compare equal."""
    return DIGITS.sub("", names)


class FrameContext:
    """Features that a frame passes to its blocks: distances to class hints above, and its amount of text."""

    __slots__ = (
        "depth",
        "group",
        "hints",
        "inherited_hints",
        "inside",
        "is_navigation",
        "lineage",
        "numbers",
        "region",
        "shares",
    )

    def __init__(self, frame: Frame, above: "FrameContext | None", inside: int, total: int) -> None:
        element = frame.element
        class_names = element.get("class") or ""
        self.depth: int = 0 if above is None else above.depth + 1
        self.hints: tuple[int, ...] = NO_HINTS if above is None else above.inherited_hints
        names = _read_names(frame, class_names)
        self.shares: tuple[float, ...] = _inherit_shares(
            frame, names, NO_SHARES if above is None else above.shares, total
        )
        if hints := _find_own_hints(frame, names):
            distances = list(self.hints)
            for index in hints:
                distances[index] = 0
            self.hints = tuple(distances)
        self.inherited_hints: tuple[int, ...] = increment_distances(self.hints)
        self.inside = inside
        self.is_navigation: bool = frame.tag in NAVIGATION_TAGS or (above is not None and above.is_navigation)
        self.group = f"{frame.element.tag}.{strip_digits(class_names)}"
        self.region: tuple[float, ...] = NO_REGION
        words, blocks = frame.words, frame.blocks
        self.numbers = (
            log(1 + words),
            frame.link_words / words if words else 0.0,
            frame.texts / blocks if blocks else 0.0,
        )
        # of the three enclosing frames; the outermost one is repeated if there are fewer
        self.lineage: tuple[float, ...] = self.numbers * 3 if above is None else above.numbers + above.lineage[:6]


def _read_names(frame: Frame, class_names: str) -> str:
    """Return the element's class and other naming attributes."""
    element = frame.element
    if NAMING_ATTRIBUTE_SET.isdisjoint(element.keys()):
        return class_names[:300]
    return " ".join([class_names, *filter(None, map(element.get, NAMING_ATTRIBUTES))])[:300]


def _find_own_hints(frame: Frame, names: str) -> tuple[int, ...]:
    """Return the hints in the element's tag and names."""
    hints = find_hints(names) if names else ()
    tag_hint = TAG_HINTS.get(frame.element.tag)
    return hints if tag_hint is None else (*hints, tag_hint)


def _inherit_shares(frame: Frame, names: str, above: tuple[float, ...], total: int) -> tuple[float, ...]:
    """Return the share of the page's words in the nearest container of each purpose and tag."""
    if frame.tag == "body":
        return above
    purposes = find_purposes(names) if names else ()
    tag_index = INDEX_BY_TAG.get(frame.element.tag)
    if not purposes and tag_index is None:
        return above
    shares = list(above)
    share = frame.words / total
    for index in purposes:
        shares[index] = share
    if tag_index is not None:
        shares[tag_index] = share
    return tuple(shares)


def build_contexts(page: BlockPage, core: Frame) -> dict[int, FrameContext]:
    """Return the context of every frame that has a block, by the frame's `id()`."""
    contexts: dict[int, FrameContext] = {}
    regions = 0
    levels = {id(core): 1}
    total = page.frames[0].words or 1
    for frame in page.frames:
        if not frame.blocks:
            continue
        parent = frame.parent
        inside = levels.get(id(frame), 0)
        above = None
        if parent is not None:
            above = contexts[id(parent)]
            if above.inside:
                inside = above.inside + 1
        context = contexts[id(frame)] = FrameContext(frame, above, inside, total)
        if parent is core:
            regions += 1
            context.region = (
                *context.numbers,
                regions,
                frame.first / len(page.blocks),
                frame.words / (core.words or 1),
            )
        elif above is not None:
            context.region = above.region
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
