"""An invented world on one loopback port: indexes of invented works, the registry of their DOIs, and sites by name."""

import asyncio
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from tests.support.loopback import Loopback, read_head

GOLD = Path(__file__).parent / "gold"
WORDS = re.compile(r"[^\W_]+")
WIDE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]{2,}")
FEED_ENTRY = """<entry><id>http://arxiv.org/abs/{id}v1</id><title>{title}</title><author><name>Di Marsh</name></author>
<published>2021-05-04T17:00:00Z</published><arxiv:doi>{doi}</arxiv:doi><arxiv:journal_ref>{ref}</arxiv:journal_ref></entry>"""
type Response = tuple[int, dict[str, str], bytes]


class FakeCitationServices(Loopback):
    """`seconds` is how long each answer takes; `asked` counts questions by index."""

    def __init__(self, gold_set: dict[str, Any], *, seconds: float = 0.0) -> None:
        super().__init__()
        self.works = {work["doi"]: work for work in gold_set["works"]}
        self.pubmed_works: dict[str, tuple[str, str]] = {}  # title and DOI by PMID
        self.retracted_works = gold_set.get("retracted_works", [])
        self.down, self.sites, self.seconds = set(gold_set.get("down", ())), gold_set.get("sites", {}), seconds
        self.preprints = gold_set.get("preprints", {})
        self.requests: dict[str, int] = {}
        self.targets: list[str] = []
        self.busy = self.most_at_once = 0
        self._works_of_word: dict[str, list[str]] = {}
        for doi, work in self.works.items():
            for word in words(work["title"], *names(work)):
                self._works_of_word.setdefault(word, []).append(doi)

    @property
    def environ(self) -> dict[str, str]:
        bases = ("arxiv", "crossref", "openalex", "doi", "wayback", "unpaywall", "courtlistener", "pubmed")
        named = {f"{name.upper()}_BASE_URL": f"http://127.0.0.1:{self.port}/{name}" for name in bases}
        return named | {"OPENALEX_EMAIL": "gold@example.org"}

    @property
    def seams(self) -> dict[str, Any]:
        """Names of sites lead here; others do not exist."""

        async def resolve(host: str, _: int) -> list[str]:
            from assay.net.dns import KNOWN_NAMES
            from assay.net.exceptions import Unreachable

            if host in self.sites or host in KNOWN_NAMES:
                return ["93.184.215.14"]
            raise Unreachable(f"No address was found for {host}.", "dns")

        return {"resolve": resolve, "connect": lambda *_: ("127.0.0.1", self.port)}

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        request = await read_head(reader)
        self.busy += 1
        self.most_at_once = max(self.most_at_once, self.busy)
        await asyncio.sleep(self.seconds)
        self.busy -= 1
        self.targets.append(unquote(request.target))
        status, headers, body = self._respond(request.host, request.target)
        lines = [f"HTTP/1.1 {status} Told", *(f"{name}: {value}" for name, value in headers.items())]
        writer.write("\r\n".join([*lines, f"content-length: {len(body)}", "", ""]).encode())
        writer.write(b"" if request.method == "HEAD" else body)
        await writer.drain()
        return True

    def _respond(self, host: str, target: str) -> Response:
        if host in self.sites:
            return self._site(host, urlsplit(target).path)
        parts = urlsplit(target)
        name, _, rest = parts.path.removeprefix("/").partition("/")
        self.requests[name] = self.requests.get(name, 0) + 1
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        return getattr(self, name, self._unknown_service)(unquote(rest), query)

    def _unknown_service(self, *_: Any) -> Response:
        return answer({}, 404)

    def _site(self, host: str, path: str) -> Response:
        site = self.sites[host]
        page = {"content-type": "text/html; charset=utf-8"} | site.get("headers", {})
        if site["path"] in (path, "*"):
            onward = {"location": site["target"]} if site["target"] else {}
            return site["status"], page | onward, site.get("body", "<title>Report</title>").encode()
        known = path == "/" or path == site["target"]
        return (200 if known else 404), page, b"<title>Here</title>"

    def crossref(self, path: str, query: dict[str, str]) -> Response:
        if path.startswith("prefixes/"):
            own = path.endswith("10.71234")
            return answer(
                {"message": {"prefix": "https://id.crossref.org/prefix/10.71234"}} if own else {}, 200 if own else 404
            )
        if path != "works":
            return self._by_doi(path.removeprefix("works/").lower())
        if "filter" in query:
            dois = [each.removeprefix("doi:") for each in query["filter"].split(",")]
            if self.down & set(dois):
                return answer({}, 503)
            works = [self.works[doi] for doi in dois if self._is_registered(doi, "crossref")]
        else:
            works = self._most_similar(query["query.bibliographic"], "crossref")
        return answer({"message": {"items": [row(work) for work in works]}})

    def _by_doi(self, doi: str) -> Response:
        if doi in self.down:
            return answer({}, 503)
        if not self._is_registered(doi, "crossref"):
            return answer("Resource not found.", 404)
        return answer({"message": row(self.works[doi])})

    def openalex(self, path: str, query: dict[str, str]) -> Response:
        if path.startswith("works/doi:"):
            doi = path.removeprefix("works/doi:").lower()
            if doi in self.down:
                return answer({}, 503)
            known = doi in self.works and self.works[doi]["year"] % 3 > 0  # it does not know all
            return answer(open_row(self.works[doi])) if known else answer({}, 404)
        field, _, value = query["filter"].partition(":")
        if field == "openalex":
            wanted = tuple(value.partition(",")[0].split("|"))
            return answer({"results": [work for work in self.retracted_works if work["id"].endswith(wanted)]})
        if field == "doi":
            works = [self.works[doi] for doi in value.split("|") if doi in self.works]
        else:
            works = [work for work in self._most_similar(value, None) if work["year"] % 3]
        return answer({"results": [open_row(work) for work in works]})

    def doi(self, path: str, _: dict[str, str]) -> Response:
        doi = path.removeprefix("api/handles/").lower()
        if doi in self.down:
            return answer({}, 503)
        if doi not in self.works:
            return answer({"responseCode": 100, "handle": doi}, 404)
        return answer({"responseCode": 1, "handle": doi, "values": []})

    def arxiv(self, _: str, query: dict[str, str]) -> Response:
        entries = [
            FEED_ENTRY.format(id=id_, **self.preprints[id_])
            for id_ in query["id_list"].split(",")
            if id_ in self.preprints
        ]
        feed = f'<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">{"".join(entries)}</feed>'
        return 200, {"content-type": "application/atom+xml"}, feed.encode()

    def pubmed(self, _: str, query: dict[str, str]) -> Response:
        known = {uid: self.pubmed_works[uid] for uid in query["id"].split(",") if uid in self.pubmed_works}
        rows = {
            uid: {"uid": uid, "title": title, "articleids": [{"idtype": "doi", "value": doi}]}
            for uid, (title, doi) in known.items()
        }
        return answer({"result": {"uids": list(rows)} | rows})

    def wayback(self, *_: Any) -> Response:
        return answer({"archived_snapshots": {}})

    def _is_registered(self, doi: str, agency: str) -> bool:
        return doi in self.works and self.works[doi]["agency"] == agency

    def _most_similar(self, text: str, agency: str | None) -> list[dict[str, Any]]:
        """The five works that share most words with the text: an index always finds something."""
        shared = Counter(doi for word in words(text) for doi in self._works_of_word.get(word, ()))
        known = (doi for doi in shared if agency in (None, self.works[doi]["agency"]))
        return [self.works[doi] for doi in sorted(known, key=lambda doi: (-shared[doi], doi))[:5]]


