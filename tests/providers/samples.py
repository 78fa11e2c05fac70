"""An ordinary answer of each provider to each operation: what it says of two pages about cats, in its own shape."""

from typing import Any

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


SAMPLES = {
    ("exa", "web"): exa,
    ("github", "web"): github,
    ("google", "web"): google,
    ("searchapi", "web"): searchapi,
    ("serper", "web"): serper,
    ("tavily", "web"): tavily,
    ("searxng", "web"): searxng,
    ("brave", "web"): brave,
    ("hackernews", "web"): hackernews,
    ("duckduckgo", "web"): duckduckgo,
}
