"""What each provider is asked for news and pictures, and how it is read."""

import pytest

from assay.models.search_queries import ImageQuery, NewsQuery
from assay.provider_base import provider_lookup
from assay.settings import Settings

NEWS = {
    "query": "cats",
    "num_results": 50,
    "time_range": "hour",
    "sort_by": "date",
    "news_source": "cats.example",
    "country": "CH",
    "language": "de",
    "safe": "moderate",
}
IMAGES = {
    "query": "cats",
    "num_results": 200,
    "size": "xlarge",
    "type": "photo",
    "color_type": "trans",
    "dominant_color": "red",
    "file_type": "png",
    "safe": "medium",
    "country": "CH",
    "language": "de",
}
SITED = "cats site:cats.example"


@pytest.fixture
def source(upstream, http, now):
    def make_provider(name):
        kind = provider_lookup.find_provider(name)
        keys = {kind.key_name: "test-key", "GOOGLE_CUSTOM_SEARCH_ID": "engine"} if kind.key_name else {}
        return kind(http, Settings(environ=keys | {f"{name.upper()}_BASE_URL": upstream.url}), clock=lambda: now)

    return make_provider


@pytest.mark.parametrize(
    ("name", "path", "sent"),
    [
        (
            "brave",
            "/news/search",
            {
                "q": SITED,
                "count": 50,
                "country": "CH",
                "search_lang": "de",
                "safesearch": "moderate",
                "freshness": "pd",
            },
        ),
        (
            "google",
            "",
            {
                "key": "test-key",
                "cx": "engine",
                "q": SITED,
                "num": 10,
                "safe": "active",
                "lr": "lang_de",
                "cr": "countryCH",
                "gl": "ch",
                "dateRestrict": "d1",
                "sort": "date",
            },
        ),
        ("serper", "/news", {"q": SITED, "num": 10, "gl": "ch", "hl": "de", "tbs": "qdr:h,sbd:1"}),
        (
            "searchapi",
            "/search",
            {
                "engine": "google_news",
                "q": SITED,
                "gl": "ch",
                "hl": "de",
                "safe": "active",
                "time_period": "last_hour",
                "sort_by": "most_recent",
            },
        ),
        (
            "searxng",
            "/search",
            {
                "q": SITED,
                "format": "json",
                "categories": "news",
                "language": "de-CH",
                "time_range": "day",
                "safesearch": 1,
                "pageno": 1,
            },
        ),
        (
            "tavily",
            "/search",
            {
                "query": "cats",
                "max_results": 20,
                "search_depth": "basic",
                "topic": "news",
                "time_range": "day",
                "include_domains": ["cats.example"],
            },
        ),
        (
            "exa",
            "/search",
            {
                "query": "cats",
                "numResults": 10,
                "category": "news",
                "type": "auto",
                "includeDomains": ["cats.example"],
                "startPublishedDate": "2026-07-25T16:20:00Z",
                "userLocation": "CH",
                "moderation": True,
                "contents": {"highlights": True},
            },
        ),
        (
            "hackernews",
            "/search_by_date",
            {
                "query": "cats cats.example",
                "tags": "story",
                "hitsPerPage": 50,
                "page": 0,
                "numericFilters": "created_at_i>1784996400",
            },
        ),
        (
            "github",
            "/search/issues",
            {
                "q": 'cats "cats.example" created:>2026-07-25T16:20:00Z',
                "per_page": 50,
                "sort": "created",
                "order": "desc",
            },
        ),
    ],
)
async def test_news_is_asked_for_with_all_that_the_provider_understands(source, upstream, name, path, sent):
    upstream.says({"news": [], "items": [], "results": [], "organic_results": [], "hits": []})
    hits = await source(name).ask("news", NewsQuery(**NEWS))
    [request] = upstream.requests
    assert request.path.rstrip("/") == path
    output = request.json() if request.body else request.query
    assert output == (sent if request.body else {field: str(value) for field, value in sent.items()})
    assert any("shorter than a day" in warning for warning in hits.warnings) == (
        provider_lookup.find_provider(name).min_time_range == "day"
    )


