"""What can be said in numbers of each block of a page: its text, its place, its neighbours and its kin."""

import re
from collections import Counter
from functools import lru_cache
from math import log

from lxml.html import HtmlElement

from assay.text.blocks import Block, Frame, Page

# What classes, ids and roles say an element is for. Short words need borders, or they would be found in others.
HINTS = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"nav|menu|breadcrumb|crumb|pagin|pager|\btoc\b|table-of-contents|tabs?\b|skip",
        r"sidebar|side-bar|aside|\brail\b|widget|secondary|complementary|sticky|drawer",
        r"foot|copyright|legal|colophon|contentinfo|disclaimer",
        r"header|masthead|topbar|top-bar|banner|hero|toolbar",
        r"comment|discuss|repl(?:y|ies)|respond|disqus",
        r"shar(?:e|ing)|social|follow|\blikes?\b|facebook|twitter|whatsapp",
        r"relat|recommend|similar|more-from|you-may|popular|trending|recent|latest|suggest|upsell|cross-sell|also-|next-|prev",
        r"promo|advert|\bads?\b|\bad-|-ad\b|sponsor|newsletter|subscri|sign-?up|\bcta\b|cookie|consent|gdpr|popup|modal|overlay"
        r"|login|paywall|banner|form|search|donat",
        r"author|byline|meta|date|time|\btags?\b|categor|caption|credit|\bbio\b|avatar|badge|label|button|\bbtn",
        r"article|content|post|entry|body|story|\bmain\b|text|rich|prose|markdown|blog|wysiwyg|docs?\b",
        r"product|price|card|descri|spec|detail|feature|tile|grid|item|list|result|faq|accordion",
        r"thread|message|topic|question|answer|review|forum|reply|user",
    )
]
TAG_HINTS = {
    "nav": 0, "aside": 1, "footer": 2, "header": 3, "form": 7, "button": 8, "figcaption": 8, "address": 8,
    "article": 9, "main": 9, "section": 10,
}  # fmt: skip
NEAR = len(HINTS)
NAMING = ("id", "role", "itemprop", "data-testid")  # beside the class
FAR = 9  # levels up from which a hint no longer counts

KINDS = {
    "p": 1, "h1": 2, "h2": 3, "h3": 4, "h4": 5, "h5": 5, "h6": 5, "blockquote": 6, "pre": 7, "li": 8, "dd": 9, "dt": 9,
    "td": 10, "th": 10, "figcaption": 11, "caption": 11, "summary": 12, "article": 13, "section": 13, "main": 13, "body": 14,
    "div": 15, "center": 15, "header": 16, "footer": 17, "address": 18, "nav": 19, "aside": 19, "form": 20, "fieldset": 20,
    "button": 21, "legend": 21, "figure": 11,
}  # fmt: skip
PUNCTUATION = re.compile(r"[.,;:!?。，、؟।]")
CHROME = re.compile(
    r"cookie|subscri|newsletter|sign in|sign up|log ?in|share|follow us|copyright|©|all rights|privacy|terms of|read more|view all"
    r"|see all|show more|load more|learn more|add to cart|related|recommended|you (?:may|might) also|comments?\b|reply|advertis"
    r"|sponsored|skip to|back to|menu|powered by|contact us|follow|download the app|previous|next|report|posted|published|updated"
    r"|min read|minutes? read|by \w+ \w+$|filter|sort by|results|loading|javascript|print|save|tweet|facebook|instagram|email",
    re.IGNORECASE,
)
PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|USD|EUR|GBP|kr|zł)")
DIGITS = re.compile(r"\d+")
NOWHERE = (0.0, 0.0, 0.0, 0, -1.0, 0.0)
WORD = re.compile(r"\w+")
BODIES = re.compile(r'"(description|articleBody|text|reviewBody)"\s*:\s*"((?:[^"\\]|\\.)*+)"', re.DOTALL)
TOLD = 6000  # characters of a description that are looked at
SCRIPT = 200_000
TYPES = [
    re.compile(pattern)
    for pattern in (
        r'"(?:[A-Za-z]*Article|BlogPosting|[A-Za-z]*Report|HowTo|Recipe)"',
        r'"Product(?:Group)?"',
        r'"(?:ItemList|CollectionPage|SearchResultsPage|ProductCollection|Blog)"',
        r'"(?:DiscussionForumPosting|QAPage|Question|Comment)"',
        r'"(?:LocalBusiness|Service|Organization|FAQPage|SoftwareApplication)"',
    )
]


