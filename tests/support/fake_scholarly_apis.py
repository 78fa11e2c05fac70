"""Indexes of works on loopback: each gives its configured answers, in its documented format, under its own path."""

import json
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

NAMES = ("openalex", "crossref", "unpaywall", "pubmed", "semanticscholar", "core", "exa")


def addresses(url: str) -> dict[str, str]:
    """The settings that lead every index to the site at `url`."""
    return {f"{name.upper()}_BASE_URL": f"{url}/{name}" for name in NAMES}


class FakeScholarlyApis:
    """`says("crossref", "/works", {...})`; `list_requests("crossref")` lists its requests as (path, query)."""

    def __init__(self, site: Any) -> None:
        self.site = site

    def says(self, name: str, path: str, body: Any, status: int = 200, **more: Any) -> None:
        text = body if isinstance(body, str) else json.dumps(body)
        self.site.says(f"/{name}{path}", text, status, "application/json", **more)

    def list_requests(self, name: str) -> list[tuple[str, dict[str, str]]]:
        requests = []
        for one in list(self.site.requests):
            parts = urlsplit(one.path)
            if parts.path.startswith(f"/{name}/"):
                query = {key: values[0] for key, values in parse_qs(parts.query, keep_blank_values=True).items()}
                requests.append((unquote(parts.path.removeprefix(f"/{name}")), query))
        return requests

    def openalex(self, *works: dict[str, Any], count: int | None = None) -> None:
        self.says("openalex", "/works", {"meta": {"count": count or len(works)}, "results": list(works)})

    def crossref(self, *works: dict[str, Any]) -> None:
        self.says(
            "crossref", "/works", {"status": "ok", "message": {"total-results": len(works), "items": list(works)}}
        )

    def copies(self, doi: str, pdf: str | None, *, is_oa: bool = True) -> None:
        """What Unpaywall says of a DOI: one copy, a PDF or only the page in front of it."""
        copy = {"url": pdf or "https://repo.example/page", "url_for_pdf": pdf, "host_type": "repository"}
        body = {
            "doi": doi,
            "is_oa": is_oa,
            "best_oa_location": copy if is_oa else None,
            "oa_locations": [copy] if is_oa else [],
        }
        self.says("unpaywall", f"/{doi.replace('/', '%2F')}", body)


def work(number: int, **more: Any) -> dict[str, Any]:
    """A work as OpenAlex describes it."""
    return {
        "id": f"https://openalex.org/W200000{number}",
        "doi": f"https://doi.org/10.1234/otters.{number}",
        "display_name": f"Otters and their stones, part {number}",
        "publication_year": 2020 + number,
        "publication_date": f"{2020 + number}-03-0{number}",
        "cited_by_count": 10 * number,
        "authorships": [{"author": {"display_name": "Ada Brook"}}, {"author": {"display_name": "Bo Reed"}}],
        "primary_location": {
            "landing_page_url": f"https://river.example/{number}",
            "source": {"display_name": "River Letters", "is_in_doaj": True},
        },
        "open_access": {"is_oa": True, "oa_url": f"https://river.example/{number}.pdf"},
        "best_oa_location": {"pdf_url": f"https://river.example/{number}.pdf"},
        "abstract_inverted_index": {"Otters": [0], "keep": [1], "stones.": [2]},
        "ids": {"pmid": f"https://pubmed.ncbi.nlm.nih.gov/3000{number}"},
    } | more


def record(number: int, **more: Any) -> dict[str, Any]:
    """A work as Crossref describes it."""
    return {
        "DOI": f"10.1234/Otters.{number}",
        "URL": f"https://doi.org/10.1234/otters.{number}",
        "title": [f"Otters and their stones, part {number}"],
        "author": [{"given": "Ada", "family": "Brook"}, {"name": "River Group"}],
        "container-title": ["River Letters"],
        "published": {"date-parts": [[2020 + number, 3]]},
        "is-referenced-by-count": 10 * number,
        "abstract": "<jats:title>Abstract</jats:title><jats:p>Otters keep <jats:italic>stones</jats:italic>, 10<jats:sup>3</jats:sup> a day.</jats:p>",
    } | more


def paper(number: int, **more: Any) -> dict[str, Any]:
    """A work as Semantic Scholar describes it."""
    return {
        "paperId": f"{number:040x}",
        "title": f"Otters and their stones, part {number}",
        "externalIds": {"DOI": f"10.1234/otters.{number}"},
        "authors": [{"name": "Ada Brook"}],
        "year": 2020 + number,
        "venue": "River Letters",
        "citationCount": 10 * number,
        "isOpenAccess": True,
        "openAccessPdf": {"url": f"https://river.example/{number}.pdf"},
        "tldr": {"text": "Otters keep stones."},
    } | more
