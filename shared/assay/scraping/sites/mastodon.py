"""Posts on any server of Mastodon, or with its interface. https://docs.joinmastodon.org/methods/statuses/"""

import re
from typing import Any

from assay.errors import ToolError
from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext
from assay.scraping.untrusted_json import (
    as_object,
    build_page,
    clean_line,
    describe_left_out,
    format_counts,
    format_link,
    html_to_markdown,
    join_blocks,
    objects_in,
    parse_count,
    parse_date,
    parse_url,
    quote_markdown,
    read_response,
)
from assay.text.url_parts import split_url

SITE = "Mastodon"
PATH = re.compile(r"/(?:@[\w.-]{1,64}(?:@[\w.-]{1,253})?|users/[\w.-]{1,64}/statuses|web/statuses)/(\d{15,20})/?")
CAP, SECONDS = 2 * 1024 * 1024, 10.0
REPLIES, OWN_REPLIES, MEDIA, CHOICES = 10, 30, 20, 20


def matches(url: str) -> bool:
    """Whether the canonical URL has the form of a post on a server of Mastodon."""
    return PATH.fullmatch(split_url(url).path) is not None


async def read(url: str, context: SiteContext) -> Page | None:
    """Read a post with what its author added, the post above and the best replies; None on servers of another kind."""
    parts = split_url(url)
    found = PATH.fullmatch(parts.path)
    assert found is not None
    address = f"{parts.scheme}://{parts.netloc}/api/v1/statuses/{found[1]}"
    post = as_object(await _ask(address, context))
    post = as_object(post.get("reblog")) or post
    text = _format_post(post, url)
    if not text or not as_object(post.get("account")):
        return None
    thread = as_object(await _ask(f"{address}/context", context))
    return _build_page(url, post, text, thread, context.clock())


async def _ask(address: str, context: SiteContext) -> Any:
    """Return the JSON at an address of the interface; None if there is none."""
    try:
        fetched = await context.web.fetch(address, accept="application/json", cap=CAP, seconds=SECONDS)
    except ToolError:
        return None
    return read_response(fetched)


def _build_page(url: str, post: dict[str, Any], text: str, thread: dict[str, Any], now: float) -> Page | None:
    below = objects_in(thread.get("descendants"))
    added = _list_own_replies(post, below)
    replies = [reply for reply in below if reply.get("in_reply_to_id") == post.get("id") and reply not in added]
    best = sorted(replies, key=lambda reply: -(parse_count(reply.get("favourites_count")) or 0))[:REPLIES]
    above = objects_in(thread.get("ancestors"))[-1:]
    name, handle = _read_author(post)
    who = f"{name} (@{handle})"
    published = parse_date(post.get("created_at"), now)
    shown = [_quote(reply, url) for reply in best]
    counts = format_counts(
        favourites=post.get("favourites_count"), boosts=post.get("reblogs_count"), replies=post.get("replies_count")
    )
    return build_page(
        url,
        "mastodon",
        [
            f"# {who} on Mastodon", published, *(f"> In reply to:\n>\n{_quote(parent, url)}" for parent in above), text,
            *(_format_post(part, url) for part in added), counts, "## Replies" if any(shown) else "", *shown,
        ],
        title=f"{who} on Mastodon: {clean_line(html_to_markdown(post.get('content'), url), 100)}".rstrip(": "),
        authors=[name],
        site=SITE,
        published=published,
        modified=parse_date(post.get("edited_at"), now),
        canonical=parse_url(post.get("url")),
        left_out=describe_left_out(len(replies), len(best), "replies"),
    )  # fmt: skip


def _list_own_replies(post: dict[str, Any], below: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the posts with which the author went on, each a reply to the one before."""
    found: list[dict[str, Any]] = []
    author, last = as_object(post.get("account")).get("id"), post.get("id")
    for reply in below:  # in order, each after what it replies to
        if len(found) < OWN_REPLIES and reply.get("in_reply_to_id") == last and _is_by(reply, author):
            found.append(reply)
            last = reply.get("id")
    return found


def _is_by(post: dict[str, Any], author: Any) -> bool:
    return author is not None and as_object(post.get("account")).get("id") == author


def _read_author(post: dict[str, Any]) -> tuple[str, str]:
    account = as_object(post.get("account"))
    handle = clean_line(account.get("acct"), 320)
    return clean_line(account.get("display_name"), 100) or handle, handle


def _quote(post: dict[str, Any], url: str) -> str:
    name, handle = _read_author(post)
    text = _format_post(post, url)
    return quote_markdown(join_blocks(f"**{name}** (@{handle}):", text)) if text else ""


def _format_post(post: dict[str, Any], url: str) -> str:
    """Format the warning, the text, what is attached, the poll and the card of a post."""
    warning = clean_line(post.get("spoiler_text"), 500)
    attached = [_format_medium(one) for one in objects_in(post.get("media_attachments"))[:MEDIA]]
    card = as_object(post.get("card"))
    choices = objects_in(as_object(post.get("poll")).get("options"))[:CHOICES]
    return join_blocks(
        f"**{warning}**" if warning else "",
        html_to_markdown(post.get("content"), url),
        "\n".join(attached),
        "\n".join(_format_choice(choice) for choice in choices),
        format_link(card.get("url"), card.get("title"), card.get("description")),
    )


def _format_medium(medium: dict[str, Any]) -> str:
    kind = "Photo" if medium.get("type") == "image" else "Video" if medium.get("type") in ("video", "gifv") else "File"
    return f"- {kind}: {clean_line(medium.get('description'), 1_500) or 'no description'}"


def _format_choice(choice: dict[str, Any]) -> str:
    votes = parse_count(choice.get("votes_count"))
    return f"- {clean_line(choice.get('title'), 200)}" + ("" if votes is None else f" ({votes} votes)")