@lru_cache(8192)
def hints_of(names: str) -> tuple[int, ...]:
    """Which of the hints the class, id and role of an element give."""
    return tuple(index for index, hint in enumerate(HINTS) if hint.search(names))


@lru_cache(8192)
def plain(names: str) -> str:
    """Classes without the numbers that make each one of its kind."""
    return DIGITS.sub("", names)


class Place:
    """What a frame hands to its blocks: distances to hints above, and how much text the levels above hold."""

    __slots__ = ("depth", "group", "hints", "inside", "numbers", "region")

    def __init__(self, frame: Frame, above: "Place | None", inside: int) -> None:
        element = frame.element
        name = element.get("class") or ""
        own = hints_of(" ".join([name, *filter(None, map(element.get, NAMING))])[:300])
        given = TAG_HINTS.get(frame.tag)
        if above is None:
            hints = [FAR] * NEAR
            self.depth = 0
        else:
            hints = [distance + 1 if distance < FAR else FAR for distance in above.hints]
            self.depth = above.depth + 1
        for index in own:
            hints[index] = 0
        if given is not None:
            hints[given] = 0
        self.hints = hints
        self.inside = inside
        self.group = f"{frame.tag}.{plain(name)}"
        self.region: tuple[float, ...] = NOWHERE
        words = frame.words
        self.numbers = (log(1 + words), frame.link_words / words if words else 0.0, frame.texts / frame.blocks if frame.blocks else 0.0)


def places(page: Page, core: Frame) -> dict[int, Place]:
    """The place of every frame that holds a block, by the frame's identity."""
    found: dict[int, Place] = {}
    regions = 0
    levels = {id(core): 1}
    for frame in page.frames:
        if not frame.blocks:
            continue
        parent = frame.parent
        inside = levels.get(id(frame), 0)
        above = None
        if parent is not None:
            above = found[id(parent)]
            if above.inside:
                inside = above.inside + 1
        place = found[id(frame)] = Place(frame, above, inside)
        if parent is core:
            regions += 1
            place.region = (*place.numbers, regions, frame.first / len(page.blocks), frame.words / (core.words or 1))
        elif above is not None:
            place.region = above.region
    return found


def core_of(page: Page) -> Frame:
    """The smallest frame that still holds most of the running text."""
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


def page_numbers(page: Page, tree: HtmlElement, url: str, spoken: int) -> list[float]:
    """What is the same for all blocks of a page."""
    blocks = page.blocks
    words = sum(block.words for block in blocks) or 1
    linked = sum(block.link_words for block in blocks)
    running = sum(block.words for block in blocks if block.words > 12 and block.link_words * 3 < block.words)
    tags = Counter(frame.tag for frame in page.frames)
    types = _types(tree)
    path = url.split("?", 1)[0].split("/", 3)
    parts = path[3].strip("/") if len(path) > 3 else ""
    return [
        log(words), linked / words, running / words, log(len(blocks) + 1), tags["article"], tags["li"] / len(blocks),
        tags["p"] / len(blocks), tags["h1"], tags["pre"], tags["tr"] / len(blocks),
        spoken, *types, parts.count("/") if parts else -1, len(parts), sum(sign.isdigit() for sign in parts), parts.count("-"),
        sum(1 for block in blocks if PRICE.search(block.text[:60])) / len(blocks),
    ]  # fmt: skip


def _types(tree: HtmlElement) -> list[float]:
    """What the page says it is: og:type and the types in its JSON-LD."""
    kind = 0.0
    for meta in tree.iter("meta"):
        if meta.get("property") == "og:type":
            said = (meta.get("content") or "").lower()
            kind = 1.0 if "article" in said else 2.0 if "product" in said else 3.0 if said == "website" else 4.0
            break
    text = " ".join(
        (script.text or "")[:20_000] for script in tree.iter("script") if (script.get("type") or "") == "application/ld+json"
    )
    return [kind, *(float(bool(text and pattern.search(text))) for pattern in TYPES)]


