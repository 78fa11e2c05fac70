"""Posts and profiles of Bluesky through its public API. https://docs.bsky.app/docs/api"""

import re
from typing import Any

from assay.errors import NotFound, ToolError
from assay.net.provider_client import ProviderResponse
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

API = "https://public.api.bsky.app"
SITE = "Bluesky"
HOST = "bsky.app"
REPLIES, LINKS = 5, 100
HANDLE = re.compile(r"(?=.{3,253}$)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+")
DID = re.compile(r"did:[a-z]+:[A-Za-z0-9._:%-]{1,200}")
SCHEME = re.compile(r"https?://(?:www\.)?")
KEY = re.compile(r"[A-Za-z0-9._:~-]{1,512}")


def matches(url: str) -> bool:
    """Whether the URL is on Bluesky."""
    return within(url, HOST)


async def read(url: str, context: SiteContext) -> Page | None:
    """Read a post with its five best replies, or a profile; None for any other path."""
    match path_segments(url):
        case ["profile", actor, "post", key] if _is_actor(actor) and KEY.fullmatch(key):
            return await _post(url, actor, key, context)
        case ["profile", actor] if _is_actor(actor):
            return await _profile(url, actor, context)
    return None


def _is_actor(name: str) -> bool:
    return bool(HANDLE.fullmatch(name) or DID.fullmatch(name))


async def _ask(method: str, context: SiteContext, **params: Any) -> dict[str, Any]:
    base = context.settings.base_url("bluesky", API)
    response = await context.http.request("bluesky", "GET", f"{base}/xrpc/{method}", params=params, refusal=_refusal)
    return record(response.body)


def _refusal(response: ProviderResponse) -> ToolError | None:
    """Bluesky reports missing items with status 400."""
    body = record(response.body)
    words = f"{line(body.get('error'))} {line(body.get('message'))}".lower()
    if response.status in (400, 404) and ("notfound" in words or "not found" in words):
        return NotFound("Not found: Bluesky has no such post or profile, or no longer. Check the URL.")
    return None


async def _post(url: str, actor: str, key: str, context: SiteContext) -> Page | None:
    uri = f"at://{actor}/app.bsky.feed.post/{key}"
    answer = await _ask("app.bsky.feed.getPostThread", context, uri=uri, depth=1, parentHeight=1)
    thread, now = record(answer.get("thread")), context.clock()
    kind = line(thread.get("$type")).removeprefix("app.bsky.feed.defs")
    if kind == "#notFoundPost":
        raise NotFound("Not found: the post is not on Bluesky, or no longer. Check the URL.")
    post = record(thread.get("post"))
    text = _format_post(post)
    if not text:
        return None
    name, handle = _who(post)
    who = f"{name} (@{handle})" if name and handle else name or (f"@{handle}" if handle else "A post")
    replies = _replies(thread, now)
    return page(
        url,
        "bluesky",
        [
            f"# {who} on Bluesky",
            _when(post, now),
            _above(thread, now),
            text,
            _counts(post),
            "## Replies" if replies else "",
            *replies,
        ],
        title=f"{who} on Bluesky: {line(record(post.get('record')).get('text'), 100)}".rstrip(": "),
        authors=[name or f"@{handle}"] if name or handle else [],
        site=SITE,
        published=_when(post, now),
    )


def _who(post: dict[str, Any]) -> tuple[str, str]:
    author = record(post.get("author"))
    handle = author.get("handle")
    return line(author.get("displayName"), 100), handle if isinstance(handle, str) and HANDLE.fullmatch(handle) else ""


def _when(post: dict[str, Any], now: float) -> str:
    """The creation date declared by the client, or else the indexing date."""
    return moment(record(post.get("record")).get("createdAt"), now) or moment(post.get("indexedAt"), now)


def _counts(post: dict[str, Any]) -> str:
    return tally(
        likes=post.get("likeCount"),
        reposts=post.get("repostCount"),
        replies=post.get("replyCount"),
        quotes=post.get("quoteCount"),
    )


def _format_post(post: dict[str, Any]) -> str:
    return join_blocks(_text(record(post.get("record"))), *_format_embed(record(post.get("embed"))))


def _text(written: dict[str, Any]) -> str:
    """The text with full links: facets (app.bsky.richtext.facet) hold the targets of shortened links by byte offset."""
    text = written.get("text")
    if not isinstance(text, str):
        return ""
    body = text.encode("utf-8", "replace")
    for start, end, link in sorted(_links(written, len(body)), reverse=True):
        shown = body[start:end].decode("utf-8", "ignore")
        body = body[:start] + (link if _is_short_for(shown, link) else f"[{shown}]({link})").encode() + body[end:]
    return prose(body.decode("utf-8", "ignore"))


