"""What Bluesky's search is asked, and how it is read."""

import pytest

from assay.errors import Blocked
from assay.models.common import Engagement, WebHit, WebQuery
from assay.providers.bluesky import Bluesky
from assay.settings import Settings

POST = {
    "uri": "at://did:plc:abc123/app.bsky.feed.post/3kxyz",
    "author": {"handle": "ada.bsky.social", "displayName": "Ada <3"},
    "record": {"text": "Otters & kelp, " * 20, "createdAt": "2026-07-01T09:30:00.000Z"},
    "likeCount": 7,
    "repostCount": 2,
    "replyCount": 1,
}


@pytest.fixture
def bluesky(upstream, http, now):
    return Bluesky(http, Settings(environ={"BLUESKY_BASE_URL": upstream.url}), clock=lambda: now)


async def test_posts_are_asked_for(bluesky, upstream):
    upstream.says({"posts": []})
    await bluesky.ask(
        "web", WebQuery(query="otters", num_results=7, time_range="day", language="de", exclude_terms="x")
    )
    [request] = upstream.requests
    assert request.path == "/xrpc/app.bsky.feed.searchPosts"
    assert request.query == {
        "q": "otters -x",
        "limit": "7",
        "sort": "top",
        "since": "2026-07-24T17:20:00Z",
        "lang": "de",
    }


async def test_a_post_is_read(bluesky, upstream):
    upstream.says({"posts": [POST]})
    [hit] = await bluesky.ask("web", WebQuery(query="otters"))
    response = ("Otters & kelp, " * 20).strip()
    assert hit == WebHit(
        title=response[:99].rstrip() + "…",
        url="https://bsky.app/profile/ada.bsky.social/post/3kxyz",
        snippet=f"Ada <3 (@ada.bsky.social): {response}",
        display_link="bsky.app",
        published_at="2026-07-01T09:30:00Z",
        engagement=Engagement(like_count=7, repost_count=2, reply_count=1),
    )


@pytest.mark.parametrize("handle", ["handle.invalid/../x", None, "evil.example/@x", "no dots"])
async def test_a_name_that_is_invalid_gives_way_to_the_number(bluesky, upstream, handle):
    upstream.says({"posts": [POST | {"author": {"handle": handle}}]})
    [hit] = await bluesky.ask("web", WebQuery(query="otters"))
    assert hit.url == "https://bsky.app/profile/did:plc:abc123/post/3kxyz"


async def test_where_the_first_address_turns_us_away_the_other_is_asked(bluesky, upstream):
    upstream.then({"error": "Forbidden"}, status=403)
    upstream.says({"posts": [POST]})
    bluesky.fallback = upstream.url
    assert len(await bluesky.ask("web", WebQuery(query="otters"))) == 1
    assert len(upstream.requests) == 2


async def test_an_address_of_the_operators_is_the_only_one(bluesky, upstream):
    upstream.says({}, status=403)
    with pytest.raises(Blocked):
        await bluesky.ask("web", WebQuery(query="otters"))
    assert len(upstream.requests) == 1
