"""Reddit posts with their top comments, through the JSON form of each page. https://www.reddit.com/dev/api"""

import re
from typing import Any

from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext, is_within
from assay.scraping.untrusted_json import (
    as_object,
    build_page,
    clean_line,
    clean_text,
    describe_left_out,
    join_blocks,
    objects_in,
    parse_count,
    parse_date,
    parse_url,
    path_segments,
    quote_markdown,
    read_response,
)

WWW = "https://www.reddit.com"
SECONDS = 10.0
COMMENTS, ANSWERS, DEPTH = 10, 3, 3
TOP_COMMENTS, TOP_COMMENT_LENGTH = 5, 300
IDENTIFIER = re.compile(r"[a-z0-9]{1,12}", re.IGNORECASE)
CAP = 3 * 1024 * 1024
GONE = {"[deleted]", "[removed]", ""}
REMOVED = "The text of the post was deleted or removed; only its title and comments remain."


def matches(url: str) -> bool:
    """Whether the URL is on Reddit."""
    return is_within(url, "reddit.com", "redd.it")


async def read(url: str, context: SiteContext) -> Page | None:
    """Read a post with its comments; None for any other path, and if Reddit refuses the request."""
    path = _thread(url)
    if path is None:
        return None
    base = context.settings.base_url("reddit", WWW)
    json_url = f"{base}{path}.json?raw_json=1&limit=50&depth={DEPTH}&sort=top"
    fetched = await context.web.fetch(json_url, accept="application/json", cap=CAP, seconds=SECONDS, stealth=True)
    return _page(url, read_response(fetched), context.clock())


def _thread(url: str) -> str | None:
    """The canonical path of a post or comment, without the title segment; None for other URLs."""
    if is_within(url, "redd.it"):
        parts = (
            ["comments", *path_segments(url)] if not is_within(url, "i.redd.it", "v.redd.it", "preview.redd.it") else []
        )
    else:
        parts = path_segments(url)
    match parts:
        case ["r" | "user" | "u", _, "comments", post, _, comment, *_] | ["comments", post, _, comment, *_]:
            known = [post, "_", comment]
        case ["r" | "user" | "u", _, "comments", post, *_] | ["comments", post, *_]:
            known = [post]
        case _:
            return None
    return "/comments/" + "/".join(known) if all(IDENTIFIER.fullmatch(part) for part in known if part != "_") else None


def _things(listing: Any, kind: str) -> list[dict[str, Any]]:
    children = objects_in(as_object(as_object(listing).get("data")).get("children"))
    return [as_object(child.get("data")) for child in children if child.get("kind") == kind]


def _page(url: str, listings: Any, now: float) -> Page | None:
    if not isinstance(listings, list) or not listings:
        return None
    post = next(iter(_things(listings[0], "t3")), {})
    title = clean_line(post.get("title"))
    if not title:
        return None
    comments = _worth(_things(listings[1], "t1") if len(listings) > 1 else [])[:COMMENTS]
    author, published = _author(post), parse_date(post.get("created_utc"), now)
    own = clean_text(post.get("selftext"))
    removed = own in GONE - {""} or bool(post.get("removed_by_category"))
    comment_blocks = [_comment(comment, now) for comment in comments]
    return build_page(
        url,
        "reddit",
        [
            f"# {title}",
            _facts(post, author, published),
            _link(post),
            "" if own in GONE else own,
            "## Comments" if comment_blocks else "",
            *comment_blocks,
        ],
        title=title,
        authors=[author] if author else [],
        site=f"Reddit, r/{clean_line(post.get('subreddit'), 50)}"
        if clean_line(post.get("subreddit"), 50)
        else "Reddit",
        published=published,
        canonical=parse_url(f"{WWW}{permalink}") if isinstance(permalink := post.get("permalink"), str) else "",
        access_note=REMOVED if removed else None,
        left_out=describe_left_out(
            parse_count(post.get("num_comments")) or 0, sum(map(_count_comments, comments)), "comments"
        ),
        extras={"forumSignals": _signals(post, author, published, comments)},
    )


def _author(row: dict[str, Any]) -> str:
    name = clean_line(row.get("author"), 40)
    return "" if name in GONE else name


def _facts(post: dict[str, Any], author: str, published: str) -> str:
    ratio = post.get("upvote_ratio")
    known = [
        f"- By: u/{author}" if author else "",
        f"- Date: {published}" if published else "",
        f"- Upvotes: {_votes(post)}",
        f"- Upvoted by: {ratio:.0%}" if isinstance(ratio, float) and 0 <= ratio <= 1 else "",
        f"- Comments: {parse_count(post.get('num_comments')) or 0}",
        f"- Flair: {clean_line(post.get('link_flair_text'), 60)}"
        if clean_line(post.get("link_flair_text"), 60)
        else "",
    ]
    return "\n".join(fact for fact in known if fact)


def _link(post: dict[str, Any]) -> str:
    """The target of a link post."""
    if post.get("is_self") is True:
        return ""
    link = parse_url(post.get("url_overridden_by_dest") or post.get("url"))
    return f"Link: {link}" if link else ""


def _votes(row: dict[str, Any]) -> int:
    votes = parse_count(row.get("ups"))
    return votes if votes is not None else parse_count(row.get("score")) or 0


def _worth(comments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The comments that have text, by votes; pinned moderator comments are omitted."""
    good = [one for one in comments if clean_text(one.get("body"), 50) not in GONE and one.get("stickied") is not True]
    return sorted(good, key=_votes, reverse=True)


def _answers(comment: dict[str, Any], depth: int) -> list[dict[str, Any]]:
    """The answers to a comment that are read."""
    return _worth(_things(comment.get("replies"), "t1"))[:ANSWERS] if depth < DEPTH else []


def _count_comments(comment: dict[str, Any], depth: int = 1) -> int:
    """The number of comments that are read: the comment, and those below it."""
    return 1 + sum(_count_comments(answer, depth + 1) for answer in _answers(comment, depth))


def _comment(comment: dict[str, Any], now: float, depth: int = 1) -> str:
    author, when, votes = _author(comment) or "someone", parse_date(comment.get("created_utc"), now), _votes(comment)
    head = f"**u/{author}**" + (f", {when}" if when else "") + f", {votes} {'point' if votes == 1 else 'points'}:"
    answers = (_comment(answer, now, depth + 1) for answer in _answers(comment, depth))
    inside = join_blocks(clean_text(comment.get("body"), 10_000), *answers)
    return join_blocks(head, quote_markdown(inside))


def _signals(post: dict[str, Any], author: str, published: str, comments: list[dict[str, Any]]) -> dict[str, Any]:
    from assay.html.reader.forum_posts import build_signals

    fields = build_signals(_votes(post), parse_count(post.get("num_comments")) or 0, published, author).wire()
    best = [
        {"author": _author(one), "upvotes": _votes(one), "text": clean_line(one.get("body"), TOP_COMMENT_LENGTH)}
        for one in comments[:TOP_COMMENTS]
    ]
    return fields | {"topComments": best} if best else fields
