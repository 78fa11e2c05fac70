"""Contract of all site readers for documented and malformed API responses."""

import asyncio
import json
import time
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.errors import Network, ToolError
from assay.net.guarded_client import Fetched
from assay.net.provider_client import ProviderResponse
from assay.scraping.page import Page
from assay.scraping.site_registry import SiteContext, route
from assay.settings import Settings

ADDRESSES = [
    "https://www.youtube.com/watch?v=aB3-_dEfGh1",
    "https://news.ycombinator.com/item?id=1",
    "https://news.ycombinator.com/",
    "https://news.ycombinator.com/user?id=ada",
    "https://x.com/ada/status/1",
    "https://x.com/ada",
    "https://bsky.app/profile/ada.example/post/3k",
    "https://bsky.app/profile/ada.example",
    "https://github.com/ada/otters",
    "https://github.com/ada/otters/blob/main/a.py",
    "https://github.com/ada/otters/issues/1",
    "https://gist.github.com/ada/0123abcdef",
    "https://www.reddit.com/r/otters/comments/1abc2d/x/",
    "https://gitlab.com/ada/otters/-/blob/main/a.json",
    "https://river.example/@ada/111222333444555666",
]
HOSTS = [
    "youtube.com",
    "youtu.be",
    "news.ycombinator.com",
    "x.com",
    "twitter.com",
    "bsky.app",
    "github.com",
    "reddit.com",
]

SAID = "Otters hold hands while they sleep, so that the river does not part them. " * 3
PERSON = {
    "name": "Ada",
    "screen_name": "ada",
    "handle": "ada.example",
    "displayName": "Ada",
    "login": "ada",
    "type": "User",
}
SKY = {"author": PERSON, "likeCount": 1, "indexedAt": "2024-01-01T00:00:00Z"} | {
    "record": {
        "text": SAID,
        "createdAt": "2024-01-01T00:00:00Z",
        "facets": [{"index": {"byteStart": 0, "byteEnd": 6}, "features": [{"uri": "https://a.example/"}]}],
    },
    "embed": {
        "$type": "app.bsky.embed.video#view",
        "images": [{"alt": "x"}],
        "external": {"uri": "https://a.example/", "title": "t", "description": "d"},
        "media": {"images": [{"alt": "y"}]},
        "record": {"record": {"author": PERSON, "value": {"text": "q"}, "embeds": [{"images": [{"alt": "z"}]}]}},
    },
}
TWEET = {
    "text": SAID,
    "author": PERSON,
    "created_timestamp": 1_700_000_000,
    "likes": 1,
    "replying_to": "bob",
    "lang": "en",
    "media": {"photos": [{"altText": "x", "url": "https://a.example/"}], "videos": [{"url": "https://a.example/"}]},
    "poll": {"choices": [{"label": "a", "count": 1}]},
    "article": {"title": "t", "content": {"blocks": [{"text": "b"}]}, "preview_text": "p"},
    "community_note": {"text": "n"},
}
ROW = {"author": "ada", "created_utc": 1.7e9, "ups": 3, "body": SAID, "stickied": False, "replies": ""}
EVERYTHING = {
    "youtubei/v1/player": {
        "playabilityStatus": {"status": "OK"},
        "videoDetails": {"title": "t", "author": "a", "shortDescription": SAID},
        "microformat": {"playerMicroformatRenderer": {"publishDate": "2024-01-01", "ownerChannelName": "a"}},
        "captions": {
            "playerCaptionsTracklistRenderer": {
                "captionTracks": [{"baseUrl": "https://www.youtube.com/api/timedtext?v=1", "languageCode": "en"}]
            }
        },
    },
    "stories.json": [1, 2, 3],
    "/item/": {
        "id": 1, "type": "poll", "by": "ada", "time": 1_700_000_000, "title": "t", "text": SAID, "score": 1,
        "descendants": 2, "kids": [2, 3], "parts": [4], "parent": 5, "url": "https://a.example/",
    },
    "/user/": {"id": "ada", "karma": 1, "created": 1_200_000_000, "about": SAID, "submitted": [1]},
    "fxtwitter": {
        "tweet": TWEET | {"quote": TWEET},
        "user": PERSON | {"description": SAID, "joined": "2013-09-05", "website": {"url": "https://a.example/"}},
    },
    "getPostThread": {"thread": {"post": SKY, "parent": {"post": SKY}, "replies": [{"post": SKY}, {"post": SKY}]}},
    "getProfile": PERSON | {"description": SAID, "createdAt": "2024-01-01T00:00:00Z", "postsCount": 1},
    "/readme": {"path": "README.md", "content": "T3R0ZXJz\n"},
    "/comments": [{"user": PERSON, "body": SAID, "created_at": "2024-01-01T00:00:00Z"}],
    "/issues/": {
        "number": 1, "title": "t", "body": SAID, "user": PERSON, "labels": [{"name": "bug"}], "state": "open",
        "comments": 80, "pull_request": {"merged_at": "2024-01-01T00:00:00Z"}, "created_at": "2024-01-01T00:00:00Z",
    },
    "/gists/": {"description": "d", "files": {"a.py": {"filename": "a.py", "content": SAID}}, "owner": PERSON},
    "/repos/": {"stargazers_count": 1, "license": {"spdx_id": "MIT"}, "owner": PERSON},
}  # fmt: skip
REDDIT = [
    {
        "data": {
            "children": [
                {"kind": "t3", "data": ROW | {"title": "t", "selftext": SAID, "subreddit": "otters", "num_comments": 2}}
            ]
        }
    },
    {
        "data": {
            "children": [
                {"kind": "t1", "data": ROW | {"replies": {"data": {"children": [{"kind": "t1", "data": ROW}]}}}}
            ]
        }
    },
]
TOOT = {
    "id": "1", "account": {"id": "2", "acct": "ada", "display_name": "Ada"}, "content": f"<p>{SAID}</p>",
    "created_at": "2024-01-01T00:00:00Z", "spoiler_text": "w", "url": "https://a.example/", "favourites_count": 1,
    "media_attachments": [{"type": "image", "description": "x"}], "poll": {"options": [{"title": "a", "votes_count": 1}]},
    "card": {"url": "https://a.example/", "title": "t", "description": "d"},
}  # fmt: skip
REPLY = TOOT | {"id": "3", "in_reply_to_id": "1"}
WEBVTT = f"WEBVTT\n\n00:00.000 --> 00:05.000\n{SAID}\n"
ODD = [
    None,
    True,
    -1,
    0,
    10**30,
    1.5e300,
    "",
    " ",
    "\ud800\x00\u202e",
    "x" * 3_000,
    "http://[",
    "<b",
    [],
    {},
    [None],
    {"a": 1},
    [[]],
]


