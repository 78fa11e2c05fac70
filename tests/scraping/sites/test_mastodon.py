"""Posts of Mastodon through the interface of their server."""

import pytest

from assay.scraping.site_registry import route

ID = "111222333444555666"
API = f"/api/v1/statuses/{ID}"


def status(name="ada", text="<p>Otters hold hands.</p>", key=ID, **more):
    account = {"id": name, "acct": name, "display_name": name.capitalize()}
    return {"id": key, "account": account, "content": text, "created_at": "2024-02-03T04:05:06.000Z"} | more


def reply(key, name, text, to=ID, likes=0):
    return status(name, f"<p>{text}</p>", key, in_reply_to_id=to, favourites_count=likes)


async def test_a_post_is_read_with_what_its_author_added_and_the_best_replies(ask, answers, site):
    answers(API, status(favourites_count=7, reblogs_count=2, replies_count=14, url="https://river.example/@ada/1"))
    below = [reply("2", "ada", "They sleep."), reply("3", "ada", "Each day.", to="2"), reply("4", "bob", "No.", to="3")]
    below += [reply(f"1{n:02}", "eve", f"Reply {n}.", likes=n) for n in range(12)]
    above = [status("bob", "<p>First.</p>", "8"), status("bob", "<p>What do they do?</p>", "9")]
    answers(f"{API}/context", {"ancestors": above, "descendants": below})
    output = (await ask("scrape_page", url=f"{site.url}/@ada/{ID}")).wire
    content = output["content"]
    assert content.startswith(
        "# Ada (@ada) on Mastodon\n\n2024-02-03T04:05:06Z\n\n> In reply to:\n>\n> **Bob** (@bob):"
    )
    assert (
        "> What do they do?\n\nOtters hold hands.\n\nThey sleep.\n\nEach day.\n\nFavourites: 7 · Boosts: 2" in content
    )
    assert content.index("Reply 11.") < content.index("Reply 2.")
    assert "Reply 1." not in content
    assert "First." not in content
    assert "No." not in content
    assert output["accessNote"] == "The page has 12 replies, of which 10 were read."
    assert (output["contentType"], output["metadata"]["author"]) == ("mastodon", "Ada")
    assert output["metadata"]["title"] == "Ada (@ada) on Mastodon: Otters hold hands."


async def test_what_a_post_carries_is_reported(by_route, answers, site):
    media = [{"type": "image", "description": "An otter"}, {"type": "video", "description": None}]
    poll = {"options": [{"title": "Yes", "votes_count": 3}, {"title": "No", "votes_count": None}]}
    card = {"url": "https://river.example/", "title": "The river", "description": "It flows."}
    post = status(spoiler_text="Spoiler", media_attachments=media, poll=poll, card=card)
    answers(API, {"reblog": post, "content": ""})
    assert (await by_route(f"{site.url}/users/ada/statuses/{ID}")).content.split("\n\n")[2:] == [
        "**Spoiler**",
        "Otters hold hands.",
        "- Photo: An otter\n- Video: no description",
        "- Yes (3 votes)\n- No",
        "Link: [The river](https://river.example/) — It flows.",
    ]


@pytest.mark.parametrize(
    ("body", "status"), [({"error": "Record not found"}, 404), ({}, 200), ([], 200), ({"content": "x"}, 200)]
)
async def test_on_another_kind_of_server_the_page_is_read(by_route, answers, site, body, status):
    answers(API, body, status)
    assert await by_route(f"{site.url}/@ada@far.example/{ID}") is None


@pytest.mark.parametrize(
    "path", ["@ada/title-of-a-story-0123456789ab", "@ada", "@ada/video/7222333444555666777", "ada/111222333444555666"]
)
def test_other_addresses_are_no_posts(path):
    assert route(f"https://river.example/{path}") is None
