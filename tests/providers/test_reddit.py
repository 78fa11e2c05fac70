"""What Reddit's search is asked, and how its feed is read."""

import pytest

from assay.errors import UpstreamFailed
from assay.models.common import WebHit, WebQuery
from assay.models.search_queries import NewsQuery
from assay.providers.reddit import Reddit
from assay.settings import Settings

FEED = """<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>search</title>
<entry><id>t5_2abc</id><title>otters</title><link href="https://www.reddit.com/r/otters/"/></entry>
<entry><author><name>/u/ada</name><uri>https://www.reddit.com/user/ada</uri></author>
<category term="otters" label="r/otters"/>
<content type="html">&lt;div class="md"&gt;&lt;p&gt;They hold &lt;b&gt;hands&lt;/b&gt;.&lt;/p&gt;&lt;/div&gt;</content>
<id>t3_1xyz</id><link href="https://www.reddit.com/r/otters/comments/1xyz/hands/"/>
<updated>2026-07-02T00:00:00+00:00</updated><published>2026-07-01T11:30:00+02:00</published>
<title>Hands &amp;amp; paws</title></entry></feed>"""


@pytest.fixture
def reddit(upstream, http, now):
    return Reddit(http, Settings(environ={"REDDIT_BASE_URL": upstream.url}), clock=lambda: now)


async def test_posts_are_asked_for_by_a_program_that_names_itself(reddit, upstream):
    upstream.says(FEED)
    await reddit.ask("web", WebQuery(query="otters", num_results=7, exact_terms="hold hands"))
    await reddit.ask("news", NewsQuery(query="otters", num_results=50, time_range="hour", sort_by="date"))
    web, news = upstream.requests
    assert web.path == news.path == "/search.rss"
    assert web.query == {"q": 'otters "hold hands"', "sort": "relevance", "t": "all", "limit": "7", "type": "link"}
    assert news.query == {"q": "otters", "sort": "new", "t": "hour", "limit": "25", "type": "link"}
    assert web.headers["user-agent"].startswith("Assay/")


async def test_a_post_is_read_and_a_subreddit_is_none(reddit, upstream):
    upstream.says(FEED)
    assert await reddit.ask("web", WebQuery(query="otters")) == [
        WebHit(
            title="Hands & paws",
            url="https://www.reddit.com/r/otters/comments/1xyz/hands/",
            snippet="r/otters · by ada · They hold hands.",
            display_link="www.reddit.com",
            published_at="2026-07-01T09:30:00Z",
        )
    ]


@pytest.mark.parametrize(
    "page",
    [
        "<html><body>blocked</body></html>",
        "<rss><channel/></rss>",
        '<!DOCTYPE feed [<!ENTITY a "b">]><feed xmlns="http://www.w3.org/2005/Atom"><title>&a;</title></feed>',
        '<feed xmlns="http://www.w3.org/2005/Atom"><entry>',
    ],
)
async def test_what_is_not_a_feed_is_a_failure(reddit, upstream, page):
    upstream.says(page)
    with pytest.raises(UpstreamFailed) as failure:
        await reddit.ask("web", WebQuery(query="otters"))
    assert failure.value.provider == "reddit"
