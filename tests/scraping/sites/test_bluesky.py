"""Bluesky through its public API."""

import pytest

from assay.errors import NotFound

THREAD = "/bluesky/xrpc/app.bsky.feed.getPostThread"
URL = "https://bsky.app/profile/ada.river.example/post/3kabc"
TEXT = "Café otters: river.example/ott... and b"


def post(text, handle="ada.river.example", name="Ada Brook", likes=0, **more):
    record = {"$type": "app.bsky.feed.post", "text": text, "createdAt": "2024-02-03T04:05:06.789Z"} | more.pop(
        "record", {}
    )
    author = {"did": "did:plc:abc", "handle": handle, "displayName": name}
    return {
        "uri": "at://x",
        "author": author,
        "record": record,
        "likeCount": likes,
        "indexedAt": "2024-02-03T04:05:07Z",
    } | more


def build_thread(top, replies=(), **more):
    kind = "app.bsky.feed.defs#threadViewPost"
    return {"thread": {"$type": kind, "post": top, "replies": [{"$type": kind, "post": one} for one in replies]} | more}


def link(text, part, uri):
    start = text.encode().index(part.encode())
    index = {"byteStart": start, "byteEnd": start + len(part.encode())}
    return {"index": index, "features": [{"$type": "app.bsky.richtext.facet#link", "uri": uri}]}


async def test_a_post_is_reported_with_links_in_full_and_its_five_best_replies(ask, answers, site):
    facets = [
        link(TEXT, "river.example/ott...", "https://river.example/otters"),
        link(TEXT, "and b", "https://b.example/b"),
    ]
    top = post(TEXT, likes=12, replyCount=7, repostCount=3, quoteCount=1, record={"facets": facets})
    answers(THREAD, build_thread(top, [post(f"Reply {n}.", "bob.example", "Bob", likes=n) for n in range(7)]))
    page = (await ask("scrape_page", url=URL)).wire
    assert page["contentType"] == "bluesky"
    assert page["metadata"]["author"] == "Ada Brook"
    assert page["metadata"]["publishedAt"] == "2024-02-03T04:05:06Z"
    assert "Café otters: https://river.example/otters [and b](https://b.example/b)" in page["content"]
    assert "Likes: 12 · Reposts: 3 · Replies: 7 · Quotes: 1" in page["content"]
    assert page["content"].index("Reply 6.") < page["content"].index("Reply 2.")
    assert "Reply 1." not in page["content"]
    assert (page["truncated"], page["accessNote"]) == (True, "The page has 7 replies, of which 5 were read.")
    assert "uri=at%3A%2F%2Fada.river.example%2Fapp.bsky.feed.post%2F3kabc" in site.requests[0].path


async def test_what_a_post_carries_is_reported(by_route, answers):
    quote = {"record": {"author": {"handle": "bob.example", "displayName": "Bob"}, "value": {"text": "Quoted words."}}}
    embed = {
        "$type": "app.bsky.embed.recordWithMedia#view",
        "media": {"$type": "app.bsky.embed.images#view", "images": [{"alt": "An otter"}, {"alt": ""}]},
        "record": quote,
    }
    card = {"$type": "app.bsky.embed.external#view", "external": {"uri": "https://a.example/", "title": "A title"}}
    parent = {"parent": {"post": post("The first post.", "eve.example", "Eve", embed=card)}}
    answers(THREAD, build_thread(post("Look.", embed=embed), **parent))
    page = await by_route(URL)
    assert "- Photo: An otter\n- Photo: no description" in page.content
    assert "> **Bob** (@bob.example):\n>\n> Quoted words." in page.content
    assert "> In reply to **Eve**" in page.content
    assert "[A title](https://a.example/)" in page.content


async def test_a_profile_is_read(by_route, answers):
    profile = {
        "handle": "ada.river.example",
        "displayName": "Ada Brook",
        "description": "Watches otters.",
        "followersCount": 9,
        "followsCount": 8,
        "postsCount": 7,
        "createdAt": "2023-05-06T00:00:00Z",
    }
    answers("/bluesky/xrpc/app.bsky.actor.getProfile", profile)
    page = await by_route("https://bsky.app/profile/ada.river.example")
    assert "Watches otters." in page.content
    assert "Followers: 9 · Following: 8 · Posts: 7" in page.content


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, {"thread": {"$type": "app.bsky.feed.defs#notFoundPost", "notFound": True}}),
        (400, {"error": "NotFound", "message": "Post not found: at://x"}),
        (400, {"error": "InvalidRequest", "message": "Profile not found"}),
    ],
)
async def test_what_is_gone_is_not_found(read, answers, status, body):
    answers(THREAD, body, status)
    with pytest.raises(NotFound):
        await read(URL)


async def test_a_post_shown_to_nobody_is_left_to_the_ladder(by_route, answers):
    answers(THREAD, {"thread": {"$type": "app.bsky.feed.defs#blockedPost", "blocked": True}})
    assert await by_route(URL) is None


@pytest.mark.parametrize(
    "path", ["/", "/search?q=x", "/profile/no_dots", "/profile/a.example/feed/x", "/profile/a.example/post/a%2Fb"]
)
async def test_other_pages_are_left_to_the_ladder(by_route, site, path):
    assert await by_route("https://bsky.app" + path) is None
    assert site.requests == []
