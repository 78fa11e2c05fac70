"""Crossref: metadata of works, and retraction notices.

Documentation: https://www.crossref.org/documentation/retrieve-metadata/rest-api/
Authentication: none. An e-mail address (CROSSREF_MAILTO) selects the faster "polite" pool.
Limits: announced in the headers X-Rate-Limit-Limit and X-Rate-Limit-Interval of each answer.
"""

import asyncio
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, ClassVar
from urllib.parse import quote

from assay.errors import NotFound, ToolError
from assay.models.common import RetractionStatus
from assay.models.papers import Paper, PaperQuery
from assay.net.provider_client import AGENT, ONCE, ProviderResponse
from assay.provider_base.parsing.crossref_notices import choose_most_serious, parse_date_parts
from assay.provider_base.parsing.crossref_work import to_work_record
from assay.provider_base.provider import PAPER_FIELDS, Provider
from assay.provider_base.results import Hits, as_count, build_paper, get_list, get_path, get_rows, usable_results
from assay.settings import Settings
from assay.state.call_memo import ask_once, is_known, remember

WORKS_CAP = 4 * 1024 * 1024
BATCH = 25  # DOIs in one request, which limits the length of its URL
FIELDS = (
    "DOI,URL,title,author,container-title,published,issued,is-referenced-by-count,link,abstract,updated-by,"
    "original-title,short-title,subtitle,short-container-title,event,published-print,published-online,posted,created,volume,issue,"
    "page,article-number,publisher,publisher-location,relation,type,group-title"
)
PREFIXES = {"ieee": ("10.1109",), "nature": ("10.1038",), "springer": ("10.1007", "10.1186")}
LIMIT, SECONDS = re.compile(r"[1-9]\d{0,5}", re.ASCII), re.compile(r"([1-9]\d{0,2})s", re.ASCII)
MAX_INTERVAL = 5.0  # seconds between requests
INLINE = re.compile(r"<(/?)jats:(?:(su[bp])|italic|bold|roman|sans-serif|monospace|sc|underline)\b[^<>]*>")
MARKUP = re.compile(r"<jats:title>[^<>]*</jats:title>|</?[a-z]+:[^<>]*>")  # JATS and MathML by their prefixes


