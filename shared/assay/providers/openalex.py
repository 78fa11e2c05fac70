"""OpenAlex: scholarly works and their citations.

Documentation: https://developers.openalex.org
Authentication: optional, OPENALEX_API_KEY; an e-mail address (OPENALEX_EMAIL) gets better service.
Limits: 10,000 results by page number; cursors may require a key.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, ClassVar, NamedTuple
from urllib.parse import quote

from assay.bibliography.identifiers import Identifier, identify_url
from assay.errors import AuthRequired, InvalidInput, NotFound
from assay.models.papers import Paper, PaperQuery
from assay.net.provider_client import ProviderResponse
from assay.net.retry import RetryPolicy
from assay.provider_base.parsing.openalex_work import to_work_record
from assay.provider_base.provider import PAPER_FIELDS, Provider
from assay.provider_base.results import (
    Hits,
    as_count,
    build_paper,
    get_list,
    get_path,
    get_rows,
    require_rows,
    usable_results,
)

FIELDS = "display_name,title,doi,publication_year,open_access,authorships,cited_by_count"
PAGE = re.compile(r"page:([1-9]\d{0,3})")  # our cursor for clients without cursors: a page number
MAX_PAGED = 10_000  # results available by page number
WORK_CAP = 20 * 1024 * 1024  # works of large collaborations list thousands of authors and institutions
BATCH = 50  # DOIs in one request
RECORD = (
    "id,doi,display_name,publication_year,publication_date,cited_by_count,authorships,primary_location,open_access,"
    "best_oa_location,abstract_inverted_index,ids,biblio,type,locations"
)
SEED = "id,doi,display_name,publication_year,publication_date,authorships,primary_location,cited_by_count"
ORIGINS = {
    "arxiv": "indexed_in:arxiv",
    "pubmed": "indexed_in:pubmed",
    "ieee": "primary_location.source.host_organization_lineage:P4310319808",
    "nature": "primary_location.source.host_organization_lineage:P4310319908",
    "springer": "primary_location.source.host_organization_lineage:P4310319965",
}
WILD = re.compile(r"[*?~]+")  # wildcards, which a natural-language query does not mean
ABSTRACT_WORDS = 2_000


class Works(NamedTuple):
    """OpenAlex's own records of works, and the cursor of the next page (None at the end)."""

    rows: list[Mapping[str, Any]]
    next_cursor: str | None


