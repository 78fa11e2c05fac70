"""Posts and profiles of X (Twitter) through FxTwitter, and through a Nitter mirror if that fails.

https://github.com/FxEmbed/FxEmbed/wiki
"""

import re
from functools import partial
from typing import Any

from assay.errors import NotFound, ToolError
from assay.scraping import nitter
from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext, within
from assay.scraping.untrusted_json import (
    address,
    join_blocks,
    line,
    moment,
    number,
    page,
    path_segments,
    prose,
    quote_markdown,
    record,
    rows,
    tally,
)

API = "https://api.fxtwitter.com"
SITE = "X"
SECONDS = 5.0
HANDLE = re.compile(r"[A-Za-z0-9_]{1,20}")
PATH = re.compile(r"/[A-Za-z0-9_]{1,20}(/status/\d{1,20})?")
STATUS = re.compile(r"\d{1,20}")
# First path segments that are not user names.
PLACES = frozenset(
    ("home", "explore", "search", "settings", "i", "notifications", "messages", "login", "signup", "logout", "intent",
     "share", "hashtag", "tos", "privacy", "compose", "jobs", "about", "download", "account", "oauth")
)  # fmt: skip


def matches(url: str) -> bool:
    """Whether the URL is on X or Twitter."""
    return within(url, "x.com", "twitter.com")


async def read(url: str, context: SiteContext) -> Page | None:
    """Read a post with the post it quotes, or a profile; None for any other path."""
    match path_segments(url):
        case ["i", "status" | "statuses", number, *_] | ["i", "web", "status", number, *_]:
            path, first = f"/i/status/{number}", partial(_post, url, "i", number, context)
        case [user, "status" | "statuses", number, *_]:
            path, first = f"/{user}/status/{number}", partial(_post, url, user, number, context)
        case [user] if user.lower() not in PLACES:
            path, first = f"/{user}", partial(_profile, url, user, context)
        case _:
            return None
    if not PATH.fullmatch(path):
        return None
    try:
        found = await first()
    except NotFound:
        raise
    except ToolError:
        found = None
    return found or await nitter.read(url, path, context)


async def _ask(path: str, context: SiteContext) -> dict[str, Any]:
    base = context.settings.base_url("fxtwitter", API)
    return record((await context.http.request("fxtwitter", "GET", base + path, seconds=SECONDS)).body)


async def _post(url: str, user: str, identifier: str, context: SiteContext) -> Page | None:
    if not (HANDLE.fullmatch(user) and STATUS.fullmatch(identifier)):
        return None
    try:
        answer = await _ask(f"/{user}/status/{identifier}", context)
    except NotFound as gone:
        raise NotFound(f"Not found: there is no post {identifier} on X, or no longer. Check the URL.") from gone
    tweet, now = record(answer.get("tweet")), context.clock()
    text = _format_post(tweet)
    if not text:
        return None
    name, handle = _who(tweet)
    title = f"{name} (@{handle}) on X" if handle else f"{name or 'A post'} on X"
    return page(
        url,
        "twitter",
        [
            f"# {title}",
            moment(_when(tweet), now),
            _answers(tweet),
            text,
            _quote(tweet, now),
            _note(tweet),
            _counts(tweet),
        ],
        title=f"{title}: {line(tweet.get('text'), 100)}".rstrip(": "),
        authors=[name or f"@{handle}"] if name or handle else [],
        site=SITE,
        published=moment(_when(tweet), now),
        canonical=f"https://x.com/{handle or 'i'}/status/{identifier}",
        language=line(tweet.get("lang"), 10),
    )


def _who(tweet: dict[str, Any]) -> tuple[str, str]:
    author = record(tweet.get("author"))
    handle = author.get("screen_name")
    known = isinstance(handle, str) and HANDLE.fullmatch(handle)
    return line(author.get("name"), 100), str(handle) if known else ""


def _when(tweet: dict[str, Any]) -> Any:
    return tweet.get("created_timestamp") or tweet.get("created_at")


def _format_post(tweet: dict[str, Any]) -> str:
    """The text, article, poll and media descriptions of a post as Markdown."""
    return join_blocks(prose(tweet.get("text")), _article(tweet), _poll(tweet), _media(tweet))


def _article(tweet: dict[str, Any]) -> str:
    article = record(tweet.get("article"))
    blocks = [prose(block.get("text")) for block in rows(record(article.get("content")).get("blocks"))]
    title = line(article.get("title"))
    return join_blocks(f"## {title}" if title else "", *(blocks or [prose(article.get("preview_text"))]))


def _poll(tweet: dict[str, Any]) -> str:
    choices = [
        f"- {label}: {number(choice.get('count')) or 0} votes"
        for choice in rows(record(tweet.get("poll")).get("choices"))[:20]
        if (label := line(choice.get("label"), 100))
    ]
    return "\n".join(choices)


def _media(tweet: dict[str, Any]) -> str:
    media = record(tweet.get("media"))
    shown = []
    for kind, name in (("photos", "Photo"), ("videos", "Video")):
        for item in rows(media.get(kind))[:16]:
            described = line(item.get("altText") or item.get("alt_text"), 1_000)
            link = address(item.get("url"))
            shown.append(f"- {name}: {described or 'no description'}" + (f" ({link})" if link else ""))
    return "\n".join(shown)


def _answers(tweet: dict[str, Any]) -> str:
    asker = tweet.get("replying_to")
    return f"In reply to @{asker}" if isinstance(asker, str) and HANDLE.fullmatch(asker) else ""


def _quote(tweet: dict[str, Any], now: float) -> str:
    quote = record(tweet.get("quote"))
    text = _format_post(quote)
    if not text:
        return ""
    name, handle = _who(quote)
    when = moment(_when(quote), now)
    head = f"**{name or handle or 'Someone'}**" + (f" (@{handle})" if handle else "") + (f", {when}" if when else "")
    return quote_markdown(join_blocks(f"{head}:", text))


def _note(tweet: dict[str, Any]) -> str:
    note = prose(record(tweet.get("community_note")).get("text"), 2_000)
    return f"Readers added context: {note}" if note else ""


def _counts(tweet: dict[str, Any]) -> str:
    return tally(
        likes=tweet.get("likes"),
        retweets=tweet.get("retweets"),
        replies=tweet.get("replies"),
        quotes=tweet.get("quotes"),
        views=tweet.get("views"),
    )


async def _profile(url: str, handle: str, context: SiteContext) -> Page | None:
    if not HANDLE.fullmatch(handle):
        return None
    try:
        answer = await _ask(f"/{handle}", context)
    except NotFound as gone:
        raise NotFound(f"Not found: X has no user @{handle}. Check the URL.") from gone
    user, now = record(answer.get("user")), context.clock()
    name = line(user.get("name"), 100)
    if not name:
        return None
    joined_at = moment(user.get("joined"), now)
    website = address(record(user.get("website")).get("url"))
    known = [
        f"- Location: {line(user.get('location'), 100)}" if line(user.get("location"), 100) else "",
        f"- Website: {website}" if website else "",
        f"- Joined: {joined_at}" if joined_at else "",
    ]
    posts = user.get("tweets") if user.get("tweets") is not None else user.get("statuses")
    return page(
        url,
        "twitter",
        [
            f"# {name} (@{handle}) on X",
            prose(user.get("description"), 2_000),
            "\n".join(fact for fact in known if fact),
            tally(followers=user.get("followers"), following=user.get("following"), posts=posts),
        ],
        title=f"{name} (@{handle}) on X",
        authors=[name],
        site=SITE,
        description=line(user.get("description")),
        canonical=f"https://x.com/{handle}",
    )