def told(tree: HtmlElement) -> tuple[set[str], set[str]]:
    """What the page says of itself beside its text: runs of words of its descriptions, and of the bodies in its JSON-LD."""
    described, bodies = set(), set()
    for meta in tree.iter("meta"):
        if (meta.get("name") or meta.get("property") or "").lower() in ("description", "og:description"):
            described |= runs((meta.get("content") or "")[:TOLD].lower())
    for script in tree.iter("script"):
        if script.get("type") == "application/ld+json" and script.text:
            for name, text in BODIES.findall(script.text[:SCRIPT]):
                found = runs(text[:TOLD].replace("\\n", " ").replace("\\r", " ").replace('\\"', '"').lower())
                if name == "description":
                    described |= found
                else:
                    bodies |= found
    return described, bodies


def runs(text: str) -> set[str]:
    """Every three words that follow each other."""
    words = WORD.findall(text)
    return set(map(" ".join, zip(words, words[1:], words[2:], strict=False)))


def title_words(tree: HtmlElement) -> set[str]:
    title = tree.find(".//title")
    return set(WORD.findall((title.text or "").lower())) if title is not None else set()


class Text:
    """The numbers of a block's own text."""

    __slots__ = ("density", "long", "values")

    def __init__(self, block: Block, titled: set[str], described: set[str], bodies: set[str]) -> None:
        text, words = block.text, block.words or 1
        length = len(text) or 1
        self.density = block.link_words / words
        self.long = log(1 + block.words)
        head = text[:400]
        marks = len(PUNCTUATION.findall(head))
        lower = head.lower()
        known = WORD.findall(lower[:160])
        described_share = bodies_share = 0.0
        if len(known) > 2 and (described or bodies):
            found = set(map(" ".join, zip(known, known[1:], known[2:], strict=False)))
            described_share = len(found & described) / len(found)
            bodies_share = len(found & bodies) / len(found)
        capitals = sum(map(str.isupper, head))
        self.values = [
            self.long, self.density, length / words, marks / min(words, 80), float(text[-1:] in ".!?…。:"),
            capitals / min(words, 80), float(bool(CHROME.search(head[:160]))) * (2.0 if words < 8 else 1.0),
            sum(word in titled for word in known) / (len(known) or 1), described_share, bodies_share,
        ]  # fmt: skip


NAMES = [
    "words", "density", "word_length", "punctuation", "ends", "capitals", "chrome", "titled", "described", "in_bodies",
    "kind", "depth", "inside", "inside_share", "doubles",
    *(f"hint{index}" for index in range(NEAR)),
    *(f"{what}{level}" for level in range(4) for what in ("level_words", "level_density", "level_texts")),
    "region_words", "region_density", "region_texts", "region_index", "region_position", "region_share",
    "position", "words_before", "since_h1", "since_heading", "heading_level", "section_words", "section_density",
    "group_count", "group_words", "group_density", "group_share", "kin_count", "kin_words", "kin_density",
    *(f"{what}{where}" for where in (-1, 1) for what in ("near_words", "near_density")),
    "kind_before", "kind_after", "window_words", "window_density", "wide_words", "wide_density",
    "page_words", "page_density", "page_running", "page_blocks", "page_articles", "page_items", "page_paragraphs", "page_h1",
    "page_code", "page_rows", "page_told", "og_type", "is_article", "is_product", "is_list", "is_forum", "is_service", "url_depth",
    "url_length", "url_digits", "url_hyphens", "page_prices",
]  # fmt: skip


SHARED = NAMES.index("page_words")  # from here on a page's blocks have the same numbers


class Group:
    """Blocks that hang in frames of one look."""

    __slots__ = ("count", "linked", "words")

    def __init__(self) -> None:
        self.count = self.words = self.linked = 0

    def add(self, block: Block) -> None:
        self.count += 1
        self.words += block.words
        self.linked += block.link_words

    def numbers(self) -> tuple[float, float, float]:
        return log(self.count), log(1 + self.words / self.count), self.linked / self.words if self.words else 0.0


