"""Semantic Scholar: scholarly works and their citations.

Documentation: https://api.semanticscholar.org/api-docs/graph
Authentication: optional, SEMANTIC_SCHOLAR_API_KEY in the header x-api-key.
Limits: without a key, one request a second is sent here.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal
from urllib.parse import quote

from assay.bibliography.identifiers import Identifier
from assay.errors import RateLimited
from assay.models.papers import Paper, PaperQuery
from assay.net.provider_client import ProviderClient
from assay.provider_base.provider import PAPER_FIELDS, Provider
from assay.provider_base.results import Hits, as_count, build_paper, get_list, get_path, get_rows, usable_results
from assay.settings import Settings

SPACING = 1.0  # seconds between requests without a key
EDGE_FIELDS = (
    "title,abstract,year,publicationDate,authors,externalIds,openAccessPdf,citationCount,isOpenAccess,venue,url"
)
RECORD = f"{EDGE_FIELDS},tldr"
KINDS = {"doi": "DOI", "arxiv": "ARXIV", "pmid": "PMID", "pmcid": "PMCID"}
type Edge = Literal["citations", "references"]
FAR_END: Mapping[Edge, str] = {"citations": "citingPaper", "references": "citedPaper"}


class SemanticScholar(Provider):
    name = "semanticscholar"
    address = "https://api.semanticscholar.org/graph/v1"
    key_name = "SEMANTIC_SCHOLAR_API_KEY"
    variables = ()  # the key is optional
    supported_filters: ClassVar = {"academic": PAPER_FIELDS - {"source", "sort_by"}, "citations": frozenset()}

    def __init__(self, http: ProviderClient, settings: Settings, **more: Any) -> None:
        super().__init__(http, settings, **more)
        self.min_interval = 0.0 if self.key else SPACING

    def headers(self) -> Mapping[str, str]:
        return {"x-api-key": self.key} if self.key else {}

    async def academic(self, query: PaperQuery) -> Hits[Paper]:
        answer = await self.get(
            "/paper/search",
            query=" ".join(query.query.replace("-", " ").split()),  # hyphenated words have no matches
            limit=query.num_results,
            fields=RECORD,
            year=_format_years(query),
            openAccessPdf="" if query.open_access else None,
        )
        found = answer.get("data")
        if found is None and "total" not in answer:
            raise LookupError("data")
        return usable_results(
            (_parse_paper(row) for row in get_rows(answer, "data")), self.name, total=as_count(answer.get("total"))
        )

    async def work(self, name: Identifier) -> Paper:
        """The work with this identifier. Raises NotFound if Semantic Scholar does not have it."""
        found = _parse_paper(await self.get(f"/paper/{_format_paper_id(name)}", fields=RECORD))
        if found is None:
            raise TypeError("the record has no title")
        return found

    async def find_by_title(self, title: str) -> tuple[str, Paper]:
        """The closest match of a title, with its Semantic Scholar id. Raises NotFound if there is none."""
        answer = await self.get("/paper/search/match", query=title[:500], fields=RECORD)
        row = get_rows(answer, "data")[0]
        found, number = _parse_paper(row), row["paperId"]
        if found is None or not isinstance(number, str):
            raise TypeError("the record has no title")
        return number, found

    async def edges(self, name: Identifier, edge: Edge, *, count: int) -> Hits[Paper]:
        """The works that cite the work, or that it cites, with citation intents and influence."""
        path = f"/paper/{_format_paper_id(name)}/{edge}"
        answer = await self._get_with_retry(path, fields=f"intents,isInfluential,{EDGE_FIELDS}", limit=count)
        if answer["data"] is None:
            return Hits(
                [], warnings=[f"{self.name} has no {edge} of this work, because its publisher does not release them."]
            )
        # References without a title cannot be shown.
        titled = [row for row in get_rows(answer, "data") if get_path(row, FAR_END[edge], "title")]
        return usable_results((_parse_edge(row, FAR_END[edge]) for row in titled), self.name)

    async def _get_with_retry(self, path: str, **params: Any) -> Any:
        """The answer; after a rate limit, one retry at a slower pace, since two requests run concurrently."""
        try:
            return await self.get(path, **params)
        except RateLimited:
            self.throttle.slow_down(SPACING)
            await self.wait_for_slot()
            return await self.get(path, **params)


def _format_paper_id(name: Identifier) -> str:
    prefix = KINDS.get(name.kind)
    value = name.value.removeprefix("PMC") if name.kind == "pmcid" else name.value
    return quote(f"{prefix}:{value}" if prefix else value, safe=":")


def _format_years(query: PaperQuery) -> str | None:
    first, last = query.year_from or "", query.year_to or ""
    if not (first or last):
        return None
    return str(first) if first == last else f"{first}-{last}"


def _parse_paper(row: Any, **more: Any) -> Paper | None:
    names = row.get("externalIds")
    arxiv = get_path(names, "ArXiv")
    pmcid = get_path(names, "PubMedCentral")
    day = row.get("publicationDate")
    url = f"https://arxiv.org/abs/{arxiv}" if arxiv else row.get("url") or _build_page_url(row)
    return build_paper(
        row.get("title"),
        url,
        "semanticscholar",
        doi_first=True,
        doi=get_path(names, "DOI"),
        authors=[get_path(author, "name") for author in get_list(row, "authors")],
        journal=row.get("venue"),
        year=row.get("year"),
        publication_date=day if isinstance(day, str) else None,
        abstract=row.get("abstract"),
        citation_count=row.get("citationCount"),
        open_access=row.get("isOpenAccess") if isinstance(row.get("isOpenAccess"), bool) else None,
        pdf_url=get_path(row, "openAccessPdf", "url"),
        tldr=get_path(row, "tldr", "text"),
        arxiv_id=arxiv if isinstance(arxiv, str) else None,
        pmid=_get_text(get_path(names, "PubMed")),
        pmcid=f"PMC{_get_text(pmcid).removeprefix('PMC')}" if pmcid else None,
        **more,
    )


def _parse_edge(row: Mapping[str, Any], far_end: str) -> Paper | None:
    intents = [intent for intent in get_list(row, "intents") if isinstance(intent, str)]
    influential = row.get("isInfluential")
    return _parse_paper(
        row[far_end],
        is_influential=influential if isinstance(influential, bool) else None,
        citation_intents=intents or None,
    )


def _build_page_url(row: Any) -> str | None:
    number = row.get("paperId")
    return f"https://www.semanticscholar.org/paper/{number}" if isinstance(number, str) and number else None


def _get_text(value: Any) -> str:
    return str(value) if isinstance(value, str | int) else ""