def names(work: dict[str, Any]) -> list[str]:
    return [name for pair in work["authors"] for name in pair]


def words(*texts: str) -> set[str]:
    """The words of the texts; of scripts without spaces the pairs of letters."""
    found = {word for text in texts for word in WORDS.findall(text.lower())}
    return found | {word[at : at + 2] for each in found for word in WIDE.findall(each) for at in range(len(word) - 1)}


def answer(body: Any, status: int = 200) -> Response:
    return status, {"content-type": "application/json"}, json.dumps(body).encode()


def row(work: dict[str, Any]) -> dict[str, Any]:
    """As Crossref tells it."""
    notices = [{"DOI": "10.71234/notice.1", "type": work["notice"], "source": "retraction-watch",
                "updated": {"date-parts": [[2022, 3, 4]]}}] if work["notice"] else []  # fmt: skip
    return {
        "DOI": work["doi"],
        "URL": f"https://doi.org/{work['doi']}",
        "title": [work["title"]],
        "author": [{"given": arguments, "family": family} for arguments, family in work["authors"]],
        "container-title": [work["journal"]],
        "published": {"date-parts": [[work["year"]]]},
        **printed(work),
        **work.get("crossref", {}),
        **special(work),
    } | ({"updated-by": notices} if notices else {})


def special(work: dict[str, Any]) -> dict[str, Any]:
    """What Crossref tells of a conference and of the preprint of a work."""
    fields: dict[str, Any] = {}
    if "acronym" in work:
        fields["event"] = {"acronym": work["acronym"], "location": work["place"]}
    if "arxiv" in work:
        preprint = {"id-type": "doi", "id": f"10.48550/arxiv.{work['arxiv']}"}
        fields["relation"] = {"has-preprint": [preprint]}
    return fields


def printed(work: dict[str, Any]) -> dict[str, str]:
    """Volume, pages and publisher of an invented work, which follow from its title if it does not say them."""
    if "page" in work:
        return {name: work[name] for name in ("volume", "issue", "page", "publisher") if work[name]}
    number = len(work["title"]) + work["year"]
    first = 3 + number % 900
    return {
        "volume": str(1 + number % 60),
        "page": f"{first}-{first + 12}",
        "publisher": "Association for Quiet Studies",
    }


def open_row(work: dict[str, Any]) -> dict[str, Any]:
    """As OpenAlex tells it."""
    return {
        "id": "https://openalex.org/W1",
        "doi": f"https://doi.org/{work['doi']}",
        "display_name": work["title"],
        "publication_year": work["year"],
        "authorships": [{"author": {"display_name": " ".join(pair)}} for pair in work["authors"]],
        "primary_location": {"source": {"display_name": work["journal"]}},
        "referenced_works": [f"https://openalex.org/{number}" for number in work.get("cites", ())],
    }


def gold(name: str = "citations") -> dict[str, Any]:
    return json.loads((GOLD / f"{name}.json").read_text())