def vectors(page: Page, tree: HtmlElement, url: str) -> tuple[list[list[float]], list[float]]:
    """A row of numbers for each block, and the numbers that all blocks share: together in the order of NAMES."""
    blocks = page.blocks
    core = core_of(page)
    found = places(page, core)
    titled = title_words(tree)
    described, bodies = told(tree)
    whole = page_numbers(page, tree, url, bool(described) + 2 * bool(bodies))
    texts = [Text(block, titled, described, bodies) for block in blocks]
    doubles = Counter(block.text for block in blocks)
    groups: dict[str, Group] = {}
    kin: dict[str, Group] = {}
    names: list[tuple[str, str]] = []
    for block in blocks:
        frame = block.frame
        near = found[id(frame)].group
        above = f"{near}<{found[id(frame.parent)].group}" if frame.parent is not None else near
        names.append((near, above))
        groups.setdefault(above, Group()).add(block)
        kin.setdefault(near, Group()).add(block)
    group_numbers = {name: group.numbers() for name, group in groups.items()}
    kin_numbers = {name: group.numbers() for name, group in kin.items()}
    kinds = [KINDS.get(block.frame.tag, 22) for block in blocks]
    total = sum(block.words for block in blocks) or 1
    core_words = core.words / total
    sections = _sections(blocks)
    before = _running(blocks)
    edge = (-1.0, -1.0)
    pairs = [edge, *((text.long, text.density) for text in texts), edge]
    first_h1 = next((block.index for block in blocks if block.frame.heading == 1), -1)
    rows = []
    for index, block in enumerate(blocks):
        frame, text = block.frame, texts[index]
        place = found[id(frame)]
        near, above = names[index]
        level: Frame | None = frame
        levels: list[float] = []
        for _ in range(4):
            if level is not None:
                numbers = found[id(level)].numbers
                level = level.parent
            levels += numbers
        row = [
            *text.values, kinds[index], place.depth, place.inside, core_words, doubles[block.text],
            *place.hints, *levels, *place.region,
            index / len(blocks), before[index][0] / total, (index - first_h1) if first_h1 >= 0 else -999, *sections[index],
            *group_numbers[above], groups[above].words / total, *kin_numbers[near],
        ]  # fmt: skip
        for offset in (0, 2):
            row += pairs[index + offset]
        row += [kinds[index - 1] if index else 0, kinds[index + 1] if index + 1 < len(blocks) else 0]
        row += _window(before, index, 3)
        row += _window(before, index, 10)
        rows.append(row)
    return rows, whole


def _running(blocks: list[Block]) -> list[tuple[int, int]]:
    """Words and linked words before each block, and at the end."""
    sums, words, linked = [(0, 0)], 0, 0
    for block in blocks:
        words += block.words
        linked += block.link_words
        sums.append((words, linked))
    return sums


def _window(sums: list[tuple[int, int]], index: int, reach: int) -> tuple[float, float]:
    low, high = max(0, index - reach), min(len(sums) - 1, index + reach + 1)
    words, linked = sums[high][0] - sums[low][0], sums[high][1] - sums[low][1]
    return log(1 + words / (high - low)), linked / words if words else 0.0


def _sections(blocks: list[Block]) -> list[tuple[float, float, float, float]]:
    """For each block: blocks since the heading before it, that heading's level, words and link density of its section."""
    starts = [block.index for block in blocks if block.frame.heading]
    sums = _running(blocks)
    rows: list[tuple[float, float, float, float]] = []
    borders = [0, *[start for start in starts if start], len(blocks)]
    for low, high in zip(borders, borders[1:], strict=False):
        words, linked = sums[high][0] - sums[low][0], sums[high][1] - sums[low][1]
        level = blocks[low].frame.heading if low < len(blocks) else 0
        for index in range(low, high):
            rows.append((index - low, level, log(1 + words), linked / words if words else 0.0))
    return rows
