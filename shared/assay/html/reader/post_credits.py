"""Who wrote the posts of a thread, and when: names and dates that are chosen with the texts of the posts."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from assay.html.parser.html_element import HtmlElement, HtmlRoot
from assay.html.reader.adjacent_blocks import is_inside
from assay.html.reader.element_kinds import BLOCK_TAGS
from assay.html.reader.text_blocks import BlockPage, Credit, Frame, TextBlock, Token
from assay.text.stated_dates import find_written_date
from assay.text.word_lists import parse_words

MIN_POSTS = MIN_AUTHORS = 2  # of a thread
MAX_CREDIT_WORDS = 16  # words of a text with the name or the date of a post
MAX_DATE_WORDS = 6  # with the day of the week and the time
MAX_LEVELS = 12  # elements around a name in which the text of the post is looked for
MAX_DISTANCE = 20  # places of a name before the first chosen text or after the last
MAX_CHILDREN, MAX_INNER = 12, 5  # elements in that of a text, and in those, that may mark a name
MAX_BOX_LEVELS = 4  # elements around a name that may mark it
MAX_BOX_WORDS = 60  # words of a box with the name of a member and more
# Classes of names, or of boxes that begin with them, which say that the page is a thread: of several programs, of
# XenForo, Discourse, Stack Exchange, Invision, MyBB, PunBB, vBulletin, phpBB, HyperKitty, Bugzilla, Jira, Slashdot,
# GitHub; NodeBB marks names by microdata only.
THREAD_CLASSES = parse_words(
    "username user-name userName user-info__name poster commenter comment-author comment__author commentAuthor "
    "message-name MessageCard__user-info__name creator user-details cAuthorPane_author ipsEntry__username post_author "
    "postleft bigusername username-coloured forum-post-author DiscussionBoard-author Author topic-owner-post "
    "DiscussionBoard-username PostUser-name postauthor hnuser usertext email-author bz_comment_user commentTop "
    "timeline-comment-header react-issue-comment user-hover"
)
# Of these, classes of other parts of posts; the names beside them have classes that articles have, too.
SIGN_CLASSES = parse_words("topic-owner-post usertext commentTop timeline-comment-header react-issue-comment")
NAME_CLASSES = THREAD_CLASSES - SIGN_CLASSES | {"author", "post-author", "author-name", "by"}
MODULE_NAMES = re.compile(r"module__Author(?:Link|Name)(?:--|__)")  # which React writes, with a hash behind them
# The same in microdata, with which articles mark their comments, too.
POST_TYPES = frozenset(
    f"{scheme}://schema.org/{name}"
    for scheme in ("http", "https")
    for name in ("Comment", "Answer", "DiscussionForumPosting")
)
DATE_CLASSES = parse_words(
    "date time timestamp relativetime postinfo permalink post-date post_date postdate posttime DateTime comment-date "
    "comment-time user-action-time date-created MessageCard__date-created forum-post-date DateCreated live-timestamp "
    "postDate DiscussionBoard-date age email-date bz_comment_time otherdetails"
)
DATE_TAGS = ("time", "relative-time")
NAME_PROPERTIES, DATE_PROPERTIES = ("author", "creator"), ("datePublished", "dateCreated", "commentTime")
COUNTERS = "interactionStatistic"
OTHER_DATE = re.compile(r"^\W*edit|\b(?:joined|registered|member since|last|active|seen)\b", re.IGNORECASE)
# Dates in digits alone, of which the first may be the day or the month, and ages.
SHORT_DATE = re.compile(
    r"(?<!\d)\d{1,2}[./-]\d{1,2}[./-](?:\d\d|\d{4})(?!\d)"
    r"|\b(?:an?|\d{1,2}) (?:minute|hour|day|week|month|year)s? ago\b",
    re.IGNORECASE,
)
SEPARATOR = " | "
COUNTER = re.compile(r"\d\s?(?:points?|votes?)(?![^\W\d])|\[score hidden\]")
ANSWER = re.compile(r"(?:re|aw|sv|rif|odp)\s?:", re.IGNORECASE)
QUOTE_TAGS = frozenset(("blockquote",))
# What posts have beside their texts: boxes and ranks of members, numbers of posts, signatures and who likes a post.
EXTRAS = parse_words(
    "message-user postprofile cAuthorPane postleft userinfo userstats user_info post_author userTitle "
    "message-userTitle usertitle user-title userBanner message-attribution-opposite signature "
    "message-signature postsignature signaturecontainer post-likes likesSummary like_count ipsReact_reactions "
    "email-info"
)


@dataclass(frozen=True, slots=True)
class ThreadPost:
    """A post: the name of its author, and the smallest element that holds that and a text."""

    name: TextBlock
    frame: Frame
    text: int  # place of the first text

    @property
    def begins_with_name(self) -> bool:
        return self.name.index < self.text

    @property
    def blocks(self) -> int:
        return self.frame.last - self.frame.first


def add_credits(page: BlockPage, chosen: set[int]) -> None:
    """Choose the name and the date of each post of a thread whose text is chosen; leave out what else is beside it."""
    root = page.root
    if not chosen or not _is_thread(root):
        return
    named = _list_marked(root, NAME_CLASSES, NAME_PROPERTIES)
    if len(named) < MIN_POSTS:
        return
    blocks = page.blocks[max(min(chosen) - MAX_DISTANCE, 0) : max(chosen) + MAX_DISTANCE]
    short = [block for block in blocks if 0 < block.words <= MAX_CREDIT_WORDS]
    marks = [(block, text) for block in short if (text := _find_mark(page, block, named))]
    marked = {block.index: text for block, text in marks}
    names = {block.index: block for block, text in marks if not _is_date(text)}
    if len(names) < MIN_POSTS:
        return
    dated = _list_marked(root, DATE_CLASSES, DATE_PROPERTIES, *DATE_TAGS)
    dates = {block.index for block, text in marks if _is_date(text)}
    dates |= {block.index for block in short if _is_date_of_post(page, block, dated)}
    texts = [place for place in sorted(chosen) if place not in names and _is_text(page.blocks[place])]
    posts = _find_posts(page, names, [place for place in texts if place not in dates], chosen)
    heads = sorted(post.name.index for post in posts)
    for post in posts:
        chosen.difference_update([place for place in range(post.frame.first, post.text) if place in names])
        above = post.frame.first - 1
        own = range(above if above in dates else post.frame.first, _find_end(post, heads))
        shown = _shorten(post.name, marked[post.name.index])
        _choose_credits(page, post, shown, [place for place in own if place in dates and place not in names], chosen)
        chosen.difference_update([place for place in own if place in chosen and _is_extra(page, place, post.frame)])
    _drop_subjects(page, posts, chosen)


def _is_thread(root: HtmlRoot) -> bool:
    """Return whether the page says by classes or microdata that it has posts."""
    if not THREAD_CLASSES.isdisjoint(root.class_names):
        return True
    return len(root.list_matching({"itemtype": POST_TYPES})) >= MIN_POSTS


def _list_marked(
    root: HtmlRoot, classes: frozenset[str], properties: Collection[str], *tags: str
) -> frozenset[HtmlElement]:
    """Return the elements of such a class, property or tag."""
    values = root.find_classes(MODULE_NAMES if classes is NAME_CLASSES else None, classes)
    return frozenset(root.list_matching({"class": values, "itemprop": properties}, *tags))


def _is_date_of_post(page: BlockPage, block: TextBlock, dated: frozenset[HtmlElement]) -> bool:
    if OTHER_DATE.search(block.text):
        return False
    if block.frame.heading and _is_date(block.text):
        return True
    return bool(_find_mark(page, block, dated))


def _find_end(post: ThreadPost, heads: list[int]) -> int:
    """Return the place behind the post, at which an answer in the same element may begin."""
    following = bisect_right(heads, post.name.index)
    if not post.begins_with_name or following == len(heads):
        return post.frame.last
    return min(post.frame.last, heads[following])


def _choose_credits(
    page: BlockPage, post: ThreadPost, shown: tuple[Token, ...], dates: list[int], chosen: set[int]
) -> None:
    """Choose the name of the post, and the nearest of the dates in it."""
    name = post.name.index
    chosen.add(name)
    page.credits[name] = Credit(post.frame, is_name=True, shown=shown)
    if dates and not (find_written_date(post.name.text) or SHORT_DATE.search(post.name.text)):
        date = min(dates, key=lambda place: (place not in chosen, abs(place - name)))
        chosen.add(date)
        page.credits[date] = Credit(post.frame, is_name=False)


def _is_text(block: TextBlock) -> bool:
    return block.link_words < block.words and not block.frame.heading


def _is_extra(page: BlockPage, place: int, post: Frame) -> bool:
    """Return whether the block is in an element of the post that holds none of its text."""
    frame: Frame | None = None if place in page.credits else page.blocks[place].frame
    while frame is not None and frame is not post:
        attributes = frame.element.attributes
        if not EXTRAS.isdisjoint((attributes.get("class") or "").split()) or attributes.get("itemprop") == COUNTERS:
            return True
        frame = frame.parent
    return False


def _drop_subjects(page: BlockPage, posts: list[ThreadPost], chosen: set[int]) -> None:
    """Leave out the headings of posts that only repeat the subject that is answered."""
    answers = [
        place
        for post in posts
        for place in range(post.frame.first, post.text)
        if place in chosen and page.blocks[place].frame.heading and ANSWER.match(page.blocks[place].text)
    ]
    times = Counter(page.blocks[place].text for place in answers)
    chosen.difference_update([place for place in answers if times[page.blocks[place].text] > 1])


def _find_mark(page: BlockPage, block: TextBlock, marked: frozenset[HtmlElement]) -> str:
    """Return the part of the block's text that such an element marks; "" if there is none, or in a quotation."""
    own = block.frame.element
    texts = [_read_text(element) for element in (*_list_inline(own), own) if element in marked]
    found = next((text for text in texts if text in block.text), "")  # a name, and then more, may be marked, too
    if not texts and (box := _find_box(block, marked)) is not None:
        found = _find_name(box.element) or (block.text if _find_first(page, box) is block else "")
    is_mark = found != "" and found in block.text and COUNTER.search(found) is None
    return found if is_mark and not is_inside(block.frame, QUOTE_TAGS) else ""


