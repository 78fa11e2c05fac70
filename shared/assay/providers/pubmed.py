"""PubMed: biomedical literature, by the NCBI E-utilities.

Documentation: https://www.ncbi.nlm.nih.gov/books/NBK25499/
Authentication: optional, PUBMED_API_KEY; PUBMED_EMAIL identifies the client.
Limits: 3 requests a second, 10 with a key. A search takes two requests.
"""

import re
from datetime import UTC, datetime
from typing import Any, ClassVar

from assay.bibliography.identifiers import Identifier
from assay.errors import NotFound, UpstreamFailed
from assay.models.papers import Paper, PaperQuery
from assay.net.provider_client import ProviderClient
from assay.provider_base.provider import PAPER_FIELDS, Provider
from assay.provider_base.results import Hits, build_paper, get_list, get_path, usable_results
from assay.settings import Settings

# A search takes two requests; NCBI allows three a second, ten with a key.
SPACING, SPACING_WITH_KEY = 1.0, 0.25
JOURNALS = {"nature": '"Nature"[journal]', "pubmed": ""}
UID = re.compile(r"[1-9]\d{0,9}", re.ASCII)
DAY = re.compile(r"(\d{4})/(\d\d)/(\d\d)")


class PubMed(Provider):
    name = "pubmed"
    address = "https://eutils.ncbi.nlm.nih.gov/entrez/eutils"
    key_name = "PUBMED_API_KEY"
    variables = ()  # the key is optional
    origins = frozenset(JOURNALS)
    supported_filters: ClassVar = {"academic": PAPER_FIELDS}

    def __init__(self, http: ProviderClient, settings: Settings, **more: Any) -> None:
        super().__init__(http, settings, **more)
        self.min_interval = SPACING_WITH_KEY if self.key else SPACING

    async def academic(self, query: PaperQuery) -> Hits[Paper]:
        dated = query.year_from or query.year_to
        this_year = datetime.fromtimestamp(self.clock(), UTC).year
        return await self._search(
            _build_term(query),
            retmax=query.num_results,
            sort="pub_date" if query.sort_by == "date" else "relevance",
            datetype="pdat" if dated else None,
            mindate=str(query.year_from or 1_000) if dated else None,
            maxdate=str(query.year_to or max(this_year + 1, query.year_from or 0)) if dated else None,
        )

    async def work(self, name: Identifier) -> Paper:
        """The work with this identifier. Raises NotFound if PubMed does not have it."""
        if name.kind == "pmid":
            found = await self._fetch_summaries([name.value])
        elif name.doi or name.kind == "pmcid":
            found = await self._search(f'"{name.doi or name.value}"[aid]', retmax=1)
        else:
            found = Hits()
        if not found:
            raise NotFound("pubmed does not have this work.", provider=self.name)
        return found[0]

    async def find_by_pmid(self, numbers: list[str]) -> Hits[Paper]:
        """The works with these PMIDs; numbers that PubMed lacks are left out."""
        return await self._fetch_summaries(numbers)

    async def _search(self, term: str, **params: Any) -> Hits[Paper]:
        answer = await self._get_json("/esearch.fcgi", term=term, **params)
        result = answer["esearchresult"]
        if error := get_path(result, "ERROR"):
            raise UpstreamFailed(f"pubmed: the search failed ({str(error)[:80]}).", provider=self.name)
        if not isinstance(result["idlist"], list):
            raise TypeError("idlist is not a list")
        numbers = [uid for uid in result["idlist"] if isinstance(uid, str) and UID.fullmatch(uid)]
        found: Hits[Paper] = await self._fetch_summaries(numbers) if numbers else Hits()
        count = result.get("count")
        found.total = int(count) if isinstance(count, str) and count.isdecimal() and len(count) < 12 else None
        return found

    async def _fetch_summaries(self, numbers: list[str]) -> Hits[Paper]:
        answer = await self._get_json("/esummary.fcgi", id=",".join(numbers))
        result = answer["result"]
        if not isinstance(result, dict):
            raise TypeError("result is not an object")
        entries = [(uid, result.get(uid)) for uid in get_list(result, "uids") if isinstance(uid, str)]
        usable = [(uid, row) for uid, row in entries if isinstance(row, dict) and "error" not in row]
        return usable_results((_parse_paper(uid, row) for uid, row in usable), self.name)

    async def _get_json(self, path: str, **params: Any) -> Any:
        key = self.settings.key
        identity = {"tool": "assay", "email": key("PUBMED_EMAIL") or key("OPENALEX_EMAIL") or None}
        return await self.get(path, db="pubmed", retmode="json", **params, **identity, api_key=self.key or None)


def _build_term(query: PaperQuery) -> str:
    """The query term. Unbalanced brackets are removed, since they would break the added filters."""
    query_text = query.query if query.query.count("(") == query.query.count(")") else re.sub(r"[()]", " ", query.query)
    more = [JOURNALS.get(query.source, ""), "free full text[sb]" if query.open_access else ""]
    added = [one for one in more if one]
    return " AND ".join([f"({query_text})", *added]) if added else query_text


def _parse_paper(uid: str, row: dict[str, Any]) -> Paper | None:
    ids = {get_path(one, "idtype"): get_path(one, "value") for one in get_list(row, "articleids")}
    pmcid = ids.get("pmc")
    day = DAY.match(str(row.get("sortpubdate") or ""))
    year = day[1] if day else next(iter(re.findall(r"\b\d{4}\b", str(row.get("pubdate")))), None)
    title = row.get("title")
    return build_paper(
        title.removesuffix(".") if isinstance(title, str) else None,
        f"https://pubmed.ncbi.nlm.nih.gov/{uid}/" if UID.fullmatch(uid) else None,
        "pubmed",
        doi=ids.get("doi"),
        authors=[
            get_path(one, "name") for one in get_list(row, "authors") if get_path(one, "authtype") in ("Author", None)
        ],
        journal=row.get("fulljournalname") or row.get("source"),
        year=year,
        publication_date="-".join(day.groups()) if day else None,
        pmid=uid,
        pmcid=pmcid if isinstance(pmcid, str) and pmcid.startswith("PMC") else None,
    )