class Crossref(Provider):
    name = "crossref"
    address = "https://api.crossref.org"
    variables = (("CROSSREF_MAILTO",), ("CROSSREF_EMAIL",), ("OPENALEX_EMAIL",))
    origins = frozenset(PREFIXES)
    supported_filters: ClassVar = {"academic": PAPER_FIELDS - {"open_access"}}

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """Adopt the rate limit of the answer, which differs by kind of request (lists, single works)."""
        limit, interval = (
            response.headers.get("x-rate-limit-limit", ""),
            response.headers.get("x-rate-limit-interval", ""),
        )
        if LIMIT.fullmatch(limit) and (seconds := SECONDS.fullmatch(interval)):
            self.min_interval = min(MAX_INTERVAL, int(seconds[1]) / int(limit))
        return super().refusal(response)

    async def academic(self, query: PaperQuery) -> Hits[Paper]:
        newest = query.sort_by == "date"
        return await self._fetch_papers(
            query=query.query,
            rows=query.num_results,
            filter=",".join(_build_filters(query, self.clock() if newest else None)) or None,
            sort="published" if newest else None,
            order="desc" if newest else None,
        )

    async def bibliographic(self, reference: str, *, rows_asked: int = 5) -> Hits[Paper]:
        """Candidates for a printed reference, best match first."""
        return await self._fetch_papers(**{"query.bibliographic": reference[:2_000], "rows": rows_asked})

    async def work(self, doi: str) -> Paper:
        """The work of this DOI, with its retraction notice. Raises NotFound for an unknown DOI."""
        message = await self._get_message(doi)
        found = _parse_paper(message)
        if found is None:
            raise TypeError("the record has no title")
        printed = {name: message.get(key) for name, key in PRINTED.items()}
        return found.model_copy(update={name: text[:300] for name, text in printed.items() if isinstance(text, str)})

    async def integrity(self, doi: str) -> RetractionStatus | None:
        """The most serious notice for the DOI, None if there is none. Raises NotFound for an unknown DOI."""

        async def fresh() -> RetractionStatus | None:
            return choose_most_serious((await self._get_message(doi)).get("updated-by"))

        return await ask_once(_notice_key(doi), fresh)

    async def find_registered(self, doi: str) -> tuple[Paper | None, RetractionStatus | None]:
        """The work of this DOI (None if its record has no title) and its most serious notice. Raises NotFound."""
        message = await self._get_message(doi)
        return _parse_paper(message), choose_most_serious(message.get("updated-by"))

    async def find_by_doi(self, dois: Iterable[str]) -> dict[str, Paper]:
        """The works registered at Crossref, by DOI, in as few requests as possible."""
        names = [name for name in dict.fromkeys(doi.lower() for doi in dois) if _fits_in_filter(name)]
        found: dict[str, Paper] = {}
        for start in range(0, len(names), BATCH):
            batch = names[start : start + BATCH]
            papers = await self._fetch_papers(filter=",".join(f"doi:{name}" for name in batch), rows=len(batch))
            found |= {paper.doi: paper for paper in papers if paper.doi in batch}
        for doi, work in found.items():
            remember(_notice_key(doi), work.retraction_status)
        return found

    async def owns(self, prefix: str) -> bool:
        """Whether DOIs with the prefix (such as 10.1038) are registered at Crossref."""
        try:
            answer = await self.get(f"/prefixes/{quote(prefix, safe='')}", mailto=self.mailto)
        except NotFound:
            return False
        return answer["message"]["prefix"] is not None

    async def integrity_of(self, dois: Iterable[str]) -> dict[str, RetractionStatus | None]:
        """The most serious notice of each DOI, in few requests. DOIs unknown to Crossref are omitted."""
        names = list(dict.fromkeys(doi.lower() for doi in dois))
        single = [name for name in names if is_known(_notice_key(name)) or not _fits_in_filter(name)]
        others = [name for name in names if name not in single]
        groups = [others[start : start + BATCH] for start in range(0, len(others), BATCH)]
        answers = await asyncio.gather(*map(self._fetch_integrity, groups), *map(self._fetch_single_integrity, single))
        return {doi: status for answer in answers for doi, status in answer.items()}

    async def _get_message(self, doi: str) -> Mapping[str, Any]:
        """The record of the DOI, fetched once per tool call."""
        message = await ask_once(f"crossref/work/{doi.lower()}", lambda: self._fetch_message(doi))
        remember(_notice_key(doi), choose_most_serious(message.get("updated-by")))
        return message

    async def _fetch_message(self, doi: str) -> Mapping[str, Any]:
        message = get_path(await self.get(f"/works/{quote(doi, safe='')}", mailto=self.mailto), "message")
        if not isinstance(message, Mapping):
            raise TypeError("message is not an object")
        return message

    async def _fetch_integrity(self, dois: Sequence[str]) -> dict[str, RetractionStatus | None]:
        names = ",".join(f"doi:{doi}" for doi in dois)
        answer = await self.get("/works", filter=names, select="DOI,updated-by", rows=len(dois), mailto=self.mailto)
        found = _get_items(answer)
        requested = set(dois)
        by_doi = {doi.lower(): row for row in found if isinstance(doi := row.get("DOI"), str)}
        statuses = {doi: choose_most_serious(row.get("updated-by")) for doi, row in by_doi.items() if doi in requested}
        for doi in requested:
            remember(
                _notice_key(doi), statuses.get(doi, NotFound("crossref has no record of this DOI.", provider=self.name))
            )
        return statuses

    async def _fetch_single_integrity(self, doi: str) -> dict[str, RetractionStatus | None]:
        try:
            return {doi: await self.integrity(doi)}
        except NotFound:
            return {}

    async def _fetch_papers(self, **fields: Any) -> Hits[Paper]:
        headers = {"User-Agent": f"{AGENT} (mailto:{self.mailto})"} if self.mailto else None
        params = fields | {"select": FIELDS, "mailto": self.mailto}
        response = await self.exchange("GET", "/works", params=params, headers=headers, cap=WORKS_CAP)
        return usable_results(
            map(_parse_paper, _get_items(response.body)),
            self.name,
            total=as_count(get_path(response.body, "message", "total-results")),
        )

    async def works(
        self, query: str, *, rows_asked: int, seconds: float, on_status: Callable[[int], None] = lambda _: None
    ) -> list[Mapping[str, Any]]:
        """Crossref's own records of the matching works, best match first. `on_status` receives the HTTP status."""

        def refusal(response: ProviderResponse) -> ToolError | None:
            on_status(response.status)
            return self.refusal(response)

        response = await self.exchange(
            "GET",
            "/works",
            params={"query": query, "rows": rows_asked, "mailto": self.mailto},
            headers={"User-Agent": f"{AGENT} (mailto:{self.mailto})"} if self.mailto else None,
            seconds=seconds,
            cap=WORKS_CAP,
            refusal=refusal,
            tries=ONCE,
            redirects=5,
        )
        return get_rows(response.body, "message", "items")

    @property
    def mailto(self) -> str | None:
        """The contact address for the polite pool; None if not configured."""
        return _find_mailto(self.settings) or None