def _is_short_for(shown: str, link: str) -> bool:
    """Whether the displayed text is a shortened form of the URL."""
    return SCHEME.sub("", link).startswith(SCHEME.sub("", shown).rstrip("…./"))


def _links(written: dict[str, Any], size: int) -> list[tuple[int, int, str]]:
    """The links in the text as (start byte, end byte, URL), without overlaps."""
    found: list[tuple[int, int, str]] = []
    for facet in rows(written.get("facets"))[:LINKS]:
        index = record(facet.get("index"))
        start, end = number(index.get("byteStart")), number(index.get("byteEnd"))
        link = next((there for one in rows(facet.get("features")) if (there := address(one.get("uri")))), "")
        if not link or start is None or end is None or not 0 <= start < end <= size:
            continue
        if all(end <= other[0] or start >= other[1] for other in found):
            found.append((start, end, link))
    return found


def _format_embed(embed: dict[str, Any], depth: int = 0) -> list[str]:
    """The embedded media, link card and quoted post as Markdown; images and videos by their descriptions."""
    pictures = [f"- Photo: {line(one.get('alt'), 1_000) or 'no description'}" for one in rows(embed.get("images"))[:8]]
    blocks = ["\n".join(pictures), _card(record(embed.get("external")))]
    if str(embed.get("$type")).startswith("app.bsky.embed.video"):
        blocks.append(f"- Video: {line(embed.get('alt'), 1_000) or 'no description'}")
    if depth < 2:
        media, inner = record(embed.get("media")), record(embed.get("record"))
        blocks += _format_embed(media, depth + 1)
        blocks.append(_quote(record(inner.get("record")) or inner, depth))
    return blocks


def _card(card: dict[str, Any]) -> str:
    link, title = address(card.get("uri")), line(card.get("title"))
    if not link:
        return ""
    body = line(card.get("description"), 500)
    return f"Link: [{title or link}]({link})" + (f" — {body}" if body else "")


def _quote(view: dict[str, Any], depth: int) -> str:
    value = record(view.get("value"))
    text = join_blocks(
        _text(value), *(block for one in rows(view.get("embeds"))[:4] for block in _format_embed(one, depth + 1))
    )
    if not text:
        return ""
    name, handle = _who(view)
    return quote_markdown(
        join_blocks(f"**{name or handle or 'Someone'}**" + (f" (@{handle}):" if handle else ":"), text)
    )


def _above(thread: dict[str, Any], now: float) -> str:
    """The parent post as a quote."""
    parent = record(record(thread.get("parent")).get("post"))
    text = line(_format_post(parent), 500)
    if not text:
        return ""
    name, handle = _who(parent)
    when = _when(parent, now)
    return quote_markdown(
        join_blocks(f"In reply to **{name or handle or 'someone'}**" + (f", {when}:" if when else ":"), text)
    )


def _replies(thread: dict[str, Any], now: float) -> list[str]:
    posts = [record(reply.get("post")) for reply in rows(thread.get("replies"))]
    posts.sort(key=lambda post: number(post.get("likeCount")) or 0, reverse=True)
    replies: list[str] = []
    for post in posts:
        text = _format_post(post)
        if text:
            name, handle = _who(post)
            when, likes = _when(post, now), number(post.get("likeCount")) or 0
            head = f"**{name or handle or 'Someone'}**" + (f", {when}" if when else "") + f", {likes} likes:"
            replies.append(join_blocks(head, quote_markdown(text)))
    return replies[:REPLIES]


async def _profile(url: str, actor: str, context: SiteContext) -> Page | None:
    profile = await _ask("app.bsky.actor.getProfile", context, actor=actor)
    name, handle = _who({"author": profile})
    if not (name or handle):
        return None
    since = moment(profile.get("createdAt"), context.clock())
    title = f"{name} (@{handle}) on Bluesky" if name and handle else f"{name or '@' + handle} on Bluesky"
    return page(
        url,
        "bluesky",
        [
            f"# {title}",
            prose(profile.get("description"), 5_000),
            f"Joined: {since}" if since else "",
            tally(
                followers=profile.get("followersCount"),
                following=profile.get("followsCount"),
                posts=profile.get("postsCount"),
            ),
        ],
        title=title,
        authors=[name or f"@{handle}"],
        site=SITE,
        description=line(profile.get("description")),
    )
