"""An ordinary answer of each provider to each operation: what it says of two pages about cats, in its own shape."""

from typing import Any
from xml.sax.saxutils import escape, quoteattr

from tests.providers.contract_case import method, offer

from assay.errors import RateLimited
from assay.models.common import WebQuery
from assay.models.papers import PaperQuery
from assay.models.search_queries import ImageHit, ImageQuery, NewsQuery, Place, PlaceQuery

PAGES = [
    ("Cats", "https://cats.example/", "All about cats"),
    ("More cats", "https://www.more.example/a?b=1", "Purring"),
]
EXTRA = ("Third", "https://third.example/", "")


def searxng(pages: Any) -> Any:
    return {"query": "cats", "results": [{"title": t, "url": u, "content": s, "engine": "x"} for t, u, s in pages]}


def brave(pages: Any) -> Any:
    return {
        "type": "search",
        "query": {"original": "cats", "more_results_available": True},
        "web": {"results": [{"title": t, "url": u, "description": s} for t, u, s in pages]},
    }


def hackernews(pages: Any) -> Any:
    return {
        "hits": [
            {"objectID": "8863", "title": t, "url": u, "points": 5, "num_comments": 2, "author": "ada"}
            for t, u, s in pages
        ],
        "nbHits": 2,
    }


def duckduckgo(pages: Any) -> Any:
    results = "".join(
        f'<div class="result results_links web-result"><h2 class="result__title">'
        f'<a rel="nofollow" class="result__a" {f"href={u!r}" if isinstance(u, str) else ""}>{t or ""}</a></h2>'
        f'<a class="result__snippet" href="#">{s or ""}</a></div>'
        for t, u, s in pages
    )
    return f'<!doctype html><html><body><div id="links" class="results">{results}</div></body></html>'


def google(pages: Any) -> Any:
    return {
        "kind": "customsearch#search",
        "searchInformation": {"totalResults": "2"},
        "items": [{"title": t, "link": u, "snippet": s} for t, u, s in pages],
    }


def serper(pages: Any) -> Any:
    return {"searchParameters": {"q": "cats"}, "organic": [{"title": t, "link": u, "snippet": s} for t, u, s in pages]}


def searchapi(pages: Any) -> Any:
    return {
        "search_metadata": {"id": "x"},
        "organic_results": [{"position": 1, "title": t, "link": u, "snippet": s} for t, u, s in pages],
    }


def tavily(pages: Any) -> Any:
    return {"query": "cats", "results": [{"title": t, "url": u, "content": s, "score": 0.9} for t, u, s in pages]}


def exa(pages: Any) -> Any:
    return {"requestId": "x", "results": [{"title": t, "url": u, "highlights": [s], "score": 0.3} for t, u, s in pages]}


def github(pages: Any) -> Any:
    return {"total_count": 2, "items": [{"title": t, "html_url": u, "body": s, "comments": 1} for t, u, s in pages]}


def reddit(pages: Any) -> Any:
    entries = "".join(
        "<entry><author><name>/u/ada</name></author><category term='cats' label='r/cats'/>"
        f"<content type='html'>{escape(s or '')}</content><id>t3_x</id>"
        f"{f'<link href={quoteattr(u)}/>' if isinstance(u, str) else ''}"
        f"<published>2026-07-01T09:30:00+00:00</published><title>{escape(t or '')}</title></entry>"
        for t, u, s in pages
    )
    group = "<entry><id>t5_2qh1o</id><title>cats</title><link href='https://www.reddit.com/r/cats/'/></entry>"
    return f'<?xml version="1.0" encoding="UTF-8"?><feed xmlns="http://www.w3.org/2005/Atom">{group}{entries}</feed>'


def bluesky(pages: Any) -> Any:
    """A post has no address but its own: it stands for the page's where that is an ordinary one."""
    return {
        "posts": [
            {
                "uri": f"at://did:plc:abc/app.bsky.feed.post/{post_of(u)}" if post_of(u) else u,
                "author": {"handle": "ada.bsky.social", "displayName": "Ada"},
                "record": {"text": t, "createdAt": "2026-07-01T09:30:00.000Z"},
                "likeCount": 3,
            }
            for t, u, s in pages
        ]
    }


def post_of(url: Any) -> str:
    ordinary = isinstance(url, str) and url.startswith("https://") and ".example" in url
    return "".join(letter for letter in url[8:] if letter.isalnum()) if ordinary else ""


def brave_news(pages: Any) -> Any:
    return {
        "type": "news",
        "results": [{"title": t, "url": u, "description": s, "age": "2 hours ago"} for t, u, s in pages],
    }


def brave_images(pages: Any) -> Any:
    results = [{"title": t, "url": "https://page.example/", "properties": {"url": u, "width": 5}} for t, u, s in pages]
    return {"type": "images", "results": results}


def brave_local(pages: Any) -> Any:
    """All three of its answers in one."""
    ids = [{"id": f"loc{number}"} for number, _ in enumerate(pages)]
    known = [{"id": f"loc{n}", "title": t, "url": u, "description": s} for n, (t, u, s) in enumerate(pages)]
    return {"type": "search", "locations": {"results": ids}, "results": known}


def google_images(pages: Any) -> Any:
    image = {"contextLink": "https://page.example/", "width": 5, "height": 5, "byteSize": 10}
    return {"items": [{"title": t, "link": u, "image": image} for t, u, s in pages], "queries": {}}


def serper_news(pages: Any) -> Any:
    return {
        "searchParameters": {},
        "news": [{"title": t, "link": u, "snippet": s, "source": "Cat News"} for t, u, s in pages],
    }


