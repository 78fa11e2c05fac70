"""Reddit through the JSON form of its pages."""

import pytest

URL = "https://www.reddit.com/r/otters/comments/1abc2d/stones_and_shells/"
JSON = "/reddit/comments/1abc2d.json"
POST = {
    "title": "Stones &and shells",
    "selftext": "My *otter* keeps one.\n\nWhy?",
    "author": "ada",
    "subreddit": "otters",
    "ups": 12,
    "score": 11,
    "upvote_ratio": 0.93,
    "num_comments": 4,
    "created_utc": 1_735_787_045.0,
    "is_self": True,
    "permalink": "/r/otters/comments/1abc2d/stones_and_shells/",
    "link_flair_text": "Question",
}


def listing(*things):
    return {"kind": "Listing", "data": {"children": [{"kind": kind, "data": row} for kind, row in things]}}


def comment(body, ups, replies="", **more):
    return "t1", {"author": "bob", "body": body, "ups": ups, "created_utc": 1_735_787_100, "replies": replies} | more


async def test_a_post_is_read_with_its_comments_and_how_it_was_received(ask, answers, site):
    answer = listing(comment("Because **shells**.", 3, listing(comment("Hard ones.", 1))))
    comments = listing(
        comment("Be kind.", 99, stickied=True),
        comment("A stone is a tool.", 5, answer),
        comment("[deleted]", 50, author="[deleted]"),
        comment("It likes it.", 9),
        ("more", {"children": ["x"]}),
    )
    answers(JSON, [listing(("t3", POST)), comments])
    page = (await ask("scrape_page", url=URL)).wire
    assert page["metadata"]["author"] == "ada"
    assert page["metadata"]["publishedAt"] == "2025-01-02T03:04:05Z"
    assert page["metadata"]["site"] == "Reddit, r/otters"
    content = page["content"]
    assert content.index("My *otter* keeps one.") < content.index("It likes it.") < content.index("A stone is a tool.")
    assert "> > Because **shells**." in content
    assert "> > > Hard ones." in content
    assert "Be kind." not in content
    signals = page["forumSignals"]
    assert signals["platform"] == "reddit"
    assert (signals["upvotes"], signals["comments"]) == (12, 4)
    assert signals["datePublished"] == "2025-01-02T03:04:05Z"
    assert signals["authorName"] == "ada"
    assert "20 votes" in signals["credibilityNote"]
    assert signals["topComments"][0] == {"author": "bob", "upvotes": 9, "text": "It likes it."}
    assert "raw_json=1" in site.requests[0].path
    assert (page["truncated"], page.get("accessNote")) == (False, None)


async def test_a_thread_of_which_some_comments_are_left_out_says_so(ask, answers):
    comments = [comment(f"Comment {number}.", number) for number in range(12)]
    answers(JSON, [listing(("t3", POST | {"num_comments": 250})), listing(*comments)])
    page = (await ask("scrape_page", url=URL)).wire
    assert page["truncated"] is True
    assert page["accessNote"] == "The page has 250 comments, of which 10 were read."


async def test_a_liked_post_carries_no_note_and_a_link_where_it_leads(by_route, answers):
    answers(JSON, [listing(("t3", POST | {"ups": 2000, "is_self": False, "url": "https://river.example/a"}))])
    page = await by_route(URL)
    assert "credibilityNote" not in page.extras["forumSignals"]
    assert "Link: https://river.example/a" in page.content


async def test_a_removed_post_says_so(by_route, answers):
    answers(
        JSON, [listing(("t3", POST | {"selftext": "[removed]", "author": "[deleted]"})), listing(comment("Gone.", 2))]
    )
    page = await by_route(URL)
    assert "[removed]" not in page.content
    assert page.authors == []
    assert "deleted or removed" in page.access_note
    assert "> Gone." in page.content


@pytest.mark.parametrize(
    "address",
    [
        "https://old.reddit.com/r/otters/comments/1abc2d/x",
        "https://reddit.com/comments/1abc2d",
        "https://np.reddit.com/user/ada/comments/1abc2d/x/?sort=new",
        "https://redd.it/1abc2d",
    ],
)
async def test_every_form_of_a_posts_address_leads_to_it(by_route, answers, address):
    answers(JSON, [listing(("t3", POST))])
    page = await by_route(address)
    assert page.canonical == "https://www.reddit.com/r/otters/comments/1abc2d/stones_and_shells/"


async def test_a_comments_own_address_asks_for_it(by_route, answers, site):
    answers("/reddit/comments/1abc2d/_/kx9.json", [listing(("t3", POST)), listing(comment("This one.", 2))])
    page = await by_route(URL + "kx9/?context=3")
    assert "This one." in page.content


@pytest.mark.parametrize("status", [403, 404, 429, 500])
async def test_where_it_turns_us_away_the_ladder_is_climbed(by_route, answers, status):
    answers(JSON, {"message": "no"}, status)
    assert await by_route(URL) is None


@pytest.mark.parametrize(
    "path", ["/", "/r/otters", "/r/otters/wiki/x", "/user/ada", "/r/otters/comments", "/r/o/comments/a.b"]
)
async def test_other_pages_are_left_to_the_ladder(by_route, site, path):
    assert await by_route("https://www.reddit.com" + path) is None
    assert await by_route("https://i.redd.it/abc.png") is None
    assert site.requests == []
