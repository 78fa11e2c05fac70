"""Hacker News items, users and lists through its Firebase API. https://github.com/HackerNews/API"""

import asyncio
import re
from collections.abc import Iterable, Sequence
from typing import Any

from assay.errors import NotFound, ToolError
from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext, is_within
from assay.scraping.untrusted_json import (
    build_page,
    clean_line,
    describe_left_out,
    html_to_markdown,
    join_blocks,
    objects_in,
    parse_count,
    parse_date,
    parse_url,
    path_segments,
    query_value,
    quote_markdown,
)
from assay.state.concurrent_map import gather_all, map_concurrently

SITE = "Hacker News"
HOST = "news.ycombinator.com"
HERE = f"https://{HOST}/"
FIREBASE = "https://hacker-news.firebaseio.com"
LISTS = {
    "": ("top", "Top stories"),
    "news": ("top", "Top stories"),
    "newest": ("new", "New stories"),
    "best": ("best", "Best stories"),
    "ask": ("ask", "Ask HN"),
    "show": ("show", "Show HN"),
    "jobs": ("job", "Jobs"),
}
STORIES, COMMENTS, SPARE, OPTIONS = 20, 10, 4, 20
MAX_CONCURRENT = 10
USER = re.compile(r"[A-Za-z0-9_-]{1,40}")
DEAD = "This item was killed by moderators or user flags and is hidden from most readers."


def matches(url: str) -> bool:
    """Whether the URL is on Hacker News."""
    return is_within(url, HOST)


async def read(url: str, context: SiteContext) -> Page | None:
    """Read an item with its first ten comments, a user, or a list of twenty stories; None for any other path."""
    firebase = _Firebase(context)
    match path_segments(url):
        case ["item"]:
            return await _item(url, query_value(url, "id"), firebase)
        case ["item", item_id]:
            return await _item(url, item_id, firebase)
        case ["user"]:
            return await _user(url, query_value(url, "id"), firebase)
        case ["user", name]:
            return await _user(url, name, firebase)
        case [] | [_] as path if "".join(path) in LISTS and query_value(url, "p") in ("", "1"):
            return await _list(url, *LISTS["".join(path)], firebase)
    return None


class _Firebase:
    """API client with a limited number of concurrent requests."""

    def __init__(self, context: SiteContext) -> None:
        self._http = context.http
        self._base = context.settings.base_url("hackernews_firebase", FIREBASE)
        self._slots = asyncio.Semaphore(MAX_CONCURRENT)
        self.now = context.clock()

    async def get(self, path: str) -> Any:
        """Request a path of the API; return the JSON."""
        async with self._slots:
            return (await self._http.request("hackernews", "GET", f"{self._base}/v0/{path}.json")).body

    async def _get_item(self, item_id: int) -> Any:
        try:
            return await self.get(f"item/{item_id}")
        except ToolError as failure:
            return failure

    async def items(self, numbers: Any, most: int) -> list[dict[str, Any]]:
        """Fetch up to `most` items in order, without failed or deleted ones. Raises the first error if all fail."""
        ids = [one for one in numbers if parse_count(one)][:most] if isinstance(numbers, list) else []
        found = await map_concurrently(self._get_item, ids)
        failures = [failure for failure in found if isinstance(failure, ToolError)]
        if failures and len(failures) == len(found):
            raise failures[0]
        return [row for row in objects_in(found) if row.get("deleted") is not True]


async def _item(url: str, identifier: str, firebase: _Firebase) -> Page | None:
    if not (identifier.isascii() and identifier.isdigit()) or len(identifier) > 15:
        return None
    item = await firebase.get(f"item/{identifier}")
    if item is None:
        raise NotFound(f"Not found: Hacker News has no item {identifier}. Check the URL.")
    if not isinstance(item, dict):
        return None
    if item.get("deleted") is True:
        raise NotFound(f"Not found: the item {identifier} was deleted from Hacker News.")
    kids, options, parents = await gather_all(
        firebase.items(item.get("kids"), COMMENTS + SPARE),
        firebase.items(item.get("parts"), OPTIONS),
        firebase.items([item.get("parent")], 1),
    )
    return _page(url, item, kids, options, parents[0] if parents else {}, firebase.now)


def _page(
    url: str,
    item: dict[str, Any],
    kids: Sequence[dict[str, Any]],
    options: Iterable[dict[str, Any]],
    parent: dict[str, Any],
    now: float,
) -> Page | None:
    text = html_to_markdown(item.get("text"), HERE)
    comments = [_comment(kid, now) for kid in kids if kid.get("dead") is not True and kid.get("text")][:COMMENTS]
    author = clean_line(item.get("by"), 40)
    title = html_to_markdown(item.get("title"), HERE) or _title_of_comment(author, parent)
    if not (title and (text or comments or item.get("title"))):
        return None
    polled = "\n".join(
        f"- {clean_line(html_to_markdown(option.get('text'), HERE))} ({parse_count(option.get('score')) or 0} points)"
        for option in options
    )
    blocks = [
        f"# {title}",
        _facts(item, author, now),
        _parent_quote(parent),
        text,
        polled,
        "## Comments" if comments else "",
        *comments,
    ]
    return build_page(
        url,
        "hn",
        blocks,
        title=title,
        authors=[author] if author else [],
        site=SITE,
        published=parse_date(item.get("time"), now),
        canonical=f"{HERE}item?id={parse_count(item.get('id'))}" if parse_count(item.get("id")) else "",
        access_note=DEAD if item.get("dead") is True else None,
        left_out=describe_left_out(_count_comments(item, kids), len(comments), "comments"),
    )