def serper_images(pages: Any) -> Any:
    return {"searchParameters": {}, "images": [{"title": t, "imageUrl": u, "imageWidth": 5} for t, u, s in pages]}


def searchapi_images(pages: Any) -> Any:
    return {"search_metadata": {}, "images": [{"title": t, "original": {"link": u, "width": 5}} for t, u, s in pages]}


def searxng_images(pages: Any) -> Any:
    return {"results": [{"title": t, "url": "https://page.example/", "img_src": u} for t, u, s in pages]}


def openalex(pages: Any) -> Any:
    results = [
        {"display_name": t, "primary_location": {"landing_page_url": u}, "abstract_inverted_index": {str(s): [0]}}
        for t, u, s in pages
    ]
    return {"meta": {"count": 2}, "results": results}


def crossref(pages: Any) -> Any:
    results = [{"title": [t], "URL": u, "abstract": s, "author": [{"family": "Ada"}]} for t, u, s in pages]
    return {"status": "ok", "message": {"items": results}}


def semanticscholar(pages: Any) -> Any:
    results = [
        {"paperId": "", "title": t, "url": u, "abstract": s, "authors": [{"name": "Ada"}], "tldr": None}
        for t, u, s in pages
    ]
    return {"total": 2, "offset": 0, "data": results}


def core(pages: Any) -> Any:
    results = [
        {"title": t, "abstract": s, "links": [{"type": "display", "url": u}], "yearPublished": 2020}
        for t, u, s in pages
    ]
    return {"totalHits": 2, "results": results}


def pubmed(pages: Any) -> Any:
    """Both of its answers in one. A record has no address but its number's, which stands for the page's."""
    numbered = [(str(number) if post_of(u) else "", t) for number, (t, u, s) in enumerate(pages, 1)]
    entries = {uid: {"uid": uid, "title": title, "authors": [{"name": "Ada"}]} for uid, title in numbered}
    return {
        "esearchresult": {"count": "2", "idlist": [str(number) for number, _ in enumerate(pages, 1)]},
        "result": {"uids": [uid for uid, _ in numbered]} | entries,
    }


SAMPLES = {
    ("bluesky", "web"): bluesky,
    ("brave", "images"): brave_images,
    ("brave", "local"): brave_local,
    ("brave", "news"): brave_news,
    ("brave", "web"): brave,
    ("core", "academic"): core,
    ("crossref", "academic"): crossref,
    ("duckduckgo", "web"): duckduckgo,
    ("exa", "academic"): exa,
    ("exa", "news"): exa,
    ("exa", "web"): exa,
    ("github", "news"): github,
    ("github", "web"): github,
    ("google", "images"): google_images,
    ("google", "news"): google,
    ("google", "web"): google,
    ("hackernews", "news"): hackernews,
    ("hackernews", "web"): hackernews,
    ("openalex", "academic"): openalex,
    ("pubmed", "academic"): pubmed,
    ("reddit", "news"): reddit,
    ("reddit", "web"): reddit,
    ("searchapi", "images"): searchapi_images,
    ("searchapi", "news"): searchapi,
    ("searchapi", "web"): searchapi,
    ("searxng", "images"): searxng_images,
    ("searxng", "news"): searxng,
    ("searxng", "web"): searxng,
    ("semanticscholar", "academic"): semanticscholar,
    ("serper", "images"): serper_images,
    ("serper", "news"): serper_news,
    ("serper", "web"): serper,
    ("tavily", "news"): tavily,
    ("tavily", "web"): tavily,
}
QUESTIONS = {
    "web": WebQuery(query="cats", num_results=10),
    "images": ImageQuery(query="cats"),
    "news": NewsQuery(query="cats"),
    "local": PlaceQuery(query="cats"),
    "academic": PaperQuery(query="cats"),
}
READS_PAGES = {"duckduckgo", "reddit"}
REQUESTS = {"local": 3, "pubmed": 2}
POSTS = {"core", "exa", "serper", "tavily"}


def title_and_url(hit: Any) -> tuple[Any, Any]:
    """A hit's title and the address it is about."""
    if isinstance(hit, Place):
        return hit.name, hit.website
    return hit.title, hit.link if isinstance(hit, ImageHit) else hit.url


def sound(hit: Any) -> None:
    title, url = title_and_url(hit)
    assert title
    assert url is None or url.startswith(("http://", "https://"))


async def search_github(source: Any) -> Any:
    return (await source.search("issues", "cats", per_page=10, seconds=source.seconds / 2)).body


OFFERS = [
    offer(
        name,
        QUESTIONS[operation],
        operation,
        sample(PAGES),
        "Cats",
        nothing=sample([]),
        count=len(PAGES),
        requests=REQUESTS.get(operation, REQUESTS.get(name, 1)),
        in_json=name not in READS_PAGES,
        method="POST" if name in POSTS else "GET",
        sound=sound,
        agent="Mozilla/" if name == "duckduckgo" else "Assay/",
    )
    for (name, operation), sample in SAMPLES.items()
]
OFFERS += [  # what two tools show as it is said
    method(
        "searxng",
        "rows_of",
        lambda one: one.rows_of("cats", seconds=one.seconds, until=min(one.seconds, 1)),
        searxng(PAGES),
        "Cats",
        nothing=searxng([]),
        raw=True,
        reads=frozenset({"object"}),
    ),
    method(
        "github",
        "search",
        search_github,
        github(PAGES),
        "Cats",
        raw=True,
        reads=frozenset({"null", "number", "string", "list", "nulls", "object", "numbers"}),
        refusals={403: RateLimited},
    ),
]
