"""How a forum's readers took a post: votes and comments, as the page itself states them."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from lxml.html import HtmlElement

from assay.evaluation import known_hosts
from assay.html.metadata import jsonld
from assay.models.common import Output
from assay.text import stated_dates
from assay.text.plain_text import plain
from assay.text.timestamps import format_utc

FEW_VOTES = 20
FEW = f"Fewer than {FEW_VOTES} votes: the score is easily moved by a few accounts and says little."
LIKES, ANSWERS = ("like", "upvote", "vote", "agree"), ("comment", "reply")
COUNT = re.compile(r"\s*(-?\d{1,15}(?:\.\d{0,9})?)\s?([km]?)\s*", re.IGNORECASE)
MANY = {"": 1, "k": 1_000, "m": 1_000_000}
THREAD = re.compile(r"/comments/\w+")


class ForumSignals(Output):
    """Engagement with one post. `date_published` is ISO 8601."""

    platform: str
    upvotes: int
    comments: int
    date_published: str | None = None
    author_name: str | None = None
    credibility_note: str | None = None


def forum_signals(tree: HtmlElement, url: str) -> ForumSignals | None:
    """The signals of a Reddit post: from its JSON-LD, else from the attributes of the post; None for other pages."""
    if not known_hosts.among(known_hosts.host(url), {"reddit.com"}) or not THREAD.search(url):
        return None
    stated = _declared_counts(jsonld.collect_nodes(jsonld.find_blocks(tree))) or _attributes(tree)
    if stated is None:
        return None
    return signals(*stated)


def signals(upvotes: int, comments: int, when: str, author: str) -> ForumSignals:
    """The signals of a post, with a word of caution where few voted."""
    return ForumSignals(
        platform="reddit",
        upvotes=upvotes,
        comments=comments,
        date_published=when or None,
        author_name=plain(author, 100) or None,
        credibility_note=FEW if upvotes < FEW_VOTES else None,
    )


type Stated = tuple[int, int, str, str]


def _declared_counts(nodes: Sequence[Mapping[str, Any]]) -> Stated | None:
    post = next((node for node in nodes if "discussionforumposting" in jsonld.node_types(dict(node))), None)
    if post is None:
        return None
    counts = _counts(post.get("interactionStatistic"))
    comments = _number(post.get("commentCount")) or counts["comment"]
    author = next(iter(jsonld.extract_names(post.get("author"))), "")
    return (
        counts["like"] or _number(post.get("upvoteCount")),
        comments,
        stated_dates.parse_stated_date(post.get("datePublished")),
        author,
    )


def _counts(statistics: Any) -> dict[str, int]:
    """`{"like": 12, "comment": 3}` out of InteractionCounters, one or several, whatever names their type."""
    found: dict[str, int] = {}
    for one in statistics[:50] if isinstance(statistics, list) else [statistics]:
        if isinstance(one, dict):
            for action in _actions(one.get("interactionType")):
                found.setdefault(action, _number(one.get("userInteractionCount")))
    return {
        "like": next((found[name] for name in LIKES if name in found), 0),
        "comment": next((found[name] for name in ANSWERS if name in found), 0),
    }


def _actions(kind: Any) -> list[str]:
    """`like` of `LikeAction`, of its address, of a node of that type, and of a list of any of them."""
    node = kind if isinstance(kind, dict) else {"@type": kind}
    named = jsonld.node_types(node) or jsonld.node_types({"@type": node.get("@id")})
    return [name.removesuffix("action") for name in named]


def _attributes(tree: HtmlElement) -> Stated | None:
    for post in tree.iter("shreddit-post"):
        return (
            _number(post.get("score")),
            _number(post.get("comment-count")),
            stated_dates.parse_stated_date(post.get("created-timestamp")),
            post.get("author") or "",
        )
    for post in tree.iter("div"):  # the older site
        if post.get("data-comments-count") and post.get("data-score"):
            since = _number(post.get("data-timestamp")) / 1000
            when = format_utc(since) if 0 < since < 1e11 else ""
            score, comments = _number(post.get("data-score")), _number(post.get("data-comments-count"))
            return score, comments, when, post.get("data-author") or ""
    return None


def _number(value: object) -> int:
    """A count however it is written: `1234`, `"1,234"`, `"1.2k"`, a node that holds one; 0 where it is none."""
    if isinstance(value, dict):
        value = value.get("@value")
    found = COUNT.fullmatch(str(value).replace(",", ""))
    return int(float(found[1]) * MANY[found[2].lower()]) if found else 0