def _shorten(name: TextBlock, marked: str) -> tuple[Token, ...]:
    """Return the name and the date alone of a line that has the votes or links of the post, too; none for others."""
    date = SHORT_DATE.search(name.text)
    if COUNTER.search(name.text) is None and (date is None or SEPARATOR not in name.text):
        return ()
    return (("open", "strong"), marked, ("close", "strong"), f" · {date[0]}" if date else "")


def _find_box(block: TextBlock, marked: frozenset[HtmlElement]) -> Frame | None:
    """Return the small box around the block that such an element is."""
    frame = block.frame.parent
    for _ in range(MAX_BOX_LEVELS):
        if frame is None or frame.words > MAX_BOX_WORDS:
            break
        if frame.element in marked:
            return frame
        frame = frame.parent
    return None


def _read_text(element: HtmlElement) -> str:
    return _find_name(element) or " ".join("".join(element.itertext()).split())


def _list_inline(element: HtmlElement) -> list[HtmlElement]:
    """Return the first inline elements in an element."""
    if element.first is None:
        return []
    children = [child for child in islice(element, MAX_CHILDREN) if child.tag not in BLOCK_TAGS]
    return [inner for child in children for inner in islice(child.iter(), MAX_INNER)]


def _find_first(page: BlockPage, frame: Frame) -> TextBlock | None:
    """Return the first block of the frame with more than a letter, which stands for a picture."""
    return next((block for block in page.blocks[frame.first : frame.first + 4] if len(block.text) > 1), None)


