"""Posts and profiles of Bluesky through its public API. https://docs.bsky.app/docs/api"""

import re
from typing import Any

from assay.errors import NotFound, ToolError
from assay.net.provider_client import ProviderResponse
from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext, is_within
from assay.scraping.untrusted_json import (
    as_object,
    build_page,
    clean_line,
    clean_text,
    describe_left_out,
    format_counts,
    format_link,
    join_blocks,
    objects_in,
    parse_count,
    parse_date,
    parse_url,
    path_segments,
    quote_markdown,
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
    return is_within(url, HOST)


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
    return as_object(response.body)


def _refusal(response: ProviderResponse) -> ToolError | None:
    """Bluesky reports missing items with status 400."""
    body = as_object(response.body)
    words = f"{clean_line(body.get('error'))} {clean_line(body.get('message'))}".lower()
    if response.status in (400, 404) and ("notfound" in words or "not found" in words):
        return NotFound("Not found: Bluesky has no such post or profile, or no longer. Check the URL.")
    return None


async def _post(url: str, actor: str, key: str, context: SiteContext) -> Page | None:
    uri = f"at://{actor}/app.bsky.feed.post/{key}"
    answer = await _ask("app.bsky.feed.getPostThread", context, uri=uri, depth=1, parentHeight=1)
    thread, now = as_object(answer.get("thread")), context.clock()
    kind = clean_line(thread.get("$type")).removeprefix("app.bsky.feed.defs")
    if kind == "#notFoundPost":
        raise NotFound("Not found: the post is not on Bluesky, or no longer. Check the URL.")
    post = as_object(thread.get("post"))
    text = _format_post(post)
    if not text:
        return None
    name, handle = _who(post)
    who = f"{name} (@{handle})" if name and handle else name or (f"@{handle}" if handle else "A post")
    replies = _replies(thread, now)
    return build_page(
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
        title=f"{who} on Bluesky: {clean_line(as_object(post.get('record')).get('text'), 100)}".rstrip(": "),
        authors=[name or f"@{handle}"] if name or handle else [],
        site=SITE,
        published=_when(post, now),
        left_out=describe_left_out(parse_count(post.get("replyCount")) or 0, len(replies), "replies"),
    )


def _who(post: dict[str, Any]) -> tuple[str, str]:
    author = as_object(post.get("author"))
    handle = author.get("handle")
    return clean_line(author.get("displayName"), 100), handle if isinstance(handle, str) and HANDLE.fullmatch(
        handle
    ) else ""


def _when(post: dict[str, Any], now: float) -> str:
    """The creation date declared by the client, or else the indexing date."""
    return parse_date(as_object(post.get("record")).get("createdAt"), now) or parse_date(post.get("indexedAt"), now)


def _counts(post: dict[str, Any]) -> str:
    return format_counts(
        likes=post.get("likeCount"),
        reposts=post.get("repostCount"),
        replies=post.get("replyCount"),
        quotes=post.get("quoteCount"),
    )


def _format_post(post: dict[str, Any]) -> str:
    return join_blocks(_text(as_object(post.get("record"))), *_format_embed(as_object(post.get("embed"))))


def _text(written: dict[str, Any]) -> str:
    """The text with full links: facets (app.bsky.richtext.facet) hold the targets of shortened links by byte offset."""
    text = written.get("text")
    if not isinstance(text, str):
        return ""
    body = text.encode("utf-8", "replace")
    for start, end, link in sorted(_links(written, len(body)), reverse=True):
        shown = body[start:end].decode("utf-8", "ignore")
        body = body[:start] + (link if _is_short_for(shown, link) else f"[{shown}]({link})").encode() + body[end:]
    return clean_text(body.decode("utf-8", "ignore"))


def _is_short_for(shown: str, link: str) -> bool:
    """Whether the displayed text is a shortened form of the URL."""
    return SCHEME.sub("", link).startswith(SCHEME.sub("", shown).rstrip("…./"))


def _links(written: dict[str, Any], size: int) -> list[tuple[int, int, str]]:
    """The links in the text as (start byte, end byte, URL), without overlaps."""
    found: list[tuple[int, int, str]] = []
    for facet in objects_in(written.get("facets"))[:LINKS]:
        index = as_object(facet.get("index"))
        start, end = parse_count(index.get("byteStart")), parse_count(index.get("byteEnd"))
        link = next((there for one in objects_in(facet.get("features")) if (there := parse_url(one.get("uri")))), "")
        if not link or start is None or end is None or not 0 <= start < end <= size:
            continue
        if all(end <= other[0] or start >= other[1] for other in found):
            found.append((start, end, link))
    return found


def _format_embed(embed: dict[str, Any], depth: int = 0) -> list[str]:
    """The embedded media, link card and quoted post as Markdown; images and videos by their descriptions."""
    pictures = [
        f"- Photo: {clean_line(one.get('alt'), 1_000) or 'no description'}"
        for one in objects_in(embed.get("images"))[:8]
    ]
    card = as_object(embed.get("external"))
    blocks = ["\n".join(pictures), format_link(card.get("uri"), card.get("title"), card.get("description"))]
    if str(embed.get("$type")).startswith("app.bsky.embed.video"):
        blocks.append(f"- Video: {clean_line(embed.get('alt'), 1_000) or 'no description'}")
    if depth < 2:
        media, inner = as_object(embed.get("media")), as_object(embed.get("record"))
        blocks += _format_embed(media, depth + 1)
        blocks.append(_quote(as_object(inner.get("record")) or inner, depth))
    return blocks


def _quote(view: dict[str, Any], depth: int) -> str:
    value = as_object(view.get("value"))
    text = join_blocks(
        _text(value), *(block for one in objects_in(view.get("embeds"))[:4] for block in _format_embed(one, depth + 1))
    )
    if not text:
        return ""
    name, handle = _who(view)
    return quote_markdown(
        join_blocks(f"**{name or handle or 'Someone'}**" + (f" (@{handle}):" if handle else ":"), text)
    )


def _above(thread: dict[str, Any], now: float) -> str:
    """The parent post as a quote."""
    parent = as_object(as_object(thread.get("parent")).get("post"))
    text = clean_line(_format_post(parent), 500)
    if not text:
        return ""
    name, handle = _who(parent)
    when = _when(parent, now)
    return quote_markdown(
        join_blocks(f"In reply to **{name or handle or 'someone'}**" + (f", {when}:" if when else ":"), text)
    )


def _replies(thread: dict[str, Any], now: float) -> list[str]:
    posts = [as_object(reply.get("post")) for reply in objects_in(thread.get("replies"))]
    posts.sort(key=lambda post: parse_count(post.get("likeCount")) or 0, reverse=True)
    replies: list[str] = []
    for post in posts:
        text = _format_post(post)
        if text:
            name, handle = _who(post)
            when, likes = _when(post, now), parse_count(post.get("likeCount")) or 0
            head = f"**{name or handle or 'Someone'}**" + (f", {when}" if when else "") + f", {likes} likes:"
            replies.append(join_blocks(head, quote_markdown(text)))
    return replies[:REPLIES]


async def _profile(url: str, actor: str, context: SiteContext) -> Page | None:
    profile = await _ask("app.bsky.actor.getProfile", context, actor=actor)
    name, handle = _who({"author": profile})
    if not (name or handle):
        return None
    since = parse_date(profile.get("createdAt"), context.clock())
    title = f"{name} (@{handle}) on Bluesky" if name and handle else f"{name or '@' + handle} on Bluesky"
    return build_page(
        url,
        "bluesky",
        [
            f"# {title}",
            clean_text(profile.get("description"), 5_000),
            f"Joined: {since}" if since else "",
            format_counts(
                followers=profile.get("followersCount"),
                following=profile.get("followsCount"),
                posts=profile.get("postsCount"),
            ),
        ],
        title=title,
        authors=[name or f"@{handle}"],
        site=SITE,
        description=clean_line(profile.get("description")),
    )
