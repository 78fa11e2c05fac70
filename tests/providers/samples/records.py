"""An ordinary answer of each provider that is asked for one thing by its name: a DOI, an article, a page, a copy."""

from tests.providers.contract_case import method

from assay.errors import NotFound
from assay.provider_base.parsing.patent_numbers import parse_number
from assay.providers.mediawiki import WikiArticle

PATENT = """<html><head><meta name="DC.title" content="Comb for otters"><meta name="DC.description" content="A comb."></head>
<body><article><dd itemprop="publicationNumber">US10165245B2</dd><dd itemprop="inventor">Ada Stream</dd>
<dd itemprop="publicationDate"><time datetime="2018-12-25">2018-12-25</time></dd></article></body></html>"""
COMPANIES = {"0": {"cik_str": 320193, "ticker": "OTTR", "title": "Otter Works Inc."}}
HANDLE = {"responseCode": 1, "values": [{"type": "URL", "data": {"value": "https://otters.example/1"}}]}
EXTRACTS = {"query": {"pages": {"7": {"title": "Otter", "extract": "Otters keep stones."}}}}
OPENED = ["otter", ["Otter"], ["Keeps stones."], ["https://en.wikipedia.org/wiki/Otter"]]
KEPT = "http://web.archive.org/web/20200101000000/https://otters.example/"
CLOSEST = {"archived_snapshots": {"closest": {"available": True, "url": KEPT, "timestamp": "20200101000000"}}}
DONE = {"status": "success", "timestamp": "20200101000000"}
PAGE = "https://otters.example/"
SCORES = [[{"label": "entailment", "score": 0.93}, {"label": "neutral", "score": 0.05}]]
OFFERS = [
    method("doi", "target", lambda one: one.target("10.1234/otters.1"), HANDLE, "otters.example"),
    method(
        "nli",
        "classify",
        lambda one: one.classify(["Otters keep stones."], "Otters have stones."),
        SCORES,
        "0.93",
        method="POST",
    ),
    method("edgar", "tickers", lambda one: one.tickers(), COMPANIES, "Otter Works"),
    method(
        "google_patents",
        "page",
        lambda one: one.page(parse_number("US10165245B2")),
        PATENT,
        "Comb for otters",
        in_json=False,
        refusals={404: NotFound},
    ),
    method(
        "mediawiki",
        "get_by_titles",
        lambda one: one.get_by_titles("Otter", one.seconds),
        EXTRACTS,
        "keep stones",
        reads=frozenset({"object", "numbers"}),
    ),
    method(
        "mediawiki",
        "extracts",
        lambda one: one.extracts([WikiArticle("Otter", "https://en.wikipedia.org/wiki/Otter", "")], one.seconds),
        EXTRACTS,
        "keep stones",
        reads=frozenset({"object", "numbers"}),
    ),
    method(
        "mediawiki",
        "search",
        lambda one: one.search("Otter", one.seconds),
        OPENED,
        "Keeps stones",
        nothing=["otter", [], [], []],
    ),
    method(
        "wayback",
        "closest",
        lambda one: one.closest(PAGE, one.seconds),
        CLOSEST,
        "20200101000000",
        reads=frozenset({"object", "numbers"}),
    ),
    method(
        "wayback",
        "progress",
        lambda one: one.progress("spn2-0123456789", PAGE, one.seconds),
        DONE,
        "20200101000000",
        reads=frozenset({"object", "numbers"}),
    ),
    method(
        "wayback",
        "capture",
        lambda one: one.capture(PAGE, one.seconds),
        {"job_id": "spn2-0123456789"},
        "spn2-0123456789",
        heeds_body=False,
    ),
]