def _is_date(text: str) -> bool:
    """Return whether the text is a date, or the age of a post, without more than a few words."""
    is_dated = find_written_date(text) != "" or SHORT_DATE.search(text) is not None
    return is_dated and len(text.split()) <= MAX_DATE_WORDS


def _find_name(element: HtmlElement) -> str:
    """Return the name that the microdata in the element of an author states."""
    metas = (meta.get("content") or "" for meta in element.iter("meta") if meta.get("itemprop") == "name")
    return " ".join(next(metas, "").split())


def _find_posts(
    page: BlockPage, names: Mapping[int, TextBlock], texts: Sequence[int], chosen: set[int]
) -> list[ThreadPost]:
    """Return the posts of a thread: of several authors, in similar elements.

    The name stands above the text rather than below.
    """
    found: defaultdict[int, list[ThreadPost]] = defaultdict(list)
    for block in names.values():
        post = _find_post(block, texts)
        if post is not None and not _is_teaser(page, post, names):
            found[post.text].append(post)
    posts = [
        min(same, key=lambda post: (post.name.index not in chosen, not post.begins_with_name, post.blocks))
        for same in found.values()
    ]
    kinds = Counter(_find_kind(post.frame) for post in posts)
    thread = [post for post in posts if kinds[_find_kind(post.frame)] >= MIN_POSTS]
    return thread if len({post.name.text for post in thread}) >= MIN_AUTHORS else []


def _find_post(name: TextBlock, texts: Sequence[int]) -> ThreadPost | None:
    frame: Frame | None = name.frame
    for _ in range(MAX_LEVELS):
        if frame is None:
            break
        at = bisect_left(texts, frame.first)
        if at < len(texts) and texts[at] < frame.last:
            return ThreadPost(name, frame, texts[at])
        frame = frame.parent
    return None


def _find_kind(frame: Frame) -> tuple[str, str]:
    """Return the tag and the first class of an element, which posts of a thread have in common."""
    return frame.tag, (frame.element.attributes.get("class") or "").partition(" ")[0]


def _is_teaser(page: BlockPage, post: ThreadPost, names: Collection[int]) -> bool:
    """Return whether the text is of another page, to which its heading leads."""
    return any(
        block.frame.heading and block.link_words >= block.words and _leads_elsewhere(block)
        for block in page.blocks[max(post.frame.first - 1, 0) : post.text]
        if block.index not in names
    )


def _leads_elsewhere(block: TextBlock) -> bool:
    targets = [token[2] for token in block.tokens if len(token) == 3 and token[0] == "open" and token[1] == "a"]
    return any("#" not in target for target in targets)
