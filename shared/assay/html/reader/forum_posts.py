"""Engagement with a forum post: the votes and comments that the page states."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.evaluation import known_hosts
from assay.html.metadata import jsonld
from assay.html.parser.html_element import HtmlElement
from assay.models.common import Output
from assay.text import stated_dates
from assay.text.plain_text import to_plain_text
from assay.text.timestamps import format_utc

FEW_VOTES = 20
FEW_VOTES_NOTE = f"Fewer than {FEW_VOTES} votes: the score is easily moved by a few accounts and says little."
LIKE_ACTIONS, COMMENT_ACTIONS = ("like", "upvote", "vote", "agree"), ("comment", "reply")
COUNT_TEXT = re.compile(r"\s*(-?\d{1,15}(?:\.\d{0,9})?)\s?([km]?)\s*", re.IGNORECASE)
MULTIPLIERS = {"": 1, "k": 1_000, "m": 1_000_000}
THREAD_PATH = re.compile(r"/comments/\w+")


class ForumSignals(Output):
    """Engagement with one post. `date_published` is ISO 8601."""

    platform: str
    upvotes: int
    comments: int
    date_published: str | None = None
    author_name: str | None = None
    credibility_note: str | None = None


def extract_forum_signals(tree: HtmlElement, url: str) -> ForumSignals | None:
    """Return the signals of a Reddit post, from its JSON-LD or the post's attributes; None for other pages."""
    if not known_hosts.is_in_domains(known_hosts.parse_host(url), {"reddit.com"}) or not THREAD_PATH.search(url):
        return None
    stated = _declared_counts(jsonld.collect_nodes(jsonld.find_blocks(tree))) or _attribute_counts(tree)
    if stated is None:
        return None
    return build_signals(*stated)


def build_signals(upvotes: int, comments: int, when: str, author: str) -> ForumSignals:
    """Return the signals of a post, with a caution if it has few votes."""
    return ForumSignals(
        platform="reddit",
        upvotes=upvotes,
        comments=comments,
        date_published=when or None,
        author_name=to_plain_text(author, 100) or None,
        credibility_note=FEW_VOTES_NOTE if upvotes < FEW_VOTES else None,
    )


type PostCounts = tuple[int, int, str, str]


def _declared_counts(nodes: Sequence[Mapping[str, Any]]) -> PostCounts | None:
    post = next((node for node in nodes if "discussionforumposting" in jsonld.node_types(dict(node))), None)
    if post is None:
        return None
    counts = _parse_counts(post.get("interactionStatistic"))
    comments = _parse_count(post.get("commentCount")) or counts["comment"]
    author = next(iter(jsonld.extract_names(post.get("author"))), "")
    return (
        counts["like"] or _parse_count(post.get("upvoteCount")),
        comments,
        stated_dates.parse_stated_date(post.get("datePublished")),
        author,
    )


def _parse_counts(statistics: Any) -> dict[str, int]:
    """Return `{"like": 12, "comment": 3}` from one or several schema.org InteractionCounters."""
    counts: dict[str, int] = {}
    for counter in statistics[:50] if isinstance(statistics, list) else [statistics]:
        if isinstance(counter, dict):
            for action in _actions(counter.get("interactionType")):
                counts.setdefault(action, _parse_count(counter.get("userInteractionCount")))
    return {
        "like": next((counts[name] for name in LIKE_ACTIONS if name in counts), 0),
        "comment": next((counts[name] for name in COMMENT_ACTIONS if name in counts), 0),
    }


def _actions(kind: Any) -> list[str]:
    """Return `like` for `LikeAction`, its URL, a node of that type, or a list of these."""
    node = kind if isinstance(kind, dict) else {"@type": kind}
    named = jsonld.node_types(node) or jsonld.node_types({"@type": node.get("@id")})
    return [name.removesuffix("action") for name in named]


def _attribute_counts(tree: HtmlElement) -> PostCounts | None:
    for post in tree.iter("shreddit-post"):
        return (
            _parse_count(post.get("score")),
            _parse_count(post.get("comment-count")),
            stated_dates.parse_stated_date(post.get("created-timestamp")),
            post.get("author") or "",
        )
    for post in tree.iter("div"):  # the older site
        if post.get("data-comments-count") and post.get("data-score"):
            since = _parse_count(post.get("data-timestamp")) / 1000
            when = format_utc(since) if 0 < since < 1e11 else ""
            score, comments = _parse_count(post.get("data-score")), _parse_count(post.get("data-comments-count"))
            return score, comments, when, post.get("data-author") or ""
    return None


def _parse_count(value: object) -> int:
    """Parse a count: `1234`, `"1,234"`, `"1.2k"` or a node with a value; 0 if it is not a number."""
    if isinstance(value, dict):
        value = value.get("@value")
    match = COUNT_TEXT.fullmatch(str(value).replace(",", ""))
    return int(float(match[1]) * MULTIPLIERS[match[2].lower()]) if match else 0
