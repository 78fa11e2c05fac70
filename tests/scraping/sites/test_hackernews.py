"""Hacker News through its Firebase API."""

import pytest

from assay.errors import NotFound

STORY = {
    "id": 101,
    "type": "story",
    "by": "ada",
    "time": 1_735_787_045,
    "title": "Otters &amp; stones",
    "url": "https://river.example/otters",
    "score": 321,
    "descendants": 2,
    "kids": [201, 202, 203, 204],
}
COMMENTS = {
    201: {
        "id": 201,
        "type": "comment",
        "by": "bob",
        "time": 1_735_787_100,
        "text": "I <i>saw</i> one.<p>Twice.",
        "kids": [9],
    },
    202: {"id": 202, "type": "comment", "deleted": True, "time": 1_735_787_101},
    203: {"id": 203, "type": "comment", "by": "spam", "dead": True, "text": "Buy my stones"},
    204: {
        "id": 204,
        "type": "comment",
        "by": "eve",
        "text": 'See <a href="https:&#x2F;&#x2F;a.example&#x2F;b">this</a>',
    },
}


@pytest.fixture
def serve_thread(answers):
    answers("/hn/v0/item/101.json", STORY)
    for number, comment in COMMENTS.items():
        answers(f"/hn/v0/item/{number}.json", comment)


async def test_a_story_is_read_with_its_facts_and_the_comments_that_readers_see(ask, serve_thread):
    reply = await ask("scrape_page", url="https://news.ycombinator.com/item?id=101")
    page = reply.wire
    assert page["contentType"] == "hn"
    assert page["extractionQuality"] == "complete"
    assert page["metadata"]["title"] == "Otters & stones"
    assert page["metadata"]["author"] == "ada"
    assert page["metadata"]["publishedAt"] == "2025-01-02T03:04:05Z"
    for output in (
        "https://river.example/otters",
        "Points: 321",
        "I *saw* one.",
        "> Twice.",
        "[this](https://a.example/b)",
    ):
        assert output in page["content"]
    assert "Buy my stones" not in page["content"]
    assert "(1 reply)" in page["content"]


async def test_ten_comments_are_shown_though_some_are_deleted(read, answers):
    kids = list(range(301, 331))
    answers("/hn/v0/item/101.json", STORY | {"kids": kids, "descendants": 28})
    for number in kids:
        gone = number in (302, 303)
        body = (
            {"id": number, "deleted": True} if gone else {"id": number, "by": f"u{number}", "text": f"Said {number}."}
        )
        answers(f"/hn/v0/item/{number}.json", body)
    page = await read("https://news.ycombinator.com/item?id=101")
    assert page.content.count("> Said ") == 10
    assert "Said 312." in page.content
    assert "Said 313." not in page.content
    assert (page.truncated, page.access_note) == (True, "The page has 28 comments, of which 10 were read.")


async def test_a_thread_that_is_read_whole_lacks_nothing(read, answers):
    answers("/hn/v0/item/101.json", STORY | {"kids": [301], "descendants": 1})
    answers("/hn/v0/item/301.json", {"id": 301, "by": "bob", "text": "Said."})
    page = await read("https://news.ycombinator.com/item?id=101")
    assert (page.truncated, page.access_note) == (False, None)


async def test_a_comments_own_address_shows_what_it_answers(read, answers, serve_thread):
    answers("/hn/v0/item/201.json", COMMENTS[201] | {"parent": 101, "kids": [204]})
    page = await read("https://news.ycombinator.com/item?id=201")
    assert page.title == "Comment by bob on Otters & stones"
    assert page.authors == ["bob"]
    assert page.content.index("*saw*") < page.content.index("[this]")


async def test_a_deleted_item_and_one_that_never_was_are_not_found(read, answers):
    answers("/hn/v0/item/7.json", {"id": 7, "deleted": True, "type": "story"})
    answers("/hn/v0/item/8.json", None)
    for number in (7, 8):
        with pytest.raises(NotFound, match=f"item {number}"):
            await read(f"https://news.ycombinator.com/item?id={number}")


async def test_a_killed_item_is_reported_as_such(read, answers):
    answers("/hn/v0/item/9.json", {"id": 9, "type": "story", "by": "ada", "title": "Cheap stones", "dead": True})
    page = await read("https://news.ycombinator.com/item?id=9")
    assert "killed" in page.access_note


async def test_a_poll_shows_its_options(read, answers):
    answers("/hn/v0/item/11.json", {"id": 11, "type": "poll", "by": "ada", "title": "River or sea?", "parts": [12, 13]})
    answers("/hn/v0/item/12.json", {"id": 12, "type": "pollopt", "text": "River", "score": 40})
    answers("/hn/v0/item/13.json", {"id": 13, "type": "pollopt", "text": "Sea", "score": 2})
    page = await read("https://news.ycombinator.com/item?id=11")
    assert "- River (40 points)\n- Sea (2 points)" in page.content


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/", "top"),
        ("/news", "top"),
        ("/newest", "new"),
        ("/best", "best"),
        ("/ask", "ask"),
        ("/show", "show"),
        ("/jobs", "job"),
    ],
)
async def test_each_list_shows_twenty_stories_in_order(read, answers, site, path, name):
    answers(f"/hn/v0/{name}stories.json", list(range(1, 501)))
    for number in range(1, 22):
        answers(f"/hn/v0/item/{number}.json", STORY | {"id": number, "title": f"Story {number}"})
    page = await read("https://news.ycombinator.com" + path)
    assert page.content_type == "hn"
    assert page.content.index("1. [Story 1](https://river.example/otters)") < page.content.index("20. [Story 20]")
    assert "Story 21" not in page.content
    assert len(site.requests) == 21


async def test_one_story_that_fails_does_not_cost_the_list(read, answers, site):
    answers("/hn/v0/topstories.json", [1, 2])
    answers("/hn/v0/item/1.json", STORY)
    site.says("/hn/v0/item/2.json", "<h1>no</h1>", 404)
    page = await read("https://news.ycombinator.com/")
    assert "1. [Otters" in page.content


async def test_a_user_is_read(read, answers):
    answers(
        "/hn/v0/user/ada.json", {"id": "ada", "karma": 77, "created": 1_200_000_000, "about": "I watch <i>otters</i>."}
    )
    page = await read("https://news.ycombinator.com/user?id=ada")
    assert "Karma: 77" in page.content
    assert "*otters*" in page.content
    assert "2008-01-10" in page.content
    answers("/hn/v0/user/nobody.json", None)
    with pytest.raises(NotFound):
        await read("https://news.ycombinator.com/user?id=nobody")


@pytest.mark.parametrize("path", ["/submitted?id=ada", "/news?p=2", "/item?id=x", "/item", "/login", "/user?id=a/b"])
async def test_other_paths_are_left_to_the_ladder(by_route, site, path):
    assert await by_route("https://news.ycombinator.com" + path) is None
    assert site.requests == []