def mutate(value, random, share):
    """The value with a share of its parts made odd."""
    if random.random() < share:
        return random.choice(ODD)
    if isinstance(value, dict):
        return {name: mutate(inner, random, share) for name, inner in value.items() if random.random() > share / 3}
    if isinstance(value, list):
        return [mutate(inner, random, share) for inner in value]
    return value


class RandomResponses:
    """Replaces both HTTP clients; responds in the documented formats with random changes."""

    def __init__(self, random, share):
        self.random, self.share = random, share
        self.guard = self

    def allows(self, host):
        return True

    async def request(self, provider, method, url, *, expect="json", **_):
        if expect == "bytes":
            return ProviderResponse(b"# Otters\n[a](b)", {}, 200)
        if expect == "text":
            response = self._odd(EVERYTHING["youtubei/v1/player"])
            page = f'"INNERTUBE_API_KEY": {json.dumps(self._odd("A" * 20))} ytInitialPlayerResponse = {json.dumps(response)}'
            return ProviderResponse(WEBVTT if "timedtext" in url else page, {}, 200)
        body = next(body for name, body in EVERYTHING.items() if name in url)
        return ProviderResponse(self._odd(body), {}, 200)

    async def fetch(self, url, **_):
        if "/api/v1/statuses/" in url:
            known = {"ancestors": [TOOT], "descendants": [REPLY, REPLY]} if url.endswith("/context") else TOOT
        else:
            known = REDDIT
        body = WEBVTT if "timedtext" in url else json.dumps(self._odd(known))
        return Fetched(url, 200, {}, body.encode(), truncated=False, hops=0)

    def _odd(self, body):
        return mutate(body, self.random, self.share)