@pytest.mark.parametrize(
    ("name", "path", "sent"),
    [
        (
            "brave",
            "/images/search",
            {"q": "cats", "count": 200, "country": "CH", "search_lang": "de", "safesearch": "strict"},
        ),
        (
            "google",
            "",
            {
                "key": "test-key",
                "cx": "engine",
                "q": "cats",
                "num": 10,
                "safe": "active",
                "lr": "lang_de",
                "cr": "countryCH",
                "gl": "ch",
                "searchType": "image",
                "imgSize": "xlarge",
                "imgType": "photo",
                "imgColorType": "trans",
                "imgDominantColor": "red",
                "fileType": "png",
            },
        ),
        ("serper", "/images", {"q": "cats", "num": 10, "gl": "ch", "hl": "de"}),
        (
            "searchapi",
            "/search",
            {
                "engine": "google_images",
                "q": "cats",
                "gl": "ch",
                "hl": "de",
                "safe": "active",
                "tbs": "isz:lt,itp:photo,ic:trans,isc:red,ift:png",
            },
        ),
        (
            "searxng",
            "/search",
            {"q": "cats", "format": "json", "categories": "images", "language": "de-CH", "safesearch": 1, "pageno": 1},
        ),
    ],
)
async def test_pictures_are_asked_for_with_all_that_the_provider_understands(source, upstream, name, path, sent):
    upstream.says({"images": [], "items": [], "results": [], "type": "images"})
    await source(name).ask("images", ImageQuery(**IMAGES))
    [request] = upstream.requests
    assert request.path.rstrip("/") == path
    output = request.json() if request.body else request.query
    assert output == (sent if request.body else {field: str(value) for field, value in sent.items()})


async def test_braves_picture_is_the_picture_and_not_the_page(source, upstream):
    row = {
        "title": "A cat",
        "url": "https://page.example/cat",
        "thumbnail": {"src": "https://imgs.search.brave.com/x"},
        "properties": {"url": "https://img.example/cat.jpg", "width": 640, "height": "480"},
    }
    upstream.says({"type": "images", "results": [row]})
    [hit] = await source("brave").ask("images", ImageQuery(query="cats"))
    assert (hit.link, hit.context_link) == ("https://img.example/cat.jpg", "https://page.example/cat")
    assert (hit.display_link, hit.width, hit.height) == ("page.example", 640, None)


@pytest.mark.parametrize(
    ("told", "width"), [("1920 x 1080", 1920), ("640x480", 640), ("800×600 px", 800), ("big", None)]
)
async def test_searxngs_sizes_are_read_off_its_words(source, upstream, told, width):
    upstream.says({"results": [{"title": "T", "img_src": "https://i.example/", "resolution": told}]})
    [hit] = await source("searxng").ask("images", ImageQuery(query="cats"))
    assert hit.width == width


@pytest.mark.parametrize(
    ("name", "body", "source_name", "date"),
    [
        (
            "brave",
            {"results": [{"title": "T", "url": "https://www.x.example/", "page_age": "2026-07-01T09:30:00"}]},
            "x.example",
            "2026-07-01T09:30:00Z",
        ),
        (
            "serper",
            {"news": [{"title": "T", "link": "https://x.example/", "source": "The X", "date": "2 hours ago"}]},
            "The X",
            "2026-07-25T15:20:00Z",
        ),
        (
            "searchapi",
            {"organic_results": [{"title": "T", "link": "https://x.example/", "source": "X", "date": "3 days ago"}]},
            "X",
            "2026-07-22T17:20:00Z",
        ),
        (
            "tavily",
            {
                "results": [
                    {"title": "T", "url": "https://x.example/", "published_date": "Wed, 01 Jul 2026 09:30:00 GMT"}
                ]
            },
            "x.example",
            "2026-07-01T09:30:00Z",
        ),
        (
            "google",
            {
                "items": [
                    {
                        "title": "T",
                        "link": "https://x.example/",
                        "pagemap": {
                            "metatags": [
                                {"og:site_name": "X Daily", "article:published_time": "2026-07-01T11:30:00+02:00"}
                            ]
                        },
                    }
                ]
            },
            "X Daily",
            "2026-07-01T09:30:00Z",
        ),
    ],
)
async def test_an_articles_outlet_and_date_are_read(source, upstream, name, body, source_name, date):
    upstream.says(body)
    [hit] = await source(name).ask("news", NewsQuery(query="cats"))
    assert (hit.source, hit.published_at) == (source_name, date)


async def test_nothing_is_said_of_safety_where_nothing_was_asked(source, upstream):
    upstream.says({"results": [], "items": [], "organic_results": []})
    for name in ("brave", "google", "searchapi", "searxng", "exa"):
        await source(name).ask("news", NewsQuery(query="cats"))
    for request in upstream.requests:
        assert not {"safe", "safesearch", "moderation"} & set(request.query | (request.json() if request.body else {}))
