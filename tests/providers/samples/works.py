"""An ordinary answer of each index that is asked for one work, its copies, its notices or its neighbours."""

from tests.providers.contract_case import UNSAID, method
from tests.support.fake_scholarly_apis import paper, record, work

from assay.bibliography.identifiers import Identifier
from assay.errors import AuthRequired, NotFound

DOI = Identifier("doi", "10.1234/otters.1")
NOTICE = {"DOI": "10.1234/N", "type": "retraction", "source": "publisher", "updated": {"date-parts": [[2024, 5, 1]]}}
COPY = {
    "url": "https://repo.example/1.pdf",
    "url_for_pdf": "https://repo.example/1.pdf",
    "url_for_landing_page": "https://repo.example/1",
    "host_type": "repository",
    "version": "acceptedVersion",
    "license": "cc-by",
}
ENTRY = {"uid": "31", "title": "Otters.", "sortpubdate": "2023/04/05 00:00", "source": "River med"}
MISSING = {404: NotFound}
FOUND = {"results": [work(1)]}
RECORDS = {"message": {"items": [record(1)]}}
RETRACTED = {"message": {"items": [{"DOI": DOI.value, "updated-by": [NOTICE]}]}}
OFFERS = [
    method("openalex", "work", lambda one: one.work(DOI), work(1), "Otters", refusals=MISSING),
    method(
        "openalex", "find_by_title", lambda one: one.find_by_title("Otters"), FOUND, "Otters", nothing={"results": []}
    ),
    method(
        "openalex",
        "find_by_identifiers",
        lambda one: one.find_by_identifiers([DOI]),
        FOUND,
        "Otters",
        nothing={"results": []},
    ),
    method("openalex", "get_with_id", lambda one: one.get_with_id(DOI), work(1), "W2000001", refusals=MISSING),
    method("openalex", "numbered_title", lambda one: one.numbered_title("Otters"), FOUND, "W2000001"),
    method("openalex", "citing", lambda one: one.citing("W1", count=5), FOUND, "Otters", nothing={"results": []}),
    method(
        "openalex",
        "list_cited_works",
        lambda one: one.list_cited_works("W1", count=5),
        FOUND,
        "Otters",
        nothing={"results": []},
    ),
    method(
        "openalex",
        "list_references",
        lambda one: one.list_references([DOI.value]),
        {"results": [work(1) | {"referenced_works": ["https://openalex.org/W2000002"]}]},
        "W2000002",
        nothing=UNSAID,
    ),
    method(
        "openalex",
        "find_retracted",
        lambda one: one.find_retracted(["W2000001"]),
        FOUND,
        "W2000001",
        nothing={"results": []},
    ),
    method(
        "openalex",
        "works",
        lambda one: one.works("otters", seconds=one.seconds),
        FOUND,
        "Otters",
        raw=True,
        reads=frozenset({"object"}),
    ),
    method("crossref", "work", lambda one: one.work(DOI.value), {"message": record(1)}, "Otters", refusals=MISSING),
    method("crossref", "bibliographic", lambda one: one.bibliographic("Brook, Otters"), RECORDS, "Otters"),
    method("crossref", "find_registered", lambda one: one.find_registered(DOI.value), {"message": record(1)}, "Otters"),
    method("crossref", "find_by_doi", lambda one: one.find_by_doi([DOI.value]), RECORDS, "Otters"),
    method(
        "crossref",
        "works",
        lambda one: one.works("otters", rows_asked=5, seconds=one.seconds),
        RECORDS,
        "Otters",
        raw=True,
        reads=frozenset({"object"}),
    ),
    method("crossref", "owns", lambda one: one.owns("10.1234"), {"message": {"prefix": "x"}}, "true"),
    method(
        "crossref",
        "integrity",
        lambda one: one.integrity(DOI.value),
        {"message": {"updated-by": [NOTICE]}},
        "10.1234/n",
        refusals=MISSING,
    ),
    method("crossref", "integrity_of", lambda one: one.integrity_of([DOI.value]), RETRACTED, "10.1234/n"),
    method(
        "unpaywall",
        "copies",
        lambda one: one.copies(DOI.value),
        {"is_oa": True, "best_oa_location": COPY, "oa_locations": [COPY]},
        "repo.example",
        refusals=MISSING | {422: AuthRequired},
    ),
    method("semanticscholar", "work", lambda one: one.work(DOI), paper(1), "Otters", refusals=MISSING),
    method(
        "semanticscholar",
        "find_by_title",
        lambda one: one.find_by_title("Otters"),
        {"data": [paper(1)]},
        "Otters",
        refusals=MISSING,
    ),
    method(
        "semanticscholar",
        "edges",
        lambda one: one.edges(DOI, "citations", count=5),
        {"data": [{"intents": ["background"], "isInfluential": True, "citingPaper": paper(1)}]},
        "Otters",
        refusals=MISSING,
        hurried=True,
    ),
    method(
        "pubmed",
        "work",
        lambda one: one.work(Identifier("pmid", "31")),
        {"result": {"uids": ["31"], "31": ENTRY}},
        "Otters",
        refusals=MISSING,
    ),
    method(
        "pubmed",
        "find_by_pmid",
        lambda one: one.find_by_pmid(["31"]),
        {"result": {"uids": ["31"], "31": ENTRY}},
        "Otters",
        nothing={"result": {"uids": []}},
    ),
]