PRINTED = {"volume": "volume", "issue": "issue", "pages": "page", "publisher": "publisher"}


def _notice_key(doi: str) -> str:
    """The key of a DOI's notice in the memo of a tool call."""
    return f"crossref/notices/{doi.lower()}"


def _find_mailto(settings: Settings) -> str:
    key = settings.key
    return key("CROSSREF_MAILTO") or key("CROSSREF_EMAIL") or key("OPENALEX_EMAIL")


def _get_items(answer: Any) -> list[Mapping[str, Any]]:
    if not isinstance(get_path(answer, "message", "items"), list):
        raise TypeError("items is not a list")
    return get_rows(answer, "message", "items")


def _fits_in_filter(doi: str) -> bool:
    """Whether the DOI can be part of a filter, whose syntax reserves commas and colons; others are fetched singly."""
    return "," not in doi and ":" not in doi


def _build_filters(query: PaperQuery, now: float | None) -> list[str]:
    """The filters of a query. `now` excludes works with a later date, which sorting by date would list first."""
    until = str(query.year_to) if query.year_to else ""
    if now is not None:
        today = datetime.fromtimestamp(now, UTC).date().isoformat()
        until = min(until, today) if until and until < today[:4] else today
    dates = {"from-pub-date": str(query.year_from or ""), "until-pub-date": until}
    prefixes = [f"prefix:{prefix}" for prefix in PREFIXES.get(query.source, ())]
    return [*(f"{name}:{date}" for name, date in dates.items() if date), *prefixes]


def _parse_paper(row: Any) -> Paper | None:
    found = _parse_facts(row)
    return found.with_records(lambda: (to_work_record(row),)) if found else None


def _parse_facts(row: Any) -> Paper | None:
    published = parse_date_parts(get_path(row, "published", "date-parts", 0)) or parse_date_parts(
        get_path(row, "issued", "date-parts", 0)
    )
    abstract = row.get("abstract")
    return build_paper(
        _replace_markup(title, "") if isinstance(title := get_path(row, "title", 0), str) else None,
        row.get("URL"),
        "crossref",
        doi=row.get("DOI"),
        authors=[_parse_name(author) for author in get_list(row, "author")],
        journal=get_path(row, "container-title", 0),
        year=published[:4],
        publication_date=published if len(published) > 4 else None,
        abstract=_replace_markup(abstract, " ") if isinstance(abstract, str) else None,
        citation_count=row.get("is-referenced-by-count"),
        pdf_url=next((get_path(link, "URL") for link in get_list(row, "link") if _is_pdf(link)), None),
        retraction_status=choose_most_serious(row.get("updated-by")),
    )


def _replace_markup(text: str, replacement: str) -> str:
    """Return the text with `replacement` for tags of JATS and MathML but inline ones; `sub` and `sup` stay, as HTML."""
    return MARKUP.sub(replacement, INLINE.sub(lambda tag: f"<{tag[1]}{tag[2]}>" if tag[2] else "", text))


def _is_pdf(link: Any) -> bool:
    """Whether the link is a PDF for readers. Links for text mining and similarity checking need a contract."""
    purpose = get_path(link, "intended-application")
    return get_path(link, "content-type") == "application/pdf" and purpose not in ("text-mining", "similarity-checking")


def _parse_name(author: Any) -> Any:
    parts = [get_path(author, "given"), get_path(author, "family")]
    return " ".join(part for part in parts if isinstance(part, str)) or get_path(author, "name")