class OpenAlex(Provider):
    name = "openalex"
    address = "https://api.openalex.org"
    credential_name = "OPENALEX_API_KEY"
    variables = (("OPENALEX_EMAIL",), ("OPENALEX_API_KEY",), ("CROSSREF_MAILTO",))
    origins = frozenset(ORIGINS)
    supported_filters: ClassVar = {"academic": PAPER_FIELDS, "citations": frozenset()}

    async def academic(self, query: PaperQuery) -> Hits[Paper]:
        newest = query.sort_by == "date"
        return await self._fetch_papers(
            search=_clean_query(query.query),
            filter=",".join(_build_filters(query, self.clock() if newest else None)) or None,
            sort="publication_date:desc" if newest else None,
            count=query.num_results,
        )

    async def work(self, name: Identifier) -> Paper:
        """The work with this identifier. Raises NotFound if OpenAlex does not have it."""
        found = _parse_paper((await self._fetch_work(name)).body)
        if found is None:
            raise TypeError("the record has no title")
        return found

    async def find_by_title(self, title: str, *, count: int = 5) -> Hits[Paper]:
        """The works whose titles contain these words, best match first."""
        return await self._fetch_papers(filter=_build_title_filter(title), count=count)

    async def find_by_identifiers(self, names: Iterable[Identifier]) -> Hits[Paper]:
        """The works that OpenAlex has of these identifiers; one request for every 50 DOIs."""
        dois = [name.doi for name in names if name.doi and not set(name.doi) & set(",|")]
        found: list[Paper] = []
        for start in range(0, len(dois), BATCH):
            some = dois[start : start + BATCH]
            found += await self._fetch_papers(filter=f"doi:{'|'.join(some)}", count=len(some))
        return Hits(found)

    async def list_references(self, dois: Iterable[str]) -> dict[str, list[str]]:
        """The OpenAlex ids of the works that each work cites, by its DOI; one request for every 50 DOIs."""
        names = [doi for doi in dict.fromkeys(dois) if not set(doi) & set(",|")]
        found: dict[str, list[str]] = {}
        for start in range(0, len(names), BATCH):
            some = names[start : start + BATCH]
            answer = await self._fetch_works(
                count=len(some), filter=f"doi:{'|'.join(some)}", select="id,doi,referenced_works"
            )
            for row in require_rows(answer, "results"):
                name = identify_url(str(get_path(row, "doi")))
                if name and name.doi:
                    found[name.doi] = [id_ for url in get_list(row, "referenced_works") if (id_ := _read_id(url))]
        return found

    async def find_retracted(self, numbers: Iterable[str]) -> list[tuple[str, Paper]]:
        """Those of the works with these OpenAlex ids that it marks as retracted; one request for every 50 ids."""
        ids, found = list(dict.fromkeys(numbers)), list[tuple[str, Paper]]()
        for start in range(0, len(ids), BATCH):
            some = ids[start : start + BATCH]
            answer = await self._fetch_works(
                count=len(some), filter=f"openalex:{'|'.join(some)},is_retracted:true", select=SEED
            )
            for row in require_rows(answer, "results"):
                paper, number = _parse_paper(row), _read_id(row.get("id"))
                found += [(number, paper)] if paper and number else []
        return found

    async def get_with_id(self, name: Identifier) -> tuple[str, Paper]:
        """The work with its OpenAlex id, such as `W2741809807`. Raises NotFound if OpenAlex does not have it."""
        return _to_numbered_paper((await self._fetch_work(name, SEED)).body)

    async def numbered_title(self, title: str) -> tuple[str, Paper]:
        """The closest match of a title, with its OpenAlex id. Raises NotFound if no title contains these words."""
        found = require_rows(
            await self._fetch_works(count=1, filter=_build_title_filter(title), select=SEED), "results"
        )
        if not found:
            raise NotFound(f"{self.name} has no work with this title.", provider=self.name)
        return _to_numbered_paper(found[0])

    async def citing(self, number: str, *, count: int) -> Hits[Paper]:
        """Works that cite the work, the most cited first."""
        return await self._fetch_papers(filter=f"cites:{number}", sort="cited_by_count:desc", count=count)

    async def list_cited_works(self, number: str, *, count: int) -> Hits[Paper]:
        """Works that the work cites, the most cited first."""
        return await self._fetch_papers(filter=f"cited_by:{number}", sort="cited_by_count:desc", count=count)

    async def _fetch_works(self, *, count: int, **params: Any) -> Any:
        return await self.get("/works", **{"per-page": count, "select": RECORD, **params, **self.identity_params})

    async def _fetch_papers(self, *, count: int, **params: Any) -> Hits[Paper]:
        answer = await self._fetch_works(count=count, **params)
        return usable_results(
            map(_parse_paper, require_rows(answer, "results")),
            self.name,
            total=as_count(get_path(answer, "meta", "count")),
        )

    async def _fetch_work(self, name: Identifier, fields: str = RECORD) -> ProviderResponse:
        if name.doi:
            path = f"doi:{quote(name.doi, safe='')}"
        elif name.kind in ("pmid", "pmcid"):
            path = f"{name.kind}:{name.value}"
        elif name.kind == "openalex":
            path = name.value
        else:
            raise NotFound("OpenAlex has no works by this kind of identifier.", provider=self.name)
        params = {"select": fields, **self.identity_params}
        return await self.exchange("GET", f"/works/{path}", params=params, redirects=3, cap=WORK_CAP)

    @property
    def identity_params(self) -> dict[str, str | None]:
        """The API key and the contact address, None if not configured."""
        return {
            "api_key": self.settings.key("OPENALEX_API_KEY") or None,
            "mailto": self.settings.key("OPENALEX_EMAIL") or self.settings.key("CROSSREF_MAILTO") or None,
        }

    async def works(
        self,
        query: str,
        *,
        since: str = "",
        until: str = "",
        per_page: int = 10,
        cursor: str = "",
        seconds: float = 8.0,
    ) -> Works:
        """The works that match, from `since` to `until` (YYYY-MM-DD); `cursor` is an earlier `next_cursor`.

        OpenAlex may refuse cursors to clients without a key; page numbers are used then.
        """
        dates = {"from_publication_date": since, "to_publication_date": until}
        params = {
            "search": query,
            "filter": ",".join(f"{name}:{date}" for name, date in dates.items() if date) or None,
            "per-page": per_page,
            "select": FIELDS,
        }
        if numbered := PAGE.fullmatch(cursor):
            return await self._fetch_page(params, int(numbered[1]), seconds)
        try:
            answer = await self._get_works(params | {"cursor": cursor or "*"}, seconds)
        except AuthRequired:
            if self.identity_params["api_key"] or cursor:
                raise
            return await self._fetch_page(params, 1, seconds)
        onward = get_path(answer, "meta", "next_cursor")
        return Works(get_rows(answer, "results"), onward if isinstance(onward, str) and onward else None)

    async def _fetch_page(self, params: Mapping[str, Any], number: int, seconds: float) -> Works:
        reached = number * params["per-page"]
        if reached > MAX_PAGED:
            raise InvalidInput(
                f"OpenAlex returns at most {MAX_PAGED} results without a key; narrow the query.", field="cursor"
            )
        answer = await self._get_works({**params, "page": number}, seconds)
        more = min(as_count(get_path(answer, "meta", "count")) or 0, MAX_PAGED) > reached
        return Works(get_rows(answer, "results"), f"page:{number + 1}" if more else None)

    async def _get_works(self, params: Mapping[str, Any], seconds: float) -> Any:
        tries = RetryPolicy(2, each=seconds, late=True)
        signed = {**params, **self.identity_params}
        return (
            await self.exchange("GET", "/works", params=signed, seconds=2 * seconds + 1, tries=tries, redirects=5)
        ).body