def _count_comments(item: dict[str, Any], kids: Sequence[dict[str, Any]]) -> int:
    """The number of comments below the item. For a comment it is known of two levels only."""
    total = parse_count(item.get("descendants"))
    listed = [one["kids"] for one in (item, *kids) if isinstance(one.get("kids"), list)]
    return sum(map(len, listed)) if total is None else total


def _title_of_comment(author: str, parent: dict[str, Any]) -> str:
    if not author:
        return ""
    above = clean_line(html_to_markdown(parent.get("title"), HERE), 200)
    return f"Comment by {author} on {above}" if above else f"Comment by {author}"


def _facts(item: dict[str, Any], author: str, now: float) -> str:
    points, comments = parse_count(item.get("score")), parse_count(item.get("descendants"))
    link, when = parse_url(item.get("url")), parse_date(item.get("time"), now)
    known = [
        f"Link: {link}" if link else "",
        f"Points: {points}" if points is not None else "",
        f"By: {author}" if author else "",
        f"Date: {when}" if when else "",
        f"Comments: {comments}" if comments is not None else "",
    ]
    return "\n".join(f"- {fact}" for fact in known if fact)


def _parent_quote(parent: dict[str, Any]) -> str:
    """The parent item of a comment as a quote."""
    author, above = clean_line(parent.get("by"), 40), clean_line(html_to_markdown(parent.get("text"), HERE), 500)
    if not above:
        return ""
    return quote_markdown(join_blocks(f"In reply to {author}:", above))


def _comment(kid: dict[str, Any], now: float) -> str:
    author, when = clean_line(kid.get("by"), 40) or "someone", parse_date(kid.get("time"), now)
    answers = len(kid["kids"]) if isinstance(kid.get("kids"), list) else 0
    head = f"**{author}**" + (f", {when}" if when else "")
    tail = f" ({answers} {'reply' if answers == 1 else 'replies'})" if answers else ""
    return join_blocks(f"{head}{tail}:", quote_markdown(html_to_markdown(kid.get("text"), HERE)))


async def _user(url: str, name: str, firebase: _Firebase) -> Page | None:
    if not USER.fullmatch(name):
        return None
    user = await firebase.get(f"user/{name}")
    if user is None:
        raise NotFound(f"Not found: Hacker News has no user {name}. Check the URL.")
    if not isinstance(user, dict):
        return None
    since, karma = parse_date(user.get("created"), firebase.now), parse_count(user.get("karma"))
    submitted = user.get("submitted")
    known = [
        f"- Karma: {karma}" if karma is not None else "",
        f"- Member since: {since}" if since else "",
        f"- Submissions and comments: {len(submitted)}" if isinstance(submitted, list) else "",
    ]
    facts = "\n".join(fact for fact in known if fact)
    about = html_to_markdown(user.get("about"), HERE)
    if not (facts or about):
        return None
    return build_page(
        url, "hn", [f"# {name} on Hacker News", facts, about], title=f"{name} on Hacker News", authors=[name], site=SITE
    )


async def _list(url: str, name: str, title: str, firebase: _Firebase) -> Page | None:
    numbers = await firebase.get(f"{name}stories")
    stories = await firebase.items(numbers, STORIES)
    lines = [text for story in stories if (text := _story(story, firebase.now))]
    if not lines:
        return None
    listed = "\n".join(f"{place}. {text}" for place, text in enumerate(lines, 1))
    return build_page(url, "hn", [f"# {SITE}: {title}", listed], title=f"{SITE}: {title}", site=SITE)


def _story(story: dict[str, Any], now: float) -> str:
    title = clean_line(html_to_markdown(story.get("title"), HERE))
    identifier = parse_count(story.get("id"))
    if not title or identifier is None:
        return ""
    link, discussion = parse_url(story.get("url")), f"{HERE}item?id={identifier}"
    author, when = clean_line(story.get("by"), 40), parse_date(story.get("time"), now)
    points, comments = parse_count(story.get("score")), parse_count(story.get("descendants"))
    known = [
        f"{points} points" if points is not None else "",
        f"by {author}" if author else "",
        when,
        f"[{comments or 0} comments]({discussion})",
    ]
    heading = f"[{title}]({link})" if link else f"[{title}]({discussion})"
    return f"{heading}\n   " + " · ".join(fact for fact in known if fact)
