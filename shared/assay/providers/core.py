"""CORE: open-access research papers.

Documentation: https://api.core.ac.uk/docs/v3
Authentication: optional, CORE_API_KEY as bearer token, which raises the rate limit.
Limits: the rate limit depends on the key; the full text is excluded from answers because of its size.
"""

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from assay.bibliography.identifiers import identify
from assay.models.papers import Paper, PaperQuery
from assay.provider_base.provider import PAPER_FIELDS, Provider
from assay.provider_base.results import Hits, as_count, build_paper, get_list, get_path, require_rows, usable_results

SYNTAX = re.compile(r'[\\/:()\[\]{}^~*?!+&|<>="]+|(?<!\w)-|-(?!\w)')  # operators of the query language
FIELDS = {"doi": "doi", "arxiv": "arxivId"}


class Core(Provider):
    name = "core"
    address = "https://api.core.ac.uk/v3"
    key_name = "CORE_API_KEY"
    variables = ()  # the key is optional
    origins = frozenset({"arxiv"})
    supported_filters: ClassVar = {"academic": PAPER_FIELDS}

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    async def academic(self, query: PaperQuery) -> Hits[Paper]:
        params = {
            "q": _build_query_text(query),
            "limit": query.num_results,
            "exclude": ["fullText"],  # it would dominate the size of the answer
            "sort": "recency" if query.sort_by == "date" else None,
        }
        answer = await self.post("/search/works", params, redirects=2)
        return usable_results(
            map(_parse_paper, require_rows(answer, "results")), self.name, total=as_count(answer.get("totalHits"))
        )


def _build_query_text(query: PaperQuery) -> str:
    """The query: an identifier as a field query, else words and phrases; then the filters."""
    name = identify(query.query, in_search=True)
    question = f'{FIELDS[name.kind]}:"{name.value}"' if name and name.kind in FIELDS else f"({_strip_operators(query)})"
    clauses = [
        question,
        f"yearPublished>={query.year_from}" if query.year_from else "",
        f"yearPublished<={query.year_to}" if query.year_to else "",
        "_exists_:arxivId" if query.source == "arxiv" else "",
    ]
    return " AND ".join(clause for clause in clauses if clause)


def _strip_operators(query: PaperQuery) -> str:
    """The query without operators of CORE's query language; quoted phrases stay."""
    phrases = re.findall(r'"[^"]+"', query.query) if query.query.count('"') % 2 == 0 else []
    rest = re.sub(r'"[^"]+"', " ", query.query) if phrases else query.query
    words = " ".join(SYNTAX.sub(" ", rest).split())
    quoted = [f'"{" ".join(SYNTAX.sub(" ", phrase).split())}"' for phrase in phrases]
    return " ".join([*quoted, words]).strip() or '"' + " ".join(query.query.replace('"', " ").split()) + '"'


def _parse_paper(row: Any) -> Paper | None:
    links = {get_path(link, "type"): get_path(link, "url") for link in get_list(row, "links")}
    number, day = row.get("id"), row.get("publishedDate")
    page = f"https://core.ac.uk/works/{number}" if isinstance(number, int) else None
    arxiv = row.get("arxivId")
    return build_paper(
        row.get("title"),
        links.get("display") or page,
        "core",
        doi_first=True,
        doi=row.get("doi"),
        authors=[get_path(one, "name") for one in get_list(row, "authors")],
        journal=get_path(row, "journals", 0, "title"),
        year=row.get("yearPublished"),
        publication_date=day[:10] if isinstance(day, str) and re.match(r"\d{4}-\d\d-\d\d", day) else None,
        abstract=row.get("abstract"),
        citation_count=row.get("citationCount"),
        open_access=True,
        pdf_url=row.get("downloadUrl"),
        arxiv_id=arxiv if isinstance(arxiv, str) else None,
    )