def _build_filters(query: PaperQuery, now: float | None) -> list[str]:
    """The filters of a query. `now` excludes works with a later date, which sorting by date would list first."""
    until = f"{query.year_to}-12-31" if query.year_to else ""
    if now is not None:
        today = datetime.fromtimestamp(now, UTC).date().isoformat()
        until = min(until, today) if until else today
    filters = [
        query.year_from and f"from_publication_date:{query.year_from}-01-01",
        until and f"to_publication_date:{until}",
        query.open_access and "open_access.is_oa:true",
        ORIGINS.get(query.source),
    ]
    return [one for one in filters if isinstance(one, str) and one]


def _parse_paper(row: Any) -> Paper | None:
    """The work; its URL is that of its DOI, else of its landing page, else of its OpenAlex page."""
    found = _parse_facts(row)
    return found.with_records(lambda: (to_work_record(row),)) if found else None


def _parse_facts(row: Any) -> Paper | None:
    place = get_path(row, "primary_location")
    url = row.get("doi") or get_path(place, "landing_page_url") or row.get("id")
    day = row.get("publication_date")
    return build_paper(
        row.get("display_name") or row.get("title"),
        url,
        "openalex",
        doi=row.get("doi"),
        authors=[get_path(one, "author", "display_name") for one in get_list(row, "authorships")],
        journal=get_path(place, "source", "display_name"),
        year=row.get("publication_year"),
        publication_date=day if isinstance(day, str) and re.fullmatch(r"\d{4}-\d\d-\d\d", day) else None,
        abstract=_restore_abstract(row.get("abstract_inverted_index")),
        citation_count=row.get("cited_by_count"),
        open_access=_parse_bool(get_path(row, "open_access", "is_oa")),
        pdf_url=get_path(row, "best_oa_location", "pdf_url") or _parse_pdf_url(get_path(row, "open_access", "oa_url")),
        is_in_doaj=_parse_bool(get_path(place, "source", "is_in_doaj")) or None,
        **_parse_other_ids(row),
    )


def _to_numbered_paper(row: Any) -> tuple[str, Paper]:
    found, at = _parse_paper(row), identify_url(str(get_path(row, "id")))
    if found is None or at is None or at.kind != "openalex":
        raise TypeError("the record has no title or no OpenAlex id")
    return at.value, found


def _read_id(url: Any) -> str:
    """The OpenAlex id in a URL; "" if there is none."""
    name = identify_url(url) if isinstance(url, str) else None
    return name.value if name and name.kind == "openalex" else ""


def _clean_query(query: str) -> str:
    """The query without wildcards and unbalanced quotes or brackets, which OpenAlex refuses."""
    unpaired = "".join(mark for mark, its in (('"', query.count('"') % 2), ("()", _is_unbalanced(query))) if its)
    return " ".join(WILD.sub(" ", query.translate(dict.fromkeys(map(ord, unpaired), " "))).split())


def _is_unbalanced(query: str) -> bool:
    depth = 0
    for letter in query:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            return True
    return depth != 0


def _build_title_filter(title: str) -> str:
    """The filter for works whose titles contain these words, in lower case and without filter syntax."""
    words = re.sub(r"[,|:!\"()*?~]+", " ", title)[:500].lower()
    return f"display_name.search:{' '.join(words.split())}"


def _restore_abstract(index: Any) -> str | None:
    """The text of an inverted index."""
    if not isinstance(index, Mapping):
        return None
    words: list[tuple[int, str]] = []
    for word, places in index.items():
        words += [(at, word) for at in (places if isinstance(places, list) else []) if isinstance(at, int)]
    return " ".join(word for _, word in sorted(words)[:ABSTRACT_WORDS])


def _parse_other_ids(row: Mapping[str, Any]) -> dict[str, Any]:
    """`pmid`, `pmcid` and `arxiv_id`, from the URLs in which OpenAlex gives them."""
    values = [get_path(row, "ids", "pmid"), get_path(row, "ids", "pmcid"), row.get("doi")]
    values += [get_path(row, place, "landing_page_url") for place in ("primary_location", "best_oa_location")]
    names = [name for one in values if isinstance(one, str) and (name := identify_url(one))]
    fields = {"pmid": "pmid", "pmcid": "pmcid", "arxiv": "arxiv_id"}
    return {fields[name.kind]: name.value for name in names if name.kind in fields}


def _parse_pdf_url(url: Any) -> str | None:
    """The open-access URL if it looks like a PDF; most are landing pages."""
    return url if isinstance(url, str) and re.search(r"\.pdf(?:$|[?#])|/pdf/", url, re.IGNORECASE) else None


def _parse_bool(value: Any) -> bool | None:
    return value if isinstance(value, bool) else None
