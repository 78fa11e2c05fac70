"""X through FxTwitter."""

import pytest

from assay.errors import NotFound

POST = {
    "url": "https://x.com/ada_brook/status/1700000000000000001",
    "id": "1700000000000000001",
    "text": "Otters at dawn.\nhttps://river.example/otters",
    "author": {"name": "Ada Brook", "screen_name": "ada_brook", "followers": 10},
    "created_at": "Tue Sep 05 10:11:12 +0000 2023",
    "created_timestamp": 1_693_908_672,
    "likes": 5,
    "retweets": 1,
    "replies": 2,
    "quotes": 0,
    "views": 70,
    "lang": "en",
    "replying_to": "bob",
    "media": {"photos": [{"type": "photo", "url": "https://pbs.example/1.jpg", "altText": "An otter with a stone"}]},
    "quote": {
        "text": "Who has seen one?",
        "author": {"name": "Bob", "screen_name": "bob"},
        "created_timestamp": 1_693_900_000,
    },
    "poll": {"choices": [{"label": "River", "count": 3}, {"label": "Sea", "count": 1}]},
}
AT = "/fx/ada_brook/status/1700000000000000001"


async def test_a_post_is_reported_with_all_that_belongs_to_it(ask, answers):
    answers(AT, {"code": 200, "message": "OK", "tweet": POST})
    page = (await ask("scrape_page", url="https://x.com/ada_brook/status/1700000000000000001?s=20")).wire
    assert page["contentType"] == "twitter"
    assert page["metadata"]["author"] == "Ada Brook"
    assert page["metadata"]["publishedAt"] == "2023-09-05T10:11:12Z"
    assert page["metadata"]["canonicalUrl"] == "https://x.com/ada_brook/status/1700000000000000001"
    for output in (
        "Otters at dawn.\nhttps://river.example/otters",
        "In reply to @bob",
        "- Photo: An otter with a stone (https://pbs.example/1.jpg)",
        "> **Bob** (@bob), 2023-09-05T07:46:40Z:\n>\n> Who has seen one?",
        "- River: 3 votes",
        "Likes: 5 · Retweets: 1 · Replies: 2 · Quotes: 0 · Views: 70",
    ):
        assert output in page["content"]


@pytest.mark.parametrize("host", ["twitter.com", "www.twitter.com", "mobile.twitter.com", "x.com", "mobile.x.com"])
async def test_every_host_of_it_leads_to_the_post(by_route, answers, host):
    answers(AT, {"tweet": POST})
    page = await by_route(f"https://{host}/ada_brook/status/1700000000000000001/photo/1")
    assert "Otters at dawn." in page.content


async def test_a_post_without_its_user_is_found(by_route, answers):
    answers("/fx/i/status/1700000000000000001", {"tweet": POST})
    page = await by_route("https://x.com/i/web/status/1700000000000000001")
    assert page.authors == ["Ada Brook"]


async def test_an_article_is_read_whole(by_route, answers):
    blocks = [{"type": "unstyled", "text": "First part."}, {"type": "unstyled", "text": "Second part."}]
    answers(AT, {"tweet": POST | {"text": "", "article": {"title": "On stones", "content": {"blocks": blocks}}}})
    page = await by_route("https://x.com/ada_brook/status/1700000000000000001")
    assert "## On stones\n\nFirst part.\n\nSecond part." in page.content


async def test_a_profile_is_read(by_route, answers):
    user = {
        "name": "Ada Brook",
        "screen_name": "ada_brook",
        "description": "Watches otters.",
        "followers": 10,
        "following": 3,
        "tweets": 44,
        "joined": "Tue Sep 05 10:11:12 +0000 2013",
        "website": {"url": "https://river.example"},
    }
    answers("/fx/ada_brook", {"code": 200, "user": user})
    page = await by_route("https://x.com/ada_brook")
    assert "Watches otters." in page.content
    assert "Website: https://river.example/" in page.content
    assert "Followers: 10 · Following: 3 · Posts: 44" in page.content
    assert "2013-09-05" in page.content


async def test_what_is_gone_is_not_found(read, answers):
    answers("/fx/ada_brook/status/2", {"code": 404, "message": "NOT_FOUND"}, status=404)
    with pytest.raises(NotFound, match="post 2"):
        await read("https://x.com/ada_brook/status/2")


@pytest.mark.parametrize(
    "path", ["/home", "/search?q=otters", "/", "/a/b/c", "/ada_brook/likes", "/x'y/status/3", "/a/status/x"]
)
async def test_other_pages_are_left_to_the_ladder(by_route, site, path):
    assert await by_route("https://x.com" + path) is None
    assert site.requests == []


NITTER = """<div class="main-tweet"><a class="fullname" href="/ada_brook">Ada Brook</a><a class="username">@ada_brook</a>
<span class="tweet-date"><a href="/x" title="Sep 5, 2023 · 10:11 AM UTC">Sep 5</a></span>
<div class="tweet-content media-body">Otters at dawn.</div><div class="tweet-stats">
<span class="tweet-stat"><div><span class="icon-comment"></span> 2</div></span>
<span class="tweet-stat"><div><span class="icon-heart"></span> 1,005</div></span></div></div>"""


@pytest.mark.parametrize("first", [({"code": 500}, 500), ({"tweet": None}, 200), ({"code": 401}, 401)])
async def test_where_the_first_mirror_fails_the_second_is_asked(ask, answers, site, first):
    answers(AT, *first)
    site.says("/nitter/ada_brook/status/1700000000000000001", NITTER)
    page = (await ask("scrape_page", url="https://x.com/ada_brook/status/1700000000000000001")).wire
    assert page["contentType"] == "twitter"
    assert page["metadata"]["author"] == "Ada Brook"
    assert page["metadata"]["publishedAt"] == "2023-09-05T10:11:00Z"
    assert "Otters at dawn." in page["content"]
    assert "Likes: 1005" in page["content"]
    assert "Replies: 2" in page["content"]


async def test_a_profile_is_read_from_the_second_mirror(by_route, answers, site):
    answers("/fx/ada_brook", {"code": 500}, status=500)
    card = """<div class="profile-card"><a class="profile-card-fullname">Ada Brook</a>
    <a class="profile-card-username">@ada_brook</a><div class="profile-bio"><p>Watches otters.</p></div>
    <ul><li class="posts"><span class="profile-stat-num">1,044</span></li>
    <li class="followers"><span class="profile-stat-num">10</span></li></ul></div>"""
    site.says("/nitter/ada_brook", card)
    page = await by_route("https://x.com/ada_brook")
    assert page.title == "Ada Brook (@ada_brook) on X"
    assert "Watches otters." in page.content
    assert "Followers: 10 · Posts: 1044" in page.content


async def test_what_neither_mirror_shows_is_left_to_the_ladder(by_route, answers, site):
    answers(AT, {"code": 500}, status=500)
    site.says("/nitter/ada_brook/status/1700000000000000001", "<title>Verifying your browser</title>")
    assert await by_route("https://x.com/ada_brook/status/1700000000000000001") is None


async def test_what_the_first_mirror_knows_to_be_gone_is_not_asked_for_again(read, answers, site):
    answers("/fx/ada_brook/status/2", {"code": 404, "message": "NOT_FOUND"}, status=404)
    with pytest.raises(NotFound):
        await read("https://x.com/ada_brook/status/2")
    assert [one.path for one in site.requests] == ["/fx/ada_brook/status/2"]
