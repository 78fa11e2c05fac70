"""arXiv: records of preprints, with the publication that their authors name.

Documentation: https://info.arxiv.org/help/api/user-manual.html
Authentication: none.
Limits: one request every three seconds; up to 2,000 records a request.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from assay.bibliography import doi as dois
from assay.bibliography.identifiers import ARXIV_DOI, identify_url
from assay.errors import UpstreamFailed
from assay.models.papers import Paper
from assay.models.work_record import WorkRecord
from assay.net.provider_client import ProviderClient
from assay.provider_base.provider import Provider
from assay.provider_base.results import Hits, build_paper, usable_results
from assay.settings import Settings
from assay.text.plain_text import to_plain_text
from assay.text.safe_xml import Element, local_name, parse_xml

INTERVAL = 3.0  # seconds between two requests
BATCH = 100  # records in one request
CAP = 4 * 1024 * 1024
LONGEST = 500  # characters of a value
YEAR = re.compile(r"(\d{4})-\d\d-\d\d")


class Arxiv(Provider):
    name = "arxiv"
    address = "https://export.arxiv.org/api"

    def __init__(self, http: ProviderClient, settings: Settings, **more: Any) -> None:
        super().__init__(http, settings, **more)
        self.min_interval = INTERVAL

    def headers(self) -> Mapping[str, str]:
        return {"Accept": "application/atom+xml"}

    async def find_preprints(self, ids: Iterable[str]) -> Hits[Paper]:
        """The preprints with these arXiv ids; ids that arXiv does not have are left out."""
        names = list(dict.fromkeys(ids))[:BATCH]
        response = await self.exchange(
            "GET",
            "/query",
            params={"id_list": ",".join(names), "max_results": len(names)},
            expect="text",
            cap=CAP,
        )
        return usable_results(map(_parse_entry, _find_entries(response.body)), self.name)


def _find_entries(page: str) -> list[Element]:
    """The entries of a feed without those that report errors. UpstreamFailed where it is no feed."""
    try:
        root = parse_xml(page.encode(), "feed")
    except UpstreamFailed as wrong:
        raise UpstreamFailed("arxiv returned an answer that is not a feed.", provider="arxiv") from wrong
    if local_name(root) != "feed":
        raise UpstreamFailed("arxiv returned an answer that is not a feed.", provider="arxiv")
    entries = [entry for entry in root if local_name(entry) == "entry"]
    return [entry for entry in entries if "/api/errors" not in _read(entry, "id")]


def _parse_entry(entry: Element) -> Paper | None:
    name = identify_url(_read(entry, "id"))
    if name is None or name.kind != "arxiv":
        return None
    published = YEAR.match(_read(entry, "published"))
    authors = [_read(author, "name") for author in entry if local_name(author) == "author"]
    paper = build_paper(
        _read(entry, "title"),
        f"https://arxiv.org/abs/{name.value}",
        "arxiv",
        doi=name.doi,
        authors=authors,
        year=published[1] if published else None,
        arxiv_id=name.value,
    )
    return paper.with_records(lambda: (_to_work_record(entry, paper),)) if paper else None


def _to_work_record(entry: Element, paper: Paper) -> WorkRecord:
    own = f"{ARXIV_DOI}{(paper.arxiv_id or '').lower()}"
    published = dois.normalize(_read(entry, "doi"))
    return WorkRecord(
        source="arxiv",
        titles=(paper.title,),
        authors=tuple(paper.authors or ()),
        years=frozenset({paper.year} if paper.year else ()),
        dois=frozenset({own, published} if published else {own}),
        arxiv_ids=frozenset({paper.arxiv_id} if paper.arxiv_id else ()),
        is_preprint=True,
        preprint_dois=frozenset({own}),
        published_dois=frozenset({published} if published and published != own else ()),
        published_as=_read(entry, "journal_ref"),
    )


def _read(parent: Element, name: str) -> str:
    """The text of the first child with this name, on one line; "" if there is none."""
    found = next((child for child in parent if local_name(child) == name), None)
    return "" if found is None else to_plain_text("".join(found.itertext()), LONGEST) or ""