def read(address, random, share):
    answers = RandomResponses(random, share)
    return asyncio.run(route(address)(address, SiteContext(answers, answers, Settings(), time.time)))


@pytest.mark.parametrize("address", ADDRESSES)
def test_what_is_documented_is_read(address):
    page = read(address, Random(1), 0.0)
    assert isinstance(page, Page)
    assert page.quality == "complete"
    assert page.site


@pytest.mark.parametrize("address", ADDRESSES)
@given(random=st.randoms(use_true_random=False), share=st.sampled_from([0.02, 0.1, 0.3]))
@settings(max_examples=40, deadline=None)
def test_odd_answers_give_a_page_or_none_or_an_error_of_ours(address, random, share):
    try:
        page = read(address, random, share)
    except ToolError:
        return
    if page is not None:
        assert Page.model_validate_json(page.model_dump_json()) == page
        assert "\u202e" not in page.content + page.title


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"<!doctype html><title>Just a moment</title>", 200),
        (b"null", 200),
        (b"[]", 200),
        (b'"text"', 200),
        (b"{", 200),
        (b"[" * 100_000, 200),
        (b"", 200),
        (b"\xff\xfe\x00", 200),
        (b'{"message": "no"}', 404),
        (b"slow down", 429),
        (b"", 503),
        (b'["' + b"x" * (6 * 1024 * 1024) + b'"]', 200),
    ],
)
async def test_no_answer_of_an_interface_breaks_more_than_itself(by_route, site, address, body, status):
    class AnyPath(dict):
        def get(self, _, default=None):
            return self["/"]

    site.pages = AnyPath()
    site.says("/", body, status, "application/json", headers={"retry-after": "1"})
    try:
        page = await by_route(address)
    except ToolError:
        return
    assert page is None or page.content_type == "github"  # a file may hold anything


@pytest.mark.parametrize("host", HOSTS)
def test_a_site_is_known_at_the_borders_of_labels(host):
    assert route(f"https://{host}/") is not None
    assert route(f"https://www.{host}/") is not None
    for other in (f"evil-{host}", f"evil{host}", f"{host}.evil.example", f"{host.replace('.', '-')}.example"):
        assert route(f"https://{other}/") is None
    assert route(f"https://example.com/{host}/?u=https://{host}/") is None


async def test_a_site_that_the_operator_does_not_allow_is_not_asked(environ, site):
    from assay.bootstrap import local_services

    services = local_services(Settings.read(environ | {"ALLOWED_DOMAINS": "river.example,github.com"}))
    try:
        context = SiteContext(services.web, services.http, services.settings, services.clock)
        address = "https://x.com/ada"
        assert await route(address)(address, context) is None
        assert site.requests == []
        with pytest.raises(ToolError, match="ALLOWED_DOMAINS"):
            await services.scrape.read(address)
    finally:
        await services.close()


async def test_where_the_interface_fails_the_ladder_is_climbed(environ, site):
    """The site's own pages stand on loopback too: names resolve to a public address, which is dialled there."""
    from assay.bootstrap import local_services

    services = local_services(Settings.read(environ))
    services.web_overrides = {
        "resolve": _public,
        "connect": lambda _, __: ("127.0.0.1", int(site.url.rpartition(":")[2])),
    }
    article = (
        f"<html><head><title>Otters</title></head><body><article><p>{SAID}</p><p>{SAID}</p></article></body></html>"
    )
    site.says("/ada/status/1", article)
    site.says("/fx/ada/status/1", "<h1>Out of order</h1>")
    try:
        page = await services.scrape.read("http://x.com/ada/status/1")
    finally:
        await services.close()
    assert page.content_type == "html"
    assert "hold hands" in page.content


async def test_a_slow_interface_is_given_up(environ, site):
    from assay.bootstrap import local_services

    services = local_services(
        Settings.read(environ | {"FXTWITTER_BASE_URL": "http://127.0.0.1:1", "NITTER_BASE_URL": "http://127.0.0.1:1"})
    )
    try:
        context = SiteContext(services.web, services.http, services.settings, services.clock)
        with pytest.raises(Network):
            await route("https://x.com/ada")("https://x.com/ada", context)
    finally:
        await services.close()


async def _public(_, __):
    return ["93.184.215.14"]
