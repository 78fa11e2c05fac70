"""How a forum's readers took a post: votes and comments, as the page itself states them."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from lxml.html import HtmlElement

from assay.models import Output
from assay.text import hosts, jsonld, published
from assay.text.plain import plain

FEW_VOTES = 20
FEW = f"Fewer than {FEW_VOTES} votes: the score is easily moved by a few accounts and says little."
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
    if not hosts.among(hosts.host(url), {"reddit.com"}) or not THREAD.search(url):
        return None
    stated = _stated(jsonld.nodes(jsonld.blocks(tree))) or _attributes(tree)
    if stated is None:
        return None
    upvotes, comments, when, author = stated
    return ForumSignals(
        platform="reddit",
        upvotes=upvotes,
        comments=comments,
        date_published=when or None,
        author_name=plain(author, 100) or None,
        credibility_note=FEW if upvotes < FEW_VOTES else None,
    )


type Stated = tuple[int, int, str, str]


def _stated(nodes: Sequence[Mapping[str, Any]]) -> Stated | None:
    post = next((node for node in nodes if "discussionforumposting" in jsonld.types(dict(node))), None)
    if post is None:
        return None
    counts = _counts(post.get("interactionStatistic"))
    comments = _number(post.get("commentCount")) or counts.get("comment", 0)
    author = next(iter(jsonld.texts(post.get("author"))), "")
    return counts.get("like", 0), comments, published.stated(post.get("datePublished")), author


def _counts(statistics: Any) -> dict[str, int]:
    """`{"like": 12, "comment": 3}` out of InteractionCounters."""
    found: dict[str, int] = {}
    for one in statistics if isinstance(statistics, list) else [statistics]:
        if not isinstance(one, dict):
            continue
        kind = one.get("interactionType")
        name = kind.get("@type") if isinstance(kind, dict) else kind
        action = str(name).rpartition("/")[2].removesuffix("Action").lower()
        found[action] = _number(one.get("userInteractionCount"))
    return {"like": found.get("like", found.get("upvote", 0)), "comment": found.get("comment", 0)}


def _attributes(tree: HtmlElement) -> Stated | None:
    for post in tree.iter("shreddit-post"):
        return (
            _number(post.get("score")),
            _number(post.get("comment-count")),
            published.stated(post.get("created-timestamp")),
            post.get("author") or "",
        )
    for post in tree.iter("div"):  # the older site
        if post.get("data-comments-count") and post.get("data-score"):
            since = _number(post.get("data-timestamp")) / 1000
            when = datetime.fromtimestamp(since, UTC).strftime("%Y-%m-%dT%H:%M:%SZ") if 0 < since < 1e11 else ""
            score, comments = _number(post.get("data-score")), _number(post.get("data-comments-count"))
            return score, comments, when, post.get("data-author") or ""
    return None


def _number(value: object) -> int:
    found = re.fullmatch(r"\s*(-?\d{1,15})(?:\.0*)?\s*", str(value))
    return int(found[1]) if found else 0
