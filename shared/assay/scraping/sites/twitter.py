"""Posts and profiles of X (Twitter) through FxTwitter, and through a Nitter mirror if that fails.

https://github.com/FxEmbed/FxEmbed/wiki
"""

import re
from functools import partial
from typing import Any

from assay.errors import NotFound, ToolError
from assay.scraping import nitter
from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext, is_within
from assay.scraping.untrusted_json import (
    as_object,
    build_page,
    clean_line,
    clean_text,
    format_counts,
    join_blocks,
    objects_in,
    parse_count,
    parse_date,
    parse_url,
    path_segments,
    quote_markdown,
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
    return is_within(url, "x.com", "twitter.com")


async def read(url: str, context: SiteContext) -> Page | None:
    """Read a post with the post it quotes, or a profile; None for any other path."""
    match path_segments(url):
        case ["i", "status" | "statuses", post_id, *_] | ["i", "web", "status", post_id, *_]:
            path, first = f"/i/status/{post_id}", partial(_post, url, "i", post_id, context)
        case [user, "status" | "statuses", post_id, *_]:
            path, first = f"/{user}/status/{post_id}", partial(_post, url, user, post_id, context)
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
    return as_object((await context.http.request("fxtwitter", "GET", base + path, seconds=SECONDS)).body)


async def _post(url: str, user: str, identifier: str, context: SiteContext) -> Page | None:
    if not (HANDLE.fullmatch(user) and STATUS.fullmatch(identifier)):
        return None
    try:
        answer = await _ask(f"/{user}/status/{identifier}", context)
    except NotFound as gone:
        raise NotFound(f"Not found: there is no post {identifier} on X, or no longer. Check the URL.") from gone
    tweet, now = as_object(answer.get("tweet")), context.clock()
    text = _format_post(tweet)
    if not text:
        return None
    name, handle = _who(tweet)
    title = f"{name} (@{handle}) on X" if handle else f"{name or 'A post'} on X"
    return build_page(
        url,
        "twitter",
        [
            f"# {title}",
            parse_date(_when(tweet), now),
            _answers(tweet),
            text,
            _quote(tweet, now),
            _note(tweet),
            _counts(tweet),
        ],
        title=f"{title}: {clean_line(tweet.get('text'), 100)}".rstrip(": "),
        authors=[name or f"@{handle}"] if name or handle else [],
        site=SITE,
        published=parse_date(_when(tweet), now),
        canonical=f"https://x.com/{handle or 'i'}/status/{identifier}",
        language=clean_line(tweet.get("lang"), 10),
    )


def _who(tweet: dict[str, Any]) -> tuple[str, str]:
    author = as_object(tweet.get("author"))
    handle = author.get("screen_name")
    known = isinstance(handle, str) and HANDLE.fullmatch(handle)
    return clean_line(author.get("name"), 100), str(handle) if known else ""


def _when(tweet: dict[str, Any]) -> Any:
    return tweet.get("created_timestamp") or tweet.get("created_at")


def _format_post(tweet: dict[str, Any]) -> str:
    """The text, article, poll and media descriptions of a post as Markdown."""
    return join_blocks(clean_text(tweet.get("text")), _article(tweet), _poll(tweet), _media(tweet))


def _article(tweet: dict[str, Any]) -> str:
    article = as_object(tweet.get("article"))
    blocks = [clean_text(block.get("text")) for block in objects_in(as_object(article.get("content")).get("blocks"))]
    title = clean_line(article.get("title"))
    return join_blocks(f"## {title}" if title else "", *(blocks or [clean_text(article.get("preview_text"))]))


def _poll(tweet: dict[str, Any]) -> str:
    choices = [
        f"- {label}: {parse_count(choice.get('count')) or 0} votes"
        for choice in objects_in(as_object(tweet.get("poll")).get("choices"))[:20]
        if (label := clean_line(choice.get("label"), 100))
    ]
    return "\n".join(choices)


def _media(tweet: dict[str, Any]) -> str:
    media = as_object(tweet.get("media"))
    shown = []
    for kind, name in (("photos", "Photo"), ("videos", "Video")):
        for item in objects_in(media.get(kind))[:16]:
            described = clean_line(item.get("altText") or item.get("alt_text"), 1_000)
            link = parse_url(item.get("url"))
            shown.append(f"- {name}: {described or 'no description'}" + (f" ({link})" if link else ""))
    return "\n".join(shown)


def _answers(tweet: dict[str, Any]) -> str:
    asker = tweet.get("replying_to")
    return f"In reply to @{asker}" if isinstance(asker, str) and HANDLE.fullmatch(asker) else ""


def _quote(tweet: dict[str, Any], now: float) -> str:
    quote = as_object(tweet.get("quote"))
    text = _format_post(quote)
    if not text:
        return ""
    name, handle = _who(quote)
    when = parse_date(_when(quote), now)
    head = f"**{name or handle or 'Someone'}**" + (f" (@{handle})" if handle else "") + (f", {when}" if when else "")
    return quote_markdown(join_blocks(f"{head}:", text))


def _note(tweet: dict[str, Any]) -> str:
    note = clean_text(as_object(tweet.get("community_note")).get("text"), 2_000)
    return f"Readers added context: {note}" if note else ""


def _counts(tweet: dict[str, Any]) -> str:
    return format_counts(
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
    user, now = as_object(answer.get("user")), context.clock()
    name = clean_line(user.get("name"), 100)
    if not name:
        return None
    joined_at = parse_date(user.get("joined"), now)
    website = parse_url(as_object(user.get("website")).get("url"))
    known = [
        f"- Location: {clean_line(user.get('location'), 100)}" if clean_line(user.get("location"), 100) else "",
        f"- Website: {website}" if website else "",
        f"- Joined: {joined_at}" if joined_at else "",
    ]
    posts = user.get("tweets") if user.get("tweets") is not None else user.get("statuses")
    return build_page(
        url,
        "twitter",
        [
            f"# {name} (@{handle}) on X",
            clean_text(user.get("description"), 2_000),
            "\n".join(fact for fact in known if fact),
            format_counts(followers=user.get("followers"), following=user.get("following"), posts=posts),
        ],
        title=f"{name} (@{handle}) on X",
        authors=[name],
        site=SITE,
        description=clean_line(user.get("description")),
        canonical=f"https://x.com/{handle}",
    )
