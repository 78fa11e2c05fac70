"""What Hacker News' search is asked, and how it is read."""

import pytest

from assay.models.common import Engagement, WebHit, WebQuery
from assay.models.search_queries import NewsQuery
from assay.providers.hackernews import HackerNews
from assay.settings import Settings


@pytest.fixture
def hackernews(upstream, http, now):
    return HackerNews(http, Settings(environ={"HACKERNEWS_BASE_URL": upstream.url + "/api/v1"}), clock=lambda: now)


async def test_stories_are_asked_for(hackernews, upstream, now):
    upstream.says({"hits": []})
    await hackernews.ask("web", WebQuery(query="cats", num_results=7, time_range="week"))
    [request] = upstream.requests
    assert request.path == "/api/v1/search"
    assert request.query == {
        "query": "cats",
        "tags": "story",
        "hitsPerPage": "7",
        "page": "0",
        "numericFilters": f"created_at_i>{int(now) - 7 * 86_400}",
    }


async def test_the_newest_first_is_another_address(hackernews, upstream):
    upstream.says({"hits": []})
    await hackernews.ask("news", NewsQuery(query="cats", sort_by="date"))
    await hackernews.ask("news", NewsQuery(query="cats"))
    assert [request.path for request in upstream.requests] == ["/api/v1/search_by_date", "/api/v1/search"]


async def test_phrases_and_exclusions_need_the_advanced_syntax(hackernews, upstream):
    upstream.says({"hits": []})
    await hackernews.ask("web", WebQuery(query="cats", exact_terms="black cat", exclude_terms="dog", site="x.example"))
    request = upstream.requests[0].query
    assert request["query"] == 'cats "black cat" -dog x.example'
    assert request["advancedSyntax"] == "true"


async def test_a_story_is_read(hackernews, upstream):
    story = {
        "objectID": "8863",
        "title": "My YC app",
        "url": "https://www.getdropbox.example/u",
        "author": "dhouston",
        "points": 111,
        "num_comments": 71,
        "created_at_i": 1_175_714_200,
    }
    upstream.says({"hits": [story]})
    assert await hackernews.ask("web", WebQuery(query="dropbox")) == [
        WebHit(
            title="My YC app",
            url="https://www.getdropbox.example/u",
            snippet="111 pts · 71 comments · by dhouston",
            display_link="www.getdropbox.example",
            published_at="2007-04-04T19:16:40Z",
            engagement=Engagement(points=111, comment_count=71),
        )
    ]


@pytest.mark.parametrize("url", [None, "", "javascript:alert(1)", 5])
async def test_a_story_without_address_is_its_discussion(hackernews, upstream, url):
    upstream.says({"hits": [{"objectID": "5", "title": "Ask HN: cats?", "url": url, "points": None}]})
    [hit] = await hackernews.ask("web", WebQuery(query="cats"))
    assert hit.url == "https://news.ycombinator.com/item?id=5"


async def test_a_story_with_neither_is_left_out(hackernews, upstream):
    good = {"objectID": "5", "title": "z"}
    upstream.says({"hits": [{"objectID": "5&x=1", "title": "x"}, {"title": "y"}, good]})
    assert [hit.title for hit in await hackernews.ask("web", WebQuery(query="cats"))] == ["z"]
