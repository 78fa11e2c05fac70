"""verify_citation, through `invoke`, like every entry point."""

import asyncio
import json
import threading
from urllib.parse import quote, unquote

import pytest
from tests.support.pages import html

from assay.bibliography import doi
from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.net.provider_client import ProviderClient

TITLE = "How otters keep their stones"
DOI = "10.1234/otters.7"
WORK = {
    "DOI": DOI,
    "URL": f"https://doi.org/{DOI}",
    "title": [TITLE],
    "author": [{"given": "Ada", "family": "Brook"}, {"given": "Li", "family": "Weir"}],
    "container-title": ["River Letters"],
    "published": {"date-parts": [[2019, 3]]},
}
RETRACTED = [
    {
        "DOI": "10.1234/notice",
        "type": "retraction",
        "source": "retraction-watch",
        "updated": {"date-parts": [[2021, 5, 6]]},
    }
]
OTTERS = (
    "Otters carry a favourite stone in a pouch of skin under the arm. A survey of 214 animals along the river Teme "
    "found that nine out of ten used the same stone for more than a year. Young otters learn the habit from their "
    "mothers within four months. The stones weigh 60 grams on average. Nobody has seen an otter lend its stone. "
)


class FakeIndexes:
    """Crossref, OpenAlex, doi.org and the Internet Archive on one loopback port, each under a path of its own."""

    def __init__(self, site):
        self.site = site
        self.works, self.handles, self.copies = {}, {}, {}
        self.found = []
        for name in ("crossref", "openalex", "doi", "wayback", "unpaywall"):
            self.says(f"/{name}", {}, 404)
        self.settle()

    def says(self, path, body, status=200):
        self.site.says(path, json.dumps(body), status, kind="application/json")

    def settle(self):
        self.says("/crossref/works", {"message": {"items": self.found}})
        self.says("/openalex/works", {"results": []})
        self.says("/wayback/available", {"archived_snapshots": {}})

    def work(self, row):
        self.says(f"/crossref/works/{quote(row['DOI'], safe='')}", {"message": row})

    def no_work(self, doi, registered=False):
        self.says(f"/crossref/works/{quote(doi, safe='')}", "Resource not found.", 404)
        code = {"responseCode": 1, "values": []} if registered else {"responseCode": 100}
        self.says(f"/doi/api/handles/{quote(doi, safe='/')}", code, 200 if registered else 404)

    def finds(self, *rows):
        self.found = list(rows)
        self.settle()

    def keeps(self, url, copy):
        snapshot = {"available": True, "url": copy, "timestamp": "20200102030405"}
        self.says("/wayback/available", {"archived_snapshots": {"closest": snapshot}})

    def fail(self, *paths):
        for path in paths:
            self.says(path, "down", 503)

    def list_requests(self, name):
        return [unquote(each.path) for each in self.site.requests if each.path.startswith(f"/{name}/")]


@pytest.fixture
def environ(environ, site):
    names = ("crossref", "openalex", "doi", "wayback", "unpaywall", "courtlistener", "pubmed")
    return environ | {f"{name.upper()}_BASE_URL": f"{site.url}/{name}" for name in names}


@pytest.fixture
def indexes(site, services):
    services.http = ProviderClient(services.settings, pause=0)
    return FakeIndexes(site)


@pytest.fixture
def verify(ask, indexes):
    async def verify(citation, claim=None):
        reply = await ask("verify_citation", citation=citation, **({"claim": claim} if claim else {}))
        assert reply.error is None, reply.error
        return reply.wire

    return verify


@pytest.mark.parametrize("citation", [DOI, f"doi:{DOI}", f"https://doi.org/{DOI}", f"https://dx.doi.org/{DOI.upper()}"])
async def test_a_doi_is_found_with_its_very_record(verify, indexes, citation):
    indexes.work(WORK)
    wire = await verify(citation)
    assert (wire["inputType"], wire["exists"], wire["verificationStatus"]) == ("doi", True, "confirmed")
    assert (wire["matchedRecord"]["title"], wire["matchedRecord"]["doi"]) == (TITLE, DOI)
    assert wire["retractionCheck"] == "clear"
    assert wire["titleMatch"] == "not_checked"
    assert "compare its title" in wire["authenticityCaveat"]
    assert wire["trust"] == "untrusted-external-content"
    assert "crossref" in wire["searched"]
    assert any("OPENALEX_EMAIL" in note for note in wire["provenance"])
    assert "linkOutcome" not in wire


@pytest.mark.parametrize(
    "citation",
    [
        f"{DOI} PMID: 23903748",
        f"{DOI}; PMCID: PMC4221854.",
        f"doi: {DOI}. Epub 2019 Jul 31.",
        f"{DOI} (accessed 3 September 2020)",
        f"{DOI} [online; letzter Zugriff am 3. Januar 2020]",
        f"Available from: https://doi.org/{DOI}",
        f"Digital Object Identifier: {DOI}",
        f"{DOI} ISSN 0028-0836",
        f"Riv. 2019 Aug 1;1500(7460):1054-1058. doi: {DOI}.",
        "10.1234/ot\u00adters.7",
        "10.1234/otters.７",
        "10.1234∕otters.7",
        "doi:10.1234%2Fotters.7",
    ],
)
async def test_what_a_citation_says_of_access_dates_and_numbers_beside_its_doi_is_no_other_title(
    verify, indexes, citation
):
    indexes.work(WORK)
    wire = await verify(citation)
    assert (wire["exists"], wire["verificationStatus"]) == (True, "confirmed")
    assert wire["titleMatch"] == "not_checked"


async def test_another_title_with_a_date_of_access_beside_a_doi_is_still_a_mismatch(verify, indexes):
    indexes.work(WORK)
    wire = await verify(f"{DOI}. Beavers and the price of timber. Accessed 3 September 2020.")
    assert (wire["titleMatch"], wire["verificationReason"]) == ("mismatch", "title_mismatch")


@pytest.mark.parametrize(
    ("registered", "citation"),
    [
        (DOI, f"{DOI}/full"),
        (DOI, f"doi:{DOI}.full.pdf"),
        (DOI, f"Brook A. {TITLE}. River Letters 2019. doi:{DOI}PMID: 23903748"),
        ("10.1234/otters-and-stones.7", "10.1234/otters‐and–stones.7"),
        ("10.1234/otters.7", "10.1234/ot-ters.7"),
        ("10.1002/(sici)1097(199806)49:8<693::aid-asi4>3.0.co;2-o", "10.1002/(SICI)1097(199806)49:8&lt;693::AID-ASI4&gt;3.0.CO;2-O"),
        ("10.1101/2020.01.02.123456", "10.1101/2020.01.02.123456v2.full.pdf"),
    ],
)  # fmt: skip
async def test_a_doi_that_was_changed_on_the_way_is_read_as_the_registered_one(verify, indexes, registered, citation):
    indexes.work(WORK | {"DOI": registered})
    indexes.no_work(doi.find(citation))
    for spelling in doi.list_spellings(doi.find(citation)):
        if spelling != registered:
            indexes.no_work(spelling)
    wire = await verify(citation)
    assert (wire["exists"], wire["verificationStatus"]) == (True, "confirmed")
    assert wire["matchedRecord"]["doi"] == registered
    assert any(f"read as {registered}" in note for note in wire["provenance"])


async def test_a_second_doi_that_was_not_looked_up_is_named(verify, indexes):
    indexes.work(WORK)
    assert "has the DOI 10.1234/otters.9," in (await verify(f"{DOI}, doi:10.1234/OTTERS.9"))["provenance"][-1]
    wire = await verify(f"Brook A. {TITLE}. doi:{DOI} https://doi.org/{DOI.upper()}")
    assert not any("not looked up" in note for note in wire["provenance"])


async def test_a_doi_is_not_read_as_another_one_while_the_registry_does_not_answer(verify, indexes):
    indexes.work(WORK)
    wire = await verify(f"{DOI}/full")
    assert "exists" not in wire
    assert "matchedRecord" not in wire


async def test_a_doi_that_nobody_registered_is_not_found_and_never_fine(verify, indexes):
    indexes.no_work("10.1038/nature99999999")
    wire = await verify("10.1038/nature99999999")
    assert (wire["exists"], wire["verificationStatus"]) == (False, "not_found")
    assert wire["searched"] == ["crossref", "doi.org"]
    assert (wire["retractionCheck"], wire["retractionCheckReason"]) == ("unchecked", "not_in_crossref")
    assert not {"matchedRecord", "matchConfidence"} & set(wire)


async def test_a_doi_of_another_agency_exists_and_is_unchecked(verify, indexes):
    indexes.no_work("10.5281/zenodo.12", registered=True)
    wire = await verify("10.5281/zenodo.12")
    assert (wire["exists"], wire["verificationStatus"]) == (True, "confirmed")
    assert (wire["retractionCheck"], wire["retractionCheckReason"]) == ("unchecked", "not_in_crossref")


async def test_when_nobody_answers_nothing_is_said_of_the_doi(verify, indexes):
    indexes.fail(f"/crossref/works/{DOI.replace('/', '%2F')}", f"/doi/api/handles/{DOI}")
    wire = await verify(DOI)
    assert "exists" not in wire
    assert (wire["verificationStatus"], wire["verificationReason"]) == ("uncertain", "lookup_error")
    assert (wire["retractionCheck"], wire["retractionCheckReason"]) == ("unchecked", "lookup_error")
    assert wire.get("searched", []) == []


async def test_a_404_that_is_not_the_registrys_word_accuses_nobody(verify, indexes):
    indexes.says("/crossref/works/10.5281%2Fx", "Resource not found.", 404)
    wire = await verify("10.5281/x")
    assert "exists" not in wire
    assert wire["verificationStatus"] == "uncertain"


async def test_crossrefs_word_for_its_own_prefix_stands_where_the_registry_is_silent(verify, indexes):
    indexes.says("/crossref/works/10.1038%2Fx", "Resource not found.", 404)
    indexes.says("/crossref/prefixes/10.1038", {"message": {"prefix": "http://id.crossref.org/prefix/10.1038"}})
    assert (await verify("10.1038/x"))["verificationStatus"] == "not_found"


async def test_a_near_neighbour_is_not_taken_for_the_work(verify, indexes):
    indexes.says("/crossref/works/10.1234%2Fotters.8", {"message": WORK})
    indexes.says("/doi/api/handles/10.1234/otters.8", {"responseCode": 100}, 404)
    wire = await verify("10.1234/otters.8")
    assert wire["exists"] is False
    assert "matchedRecord" not in wire


async def test_a_retraction_is_reported_with_its_source_and_notice(verify, indexes):
    indexes.work(WORK | {"updated-by": RETRACTED})
    wire = await verify(DOI)
    assert wire["retractionCheck"] == "retracted"
    assert wire["retractionStatus"] == {
        "retracted": True,
        "kind": "retraction",
        "date": "2021-05-06",
        "noticeDoi": "10.1234/notice",
        "source": "retraction-watch",
    }


@pytest.mark.parametrize("kind", ["correction", "expression_of_concern"])
async def test_what_is_not_a_retraction_is_a_flag(verify, indexes, kind):
    indexes.work(WORK | {"updated-by": [RETRACTED[0] | {"type": kind}]})
    wire = await verify(DOI)
    assert (wire["retractionCheck"], wire["retractionStatus"]["retracted"]) == ("flagged", False)


async def test_a_title_that_says_retracted_is_not_clear(verify, indexes):
    for title in (
        f"RETRACTED: {TITLE}",
        f"[Retracted] {TITLE}",
        f"{TITLE} (Retracted)",
        f"Notice of Retraction: {TITLE}",
    ):
        indexes.work(WORK | {"title": [title]})
        wire = await verify(f"{TITLE}. {DOI}")
        assert (wire["retractionCheck"], wire["titleMatch"]) == ("flagged", "match")
        assert any("marked as retracted" in note for note in wire["provenance"])
    indexes.work(WORK | {"title": ["Retracted-flap surgery of otters"]})
    assert (await verify(DOI))["retractionCheck"] == "clear"


@pytest.mark.parametrize(
    ("text", "match", "status"),
    [
        (f"How otters keep their stones. {DOI}", "match", "confirmed"),
        (f"Brook A, Weir L. How Otters Keep Their Stones. River Letters, 2019. doi:{DOI}", "match", "confirmed"),
        (f"Brook & Weir (2019). How otters keep their stone: a survey. {DOI}", "match", "confirmed"),
        (f"Otters and stones, https://doi.org/{DOI}", "match", "confirmed"),
        (f"Brook, River Letters, {DOI}", "not_checked", "confirmed"),
        (f"Quantum dots in perovskite solar cells. {DOI}", "mismatch", "uncertain"),
        (f"Miller K (2020). Beavers and the price of timber in Norway. Forest Press. {DOI}", "mismatch", "uncertain"),
        (f"Wie Otter ihre Steine mit sich tragen und wie sie das lernen {DOI}", "not_checked", "confirmed"),
    ],
)
async def test_a_title_beside_the_doi_is_held_against_the_record(verify, indexes, text, match, status):
    indexes.work(WORK)
    wire = await verify(text)
    assert (wire["inputType"], wire["titleMatch"], wire["verificationStatus"]) == ("doi", match, status)
    if match == "mismatch":
        assert wire["verificationReason"] == "title_mismatch"
        assert wire["matchedRecord"]["title"] == TITLE


async def test_a_reference_is_matched_by_title_and_names(verify, indexes):
    indexes.finds(WORK)
    indexes.work(WORK | {"updated-by": RETRACTED})
    wire = await verify("Brook, A., & Weir, L. (2019). How otters keep their stones. River Letters, 4, 1-9.")
    assert (wire["inputType"], wire["exists"], wire["matchConfidence"]) == ("reference", True, "high")
    assert (wire["verificationStatus"], wire["retractionCheck"]) == ("confirmed", "retracted")


@pytest.mark.parametrize(
    "reference",
    [
        "Miller, K., & Stone, R. (2019). How otters keep their stones. River Letters, 4, 1-9.",
        "Brook, A. (2019). How otters keep their stones warm in arctic winters. River Letters, 4, 1-9.",
        "Brook, A. (2019). How beavers keep their stones. River Letters, 4, 1-9.",
    ],
)
async def test_what_is_only_alike_is_a_possible_match(verify, indexes, reference):
    indexes.finds(WORK)
    wire = await verify(reference)
    assert (wire["exists"], wire["verificationStatus"]) == (False, "uncertain")
    assert wire["possibleMatch"]["title"] == TITLE
    assert "matchedRecord" not in wire


MIRANDA = {
    "caseName": "Miranda v. Arizona",
    "citation": ["384 U.S. 436", "86 S. Ct. 1602"],
    "absolute_url": "/opinion/107252/miranda-v-arizona/",
    "dateFiled": "1966-06-13",
}


@pytest.mark.parametrize(
    ("citation", "status"),
    [
        ("Miranda v. Arizona, 384 U.S. 436 (1966)", "confirmed"),
        ("Miranda v. Arizona (1966)", "confirmed"),
        ("Miranda v. Arizona, 999 U.S. 436 (1966)", "uncertain"),
        ("Miranda v. Nebraska, 384 U.S. 436 (1966)", "uncertain"),
        ("Varghese v. China Southern Airlines Co., 384 U.S. 436 (1966)", "uncertain"),
        ("Miranda v. Nebraska, 925 F.3d 1339 (1966)", "not_found"),
        ("Miranda v. Ariz., 384 U.S. 436", "confirmed"),
        ("384 U.S. 436 (1966)", "confirmed"),
        ("925 F.3d 1339 (11th Cir. 2019)", "not_found"),
    ],
)
async def test_a_decision_is_found_by_its_parties_and_its_reporter(verify, indexes, citation, status):
    indexes.says("/courtlistener/api/rest/v4/search/", {"results": [MIRANDA]})
    wire = await verify(citation)
    assert wire["verificationStatus"] == status
    assert "courtlistener" in wire["searched"]
    if status == "confirmed":
        assert wire["matchedRecord"]["url"] == "https://www.courtlistener.com/opinion/107252/miranda-v-arizona/"
        assert "fields" not in wire
    if "Varghese" in citation:
        assert any("The reporter citation is that of Miranda v. Arizona" in note for note in wire["provenance"])


async def test_an_invented_case_is_not_found_and_it_is_said_where(verify, indexes):
    indexes.finds(WORK)
    indexes.says("/courtlistener/api/rest/v4/search/", {"results": []})
    wire = await verify("Varghese v. China Southern Airlines Co., 925 F.3d 1339 (11th Cir. 2019)")
    assert (wire["exists"], wire["verificationStatus"]) == (False, "not_found")
    assert sorted(wire["searched"]) == ["courtlistener", "crossref"]
    assert "court decisions" in wire["authenticityCaveat"]


class TestWithTwoIndexes:
    @pytest.fixture
    def environ(self, environ):
        return environ | {"OPENALEX_EMAIL": "ada@example.org"}

    @pytest.mark.parametrize("silent", ["/openalex/works", "/crossref/works"])
    async def test_a_work_that_the_silent_index_may_have_is_not_called_missing(self, verify, indexes, silent):
        indexes.finds()
        indexes.fail(silent)
        wire = await verify("Quist, I. (2008). Solar kilns of the southern coast. Kiln Studies.")
        assert "exists" not in wire
        assert (wire["verificationStatus"], wire["verificationReason"]) == ("uncertain", "lookup_error")

    async def test_what_neither_has_is_not_found(self, verify, indexes):
        indexes.finds()
        wire = await verify("Quist, I. (2008). Solar kilns of the southern coast. Kiln Studies.")
        assert (wire["verificationStatus"], wire["searched"]) == ("not_found", ["crossref", "openalex"])

    async def test_a_work_that_one_index_has_is_found_while_the_other_is_silent(self, verify, indexes):
        indexes.finds(WORK)
        indexes.work(WORK)
        indexes.fail("/openalex/works")
        assert (await verify(f"Brook, A. (2019). {TITLE}. River Letters."))["verificationStatus"] == "confirmed"


async def test_a_decision_that_only_the_silent_index_would_know_is_uncertain(verify, indexes):
    indexes.finds(WORK)
    indexes.fail("/courtlistener/api/rest/v4/search/")
    wire = await verify("Miranda v. Arizona, 384 U.S. 436 (1966)")
    assert "exists" not in wire
    assert wire["verificationStatus"] == "uncertain"


async def test_a_search_that_fails_finds_nothing_out(verify, indexes):
    indexes.fail("/crossref/works")
    wire = await verify("Brook, A. (2019). How otters keep their stones. River Letters.")
    assert "exists" not in wire
    assert (wire["verificationStatus"], wire["verificationReason"]) == ("uncertain", "lookup_error")


async def test_the_notice_of_a_retraction_is_not_the_work(verify, indexes):
    indexes.finds(WORK | {"DOI": "10.1234/n", "title": [f"Retraction note to: {TITLE}"]}, WORK)
    indexes.work(WORK)
    wire = await verify(f"Brook, A. (2019). {TITLE}. River Letters.")
    assert wire["matchedRecord"]["doi"] == DOI


@pytest.mark.parametrize(
    ("status", "exists", "verification", "outcome"),
    [
        (200, True, "confirmed", "live"),
        (404, False, "not_found", "dead"),
        (403, None, "uncertain", "blocked"),
        (500, None, "uncertain", "unreachable"),
    ],
)
async def test_a_link_is_what_its_server_says(verify, fake_hosts, status, exists, verification, outcome):
    fake_hosts.says("news.example", "/story", html("<p>x</p>"), status)
    wire = await verify("http://news.example/story")
    assert (wire["inputType"], wire.get("exists"), wire["verificationStatus"]) == ("url", exists, verification)
    assert (wire["linkOutcome"], wire["httpStatus"]) == (outcome, status)
    assert (wire["retractionCheck"], wire["retractionCheckReason"]) == ("unchecked", "not_a_doi")


def missing():
    return html(
        "<h1>Page not found</h1><p>The page you are looking for does not exist.</p>",
        "<title>Page not found | News</title>",
    )


async def test_a_page_that_says_it_is_missing_is_not_a_live_link(verify, fake_hosts, indexes):
    copy = "/web/20200102030405/http://soft.example/story"
    indexes.keeps("http://soft.example/story", "http://kept.example" + copy)
    fake_hosts.says("soft.example", "/story", missing())
    fake_hosts.says("kept.example", copy, html(f"<article><h1>Otters</h1><p>{OTTERS * 4}</p></article>"))
    wire = await verify("http://soft.example/story", "Otters use the same stone for more than a year")
    assert (wire["linkOutcome"], wire["httpStatus"], wire["verificationReason"]) == ("soft_404", 200, "soft_404")
    assert (wire.get("exists"), wire["verificationStatus"]) == (None, "uncertain")
    assert any("says that the content does not exist" in note for note in wire["provenance"])
    assert (wire["claimSupport"], wire["claimSourceUrl"]) == ("addressed", "http://kept.example" + copy)


async def test_an_article_on_missing_pages_is_a_live_link(verify, fake_hosts):
    story = html(
        f"<article><h1>Not found: a story</h1><p>{OTTERS * 4}</p></article>", "<title>Not found: a story</title>"
    )
    fake_hosts.says("news.example", "/story", story)
    wire = await verify("http://news.example/story")
    assert (wire["linkOutcome"], wire["verificationStatus"]) == ("live", "confirmed")


async def test_a_missing_page_is_not_read_for_the_claim(verify, fake_hosts, indexes):
    indexes.work(WORK | {"abstract": OTTERS})
    fake_hosts.says("soft.example", "/story", missing())
    wire = await verify(f"{DOI} http://soft.example/story", "Otters use the same stone for more than a year")
    assert wire["linkOutcome"] == "soft_404"
    assert wire["claimSupport"] == "addressed"
    assert "soft.example" not in wire["claimSourceUrl"]


@pytest.mark.parametrize(
    "citation",
    ["({})", "<{}>", "“{}”", "[A story]({})", "{};", "{}.", "«{}»", "{}", "See {}.", "Available at: {} (accessed 3 May 2020)", "Brook, A. Otters. Retrieved from {}"],
)  # fmt: skip
@pytest.mark.parametrize("path", ["/story", "/wiki/Otter_(animal)"])
async def test_marks_around_a_link_are_no_part_of_it(verify, fake_hosts, indexes, citation, path):
    fake_hosts.says("news.example", path, html(f"<article><h1>Otters</h1><p>{OTTERS * 4}</p></article>"))
    wire = await verify(citation.format(f"http://news.example{path}"))
    assert (wire["linkOutcome"], wire["httpStatus"]) == ("live", 200)
    assert wire["inputType"] == ("reference" if citation[0] in "B[" else "url")
    assert indexes.list_requests("wayback") == []


async def test_an_address_without_its_scheme_is_a_link(verify, fake_hosts):
    fake_hosts.says("www.news.example", "/story", html(f"<article><h1>Otters</h1><p>{OTTERS * 4}</p></article>"))
    wire = await verify("www.news.example/story")
    assert (wire["inputType"], wire["linkOutcome"]) == ("url", "live")


async def test_user_names_and_passwords_in_a_link_are_sent_to_nobody(verify, fake_hosts, indexes):
    indexes.finds()
    fake_hosts.says("gone.example", "/story", "", 410)
    wire = await verify("Brook, A. (2020). The price of timber. River News. http://ada:secret@gone.example/story")
    assert wire["linkOutcome"] == "dead"
    asked = [unquote(request.path) for request in indexes.site.requests]
    assert any("gone.example" in query for query in asked)
    assert not any("secret" in query for query in asked)
    assert "secret" not in json.dumps(wire["provenance"])


CHALLENGE = "<title>Just a moment...</title><p>Checking your browser. Enable JavaScript and cookies to continue.</p>"
SIGN_IN = "<title>Log in</title><form><h1>Sign in to continue</h1>Please log in. <input type=password></form>"


@pytest.mark.parametrize("page", [CHALLENGE, SIGN_IN])
async def test_a_check_for_robots_or_a_sign_in_page_is_not_the_page(verify, fake_hosts, page):
    fake_hosts.says("shy.example", "/story", page)
    wire = await verify("http://shy.example/story")
    assert (wire["linkOutcome"], wire["verificationStatus"]) == ("blocked", "uncertain")
    assert "exists" not in wire


async def test_a_web_page_that_a_reference_cites_is_identified_by_its_title(verify, fake_hosts, indexes):
    indexes.finds()
    page = html(
        f"<article><h1>A night with otters</h1><p>{OTTERS * 4}</p></article>", "<title>A night with otters</title>"
    )
    fake_hosts.says("news.example", "/story", page)
    wire = await verify("Brook, A. (2020). A night with otters. River News. http://news.example/story")
    assert (wire["exists"], wire["verificationStatus"], wire["titleMatch"]) == (True, "confirmed", "match")
    fake_hosts.says("news.example", "/a-night-with-otters", page)
    wire = await verify("Brook, A. (2020). The price of timber. River News. http://news.example/a-night-with-otters")
    assert "exists" not in wire
    assert (wire["verificationStatus"], wire["verificationReason"]) == ("uncertain", "only_link_checked")
    assert "A night with otters" in wire["authenticityCaveat"]


@pytest.mark.parametrize(
    ("reference", "is_confirmed"),
    [
        ("World River Organization. (2021). A report on beavers.", False),
        ("World River Organization, A report on beavers,", False),
        ("Brook, A. (2020). A report on beavers. World River Organization.", False),
        ("Brook, A. (2020). World River Organization. River Press.", True),
        ("World River Organization. (accessed 3 May 2021)", True),
    ],
)
async def test_a_page_with_the_name_of_the_author_or_the_journal_does_not_confirm_a_reference(
    verify, fake_hosts, indexes, reference, is_confirmed
):
    indexes.finds()
    page = html(
        f"<article><h1>World River Organization</h1><p>{OTTERS * 4}</p></article>",
        "<title>World River Organization</title>",
    )
    fake_hosts.says("rivers.example", "/", page)
    wire = await verify(f"{reference} http://rivers.example/")
    assert (wire.get("exists"), wire["verificationStatus"]) == (
        (True, "confirmed") if is_confirmed else (None, "uncertain")
    )


async def test_a_title_of_one_word_or_a_page_that_is_not_read_does_not_identify_a_reference(
    verify, fake_hosts, indexes
):
    indexes.finds()
    text = f"<article><h1>Otters</h1><p>{OTTERS * 4}</p></article>"
    fake_hosts.says("news.example", "/otters", html(text, "<title>Otters</title>"))
    wire = await verify("Brook, A. (2020). Otters. River News. http://news.example/otters")
    assert "exists" not in wire
    assert "'Otters', does not identify the reference" in wire["authenticityCaveat"]
    fake_hosts.says("news.example", "/empty", "")
    wire = await verify("Brook, A. (2020). The price of timber. River News. http://news.example/empty")
    assert (wire["linkOutcome"], wire["verificationReason"]) == ("live", "only_link_checked")
    assert "its page could not be read" in wire["authenticityCaveat"]


@pytest.mark.parametrize(("status", "outcome"), [(403, "blocked"), (500, "unreachable"), (404, "dead")])
async def test_only_a_dead_link_leaves_a_reference_not_found(verify, fake_hosts, indexes, status, outcome):
    indexes.finds()
    fake_hosts.says("news.example", "/story", "", status)
    wire = await verify("Brook, A. (2020). A night with otters. River News. http://news.example/story")
    is_dead = outcome == "dead"
    assert (wire["linkOutcome"], "exists" in wire) == (outcome, is_dead)
    assert wire["verificationStatus"] == ("not_found" if is_dead else "uncertain")
    assert wire["verificationReason"] == ("no_match" if is_dead else "link_not_read")


async def test_a_dead_link_comes_with_its_copy(verify, fake_hosts, indexes):
    indexes.keeps("http://gone.example/story", "http://web.archive.org/web/20200102030405/http://gone.example/story")
    fake_hosts.says("gone.example", "/story", "", 410)
    wire = await verify("http://gone.example/story")
    assert wire["archivedUrl"] == "https://web.archive.org/web/20200102030405/http://gone.example/story"


async def test_that_the_archive_is_silent_is_not_that_it_has_no_copy(verify, fake_hosts, indexes):
    indexes.says("/wayback/available", "busy", 503)
    fake_hosts.says("gone.example", "/story", "", 410)
    assert any("is unknown" in note for note in (await verify("http://gone.example/story"))["provenance"])


def paper(doi=DOI, title=TITLE, more=""):
    head = f'<title>{title}</title><meta name="citation_doi" content="{doi}"><meta name="citation_title" content="{title}">'
    return html(f"<article><h1>{title}</h1><p>{OTTERS * 4}</p>{more}</article>", head)


async def test_a_scholarly_page_is_checked_by_the_doi_that_it_states(verify, fake_hosts, indexes):
    indexes.work(WORK | {"updated-by": RETRACTED})
    indexes.says(f"/doi/api/handles/{DOI}", {"responseCode": 1, "values": []})
    fake_hosts.says("journal.example", "/7", paper())
    wire = await verify("http://journal.example/7")
    assert (wire["detectedDoi"], wire["retractionCheck"], wire["titleMatch"]) == (DOI, "retracted", "match")
    assert wire["verificationStatus"] == "confirmed"
    assert indexes.list_requests("crossref") == [f"/crossref/works/{DOI}"]  # the page's reader and the check ask once


async def test_a_page_that_borrows_a_doi_is_shown_with_both_domains(verify, fake_hosts, indexes):
    target = [{"index": 1, "type": "URL", "data": {"format": "string", "value": "https://press.real.example/7"}}]
    indexes.work(WORK)
    indexes.says(f"/doi/api/handles/{DOI}", {"responseCode": 1, "values": target})
    fake_hosts.says("journal-of-otters.example", "/7", paper(title="Miracle cures for tired investors and their banks"))
    wire = await verify("http://journal-of-otters.example/7")
    assert wire["domainMismatch"]["pageDomain"] == "journal-of-otters.example"
    assert wire["domainMismatch"]["registeredDomain"] == "real.example"
    assert (wire["titleMatch"], wire["verificationStatus"]) == ("mismatch", "uncertain")


async def test_a_page_whose_doi_does_not_exist_is_not_confirmed(verify, fake_hosts, indexes):
    indexes.no_work(DOI)
    fake_hosts.says("journal.example", "/7", paper())
    wire = await verify("http://journal.example/7")
    assert (wire["verificationStatus"], wire["verificationReason"]) == ("uncertain", "doi_not_registered")


async def test_a_doi_in_the_prose_of_an_ordinary_page_is_nobodys(verify, fake_hosts, indexes):
    fake_hosts.says(
        "blog.example", f"/x?ref={DOI}", html(f"<article><h1>Otters</h1><p>{OTTERS * 4} See {DOI}.</p></article>")
    )
    wire = await verify(f"http://blog.example/x?ref={DOI}")
    assert (wire["inputType"], wire["exists"]) == ("url", True)
    assert "detectedDoi" not in wire
    assert indexes.list_requests("crossref") == []


@pytest.mark.parametrize(
    ("claim", "support"),
    [
        ("Otters keep the same stone for over a year", "addressed"),
        ("The euro was introduced by twelve countries in January 2002", "not_addressed"),
    ],
)
async def test_a_claim_is_held_against_the_page(verify, fake_hosts, claim, support):
    fake_hosts.says("news.example", "/otters", html(f"<article><h1>Otters</h1><p>{OTTERS * 4}</p></article>"))
    wire = await verify("http://news.example/otters", claim)
    assert (wire["claim"], wire["claimSupport"]) == (claim, support)
    assert wire["claimSourceUrl"] == "http://news.example/otters"
    assert ("claimEvidence" in wire) == (support == "addressed")


@pytest.mark.parametrize(
    ("claim", "contrast"),
    [
        ("People have seen an otter lend its stone", True),
        ("Young otters fail to learn the habit from their mothers", True),
        ("Young otters were unable to learn the habit from their mothers", True),
        ("Young otters learn the habit from their mothers", None),
    ],
)
async def test_a_claim_that_the_source_denies_carries_the_signal(verify, fake_hosts, claim, contrast):
    fake_hosts.says("news.example", "/otters", html(f"<article><h1>Otters</h1><p>{OTTERS * 4}</p></article>"))
    assert (await verify("http://news.example/otters", claim)).get("contrastSignal") is contrast


async def test_a_source_that_cannot_be_read_addresses_nothing_and_denies_nothing(verify, fake_hosts):
    fake_hosts.says("news.example", "/otters", "", 403)
    wire = await verify("http://news.example/otters", "Otters keep stones")
    assert wire["claimSupport"] == "source_unavailable"
    assert "claimFetchError" in wire


async def test_a_claim_in_another_language_is_not_measured(verify, fake_hosts):
    fake_hosts.says("news.example", "/otters", html(f"<article><h1>Otters</h1><p>{OTTERS * 4}</p></article>"))
    wire = await verify(
        "http://news.example/otters", "Die Otter tragen ihre Steine und das wird nicht mit anderen geteilt"
    )
    assert (wire["claimSupport"], wire["claimCheckSkipped"]) == ("source_unavailable", True)
    assert "languages" in wire["claimCheckSkippedReason"]


async def test_the_dead_links_copy_is_read_for_the_claim(verify, fake_hosts, indexes):
    copy = "/web/20200102030405/http://gone.example/story"
    indexes.keeps("http://gone.example/story", "http://kept.example" + copy)
    fake_hosts.says("gone.example", "/story", "", 404)
    fake_hosts.says("kept.example", copy, html(f"<article><h1>Otters</h1><p>{OTTERS * 4}</p></article>"))
    wire = await verify("http://gone.example/story", "Otters use the same stone for more than a year")
    assert (wire["claimSupport"], wire["claimSourceUrl"]) == ("addressed", "http://kept.example" + copy)


async def test_a_claim_on_a_dead_link_without_a_copy_is_not_called_a_source_without_address(verify, fake_hosts):
    fake_hosts.says("gone.example", "/story", "", 410)
    wire = await verify("http://gone.example/story", "Otters keep stones")
    assert wire["claimSupport"] == "source_unavailable"
    assert wire["claimCheckSkippedReason"] == "No address is known at which the source can be read."


async def test_a_claim_that_was_compared_with_the_abstract_only_says_so(verify, indexes):
    indexes.work(WORK | {"abstract": OTTERS, "URL": ""})
    wire = await verify(DOI, "Otters use the same stone for more than a year")
    assert wire["claimSupport"] == "addressed"
    assert "Only the abstract was read." in wire["sparsityNote"]


async def test_a_claim_on_a_page_behind_a_paywall_says_that_a_part_was_read(verify, fake_hosts):
    paid = '<script type="application/ld+json">{"@type": "NewsArticle", "isAccessibleForFree": false}</script>'
    page = html(f"<article><h1>Otters</h1><p>{OTTERS * 4}</p></article>", paid)
    fake_hosts.says("news.example", "/paid", page)
    wire = await verify("http://news.example/paid", "Otters use the same stone for more than a year")
    assert wire["claimSupport"] == "addressed"
    assert "paywall" in wire["sparsityNote"]


async def test_a_sentence_that_shares_nothing_with_the_claim_is_no_evidence(verify, fake_hosts):
    fake_hosts.says("news.example", "/otters", html(f"<article><h1>Otters</h1><p>{OTTERS * 4}</p></article>"))
    wire = await verify("http://news.example/otters", "Glueballs decay quickly")
    assert (wire["claimSupport"], wire["claimCoverage"]) == ("partially_addressed", 0.0)
    assert "claimEvidence" not in wire


async def test_no_claim_costs_no_reading(verify, fake_hosts):
    fake_hosts.says("news.example", "/otters", html(f"<article><p>{OTTERS}</p></article>"))
    await verify("http://www.reuters.com/story")
    assert [visit.method for visit in fake_hosts.visits if visit.method == "GET"] == []


@pytest.mark.parametrize(
    ("citation", "status"),
    [
        (DOI, "uncertain"),
        ("http://slow.example/story", "uncertain"),
        ("Brook, A. (2019). How otters sleep. Letters.", "uncertain"),
    ],
)
async def test_when_time_runs_out_what_is_known_is_reported(services, indexes, fake_hosts, site, citation, status):
    fake_hosts.says("slow.example", "/story", "x")
    fake_hosts.seconds = 30.0
    for path in ("/crossref/works", f"/crossref/works/{DOI.replace('/', '%2F')}", f"/doi/api/handles/{DOI}"):
        indexes.says(path, {})
        site.pages[path].before = lambda: held.wait(20)
    held = threading.Event()
    ctx = Context(services, Caller())
    ctx.deadline = asyncio.get_running_loop().time() + 3.0
    reply = await invoke("verify_citation", {"citation": citation, "claim": "Otters sleep"}, ctx)
    held.set()
    assert reply.error is None
    assert reply.wire["verificationStatus"] == status
    assert reply.wire["claimSupport"] == "source_unavailable"


@pytest.mark.parametrize("citation", ["", " "])
async def test_something_must_be_cited(ask, citation):
    error = (await ask("verify_citation", citation=citation)).error
    assert (error.kind, error.field) == ("validation", "citation")


async def test_a_claim_has_an_end(ask):
    assert (await ask("verify_citation", citation=DOI, claim="é" * 1_500)).error.field == "claim"


@pytest.mark.parametrize(
    "citation", ["http://169.254.169.254/latest/", "http://[::1", "10.", "doi:", "https://", "\u202e" + DOI, "()" * 900]
)
async def test_odd_citations_are_answered(verify, fake_hosts, citation):
    wire = await verify(citation)
    assert wire["verificationStatus"] in ("uncertain", "not_found")
    assert fake_hosts.visits == []


@pytest.mark.parametrize(
    "citation",
    ["9780306406158", "ISBN 978-0-306-40615-8", "ISBN-10: 0-306-40615-3", "eISBN: 9780306406150", "0306406151."],
)
async def test_an_isbn_whose_check_digit_is_wrong_is_reported_and_not_looked_up(verify, site, citation):
    wire = await verify(citation)
    assert (wire["verificationStatus"], wire["verificationReason"]) == ("uncertain", "isbn_invalid")
    assert "not valid" in wire["provenance"][0]
    assert "exists" not in wire
    assert site.requests == []


@pytest.mark.parametrize("citation", ["9780306406157", "ISBN 978 0 306 40615 7", "0-306-40615-2", "ISBN 080442957X"])
async def test_an_isbn_alone_is_not_accused_where_nobody_knows_books(verify, citation):
    wire = await verify(citation)
    assert (wire["verificationStatus"], wire["verificationReason"]) == ("uncertain", "isbn_not_looked_up")
    assert "exists" not in wire


async def test_a_wrong_isbn_within_a_reference_is_reported_with_what_is_found(verify, indexes):
    indexes.finds(WORK)
    wire = await verify(f"Brook, A., & Weir, L. (2019). {TITLE}. River Letters. ISBN 978-0-306-40615-8.")
    assert wire["verificationStatus"] == "confirmed"
    assert any("9780306406158 is not valid" in note for note in wire["provenance"])


@pytest.mark.parametrize("citation", ["Brook, A. (2019). Otters, call 555 0100 200 now", "1234567", "10.1234567890"])
async def test_other_numbers_are_not_isbnsss(verify, citation):
    assert "isbn" not in (await verify(citation)).get("verificationReason", "")


CYRILLIC = DOI.replace("o", "\u043e", 1)


@pytest.mark.parametrize("citation", [CYRILLIC, f"https://doi.org/{CYRILLIC}"])
async def test_a_doi_with_letters_that_only_look_latin_is_named_and_not_looked_up_as_another(verify, indexes, citation):
    assert CYRILLIC != DOI
    indexes.work(WORK)
    indexes.no_work(CYRILLIC)
    wire = await verify(citation)
    assert wire["exists"] is False
    assert wire["verificationReason"] == "doi_homoglyphs"
    assert "'\u043e' (U+043E CYRILLIC SMALL LETTER O)" in wire["authenticityCaveat"]
    assert f"it would be {DOI}" in wire["authenticityCaveat"]
    assert wire["authenticityCaveat"] in wire["provenance"]
    assert f"/crossref/works/{DOI}" not in indexes.list_requests("crossref")


async def test_a_doi_whose_prefix_only_looks_like_one_is_named(verify, indexes):
    wire = await verify(f"Otters and their stones. doi:{DOI.replace('3', chr(0x417))}")
    assert f"seems to contain the DOI {DOI}" in wire["authenticityCaveat"]
    assert f"/crossref/works/{DOI}" not in indexes.list_requests("crossref")


@pytest.mark.parametrize(
    "written",
    [
        DOI.replace("1", "\uff11").replace("/", "\uff0f"),
        DOI.replace("otters", "ot\u200bt\u00aders\ufeff"),
        f"https://doi.org/{quote(quote(DOI, safe=''), safe='')}",
        f"Brook, A. How otters keep their stones. doi:{DOI.replace('/', '/' + chr(10))}",
        f"Brook, A. How otters keep their stones. https://doi.org/{DOI[:12]}{chr(10)}{DOI[12:]}",
        f"{DOI.upper()}.).",
    ],
)
async def test_a_doi_in_another_spelling_is_looked_up_as_what_it_is(verify, indexes, written):
    indexes.work(WORK)
    wire = await verify(written)
    assert (wire["input"], wire["exists"], wire["matchedRecord"]["doi"]) == (written, True, DOI)
    assert wire["titleMatch"] in ("match", "not_checked")


async def test_look_alike_letters_in_names_are_named_and_read_as_latin(verify, indexes):
    indexes.finds(WORK)
    indexes.work(WORK)
    wire = await verify(f"Br\u043e\u043ek, A., & Weir, L. (2019). {TITLE.replace('o', chr(0x43E))}. River Letters.")
    assert wire["verificationStatus"] == "confirmed"
    assert "homoglyphs" in wire["authenticityCaveat"]
    assert "'Brook'" in wire["authenticityCaveat"]
    russian = await verify("\u0421\u043e\u043a\u043e\u043b\u043e\u0432 \u0410. Otters. 2019.")
    assert "homoglyphs" not in russian.get("authenticityCaveat", "")


PUBMED = {
    "uid": "31234567", "title": f"{TITLE}.", "pubdate": "2019 Mar", "sortpubdate": "2019/03/01 00:00", "source": "River Lett",
    "authors": [{"name": "Brook A", "authtype": "Author"}], "articleids": [{"idtype": "doi", "value": DOI}],
}  # fmt: skip


def answer_pubmed(indexes, row):
    indexes.says("/pubmed/esearch.fcgi", {"esearchresult": {"idlist": [row["uid"]], "count": "1"}})
    indexes.says("/pubmed/esummary.fcgi", {"result": {"uids": [row["uid"]], row["uid"]: row}})


@pytest.mark.parametrize(
    "citation", ["PMID: 31234567", "PMC6543210", f"Brook, A. (2019). {TITLE}. River Letters. PMID 31234567."]
)
async def test_a_number_of_pubmed_leads_to_the_work_and_its_doi(verify, indexes, citation):
    indexes.work(WORK)
    answer_pubmed(indexes, PUBMED)
    wire = await verify(citation)
    assert (wire["verificationStatus"], wire["matchedRecord"]["doi"], wire["retractionCheck"]) == (
        "confirmed",
        DOI,
        "clear",
    )
    assert wire["provenance"][0].startswith("PubMed has a record")


async def test_a_number_of_pubmed_that_names_another_work_is_not_confirmed(verify, indexes):
    indexes.work(WORK)
    answer_pubmed(indexes, PUBMED)
    wire = await verify("Quist, I. (2008). Solar kilns of the southern coast. Kiln Studies. PMID 31234567.")
    assert (wire["verificationStatus"], wire["verificationReason"]) == ("uncertain", "title_mismatch")


async def test_a_number_that_pubmed_lacks_is_not_found_and_an_outage_says_nothing(verify, indexes):
    answer_pubmed(indexes, {"uid": "31234567", "error": "cannot get document summary"})
    wire = await verify("PMID: 31234567")
    assert (wire["exists"], wire["verificationReason"]) == (False, "pmid_not_registered")
    assert wire["provenance"] == [wire["authenticityCaveat"]]
    indexes.fail("/pubmed/esummary.fcgi")
    wire = await verify("PMID: 31234568")
    assert "exists" not in wire
    assert (wire["verificationStatus"], wire["verificationReason"]) == ("uncertain", "lookup_error")


async def test_an_rfc_is_found_by_its_own_doi(verify, indexes):
    indexes.work(WORK | {"DOI": "10.17487/rfc9110", "title": ["HTTP Semantics"]})
    for citation in ("RFC 9110", "Fielding, R. (2022). HTTP Semantics. RFC 9110."):
        wire = await verify(citation)
        assert (wire["verificationStatus"], wire["matchedRecord"]["doi"]) == ("confirmed", "10.17487/rfc9110")
    indexes.no_work("10.17487/rfc9999")
    assert (await verify("Quist, I. Kiln protocol. RFC 9999."))["verificationReason"] == "kind_not_indexed"


async def test_a_near_miss_of_a_retracted_work_names_it(verify, indexes):
    indexes.finds(WORK)
    indexes.work(WORK | {"updated-by": RETRACTED})
    wire = await verify(f"Brook, A., & Weir, L. (2019). {TITLE.replace('stones', 'shells')}. River Letters.")
    assert wire["verificationStatus"] != "confirmed"
    assert [work["doi"] for work in wire["similarRetracted"]] == [DOI]
    assert "is retracted" in wire["authenticityCaveat"]
    indexes.work(WORK)
    wire = await verify(f"Brook, A., & Weir, L. (2019). {TITLE.replace('stones', 'pebbles')}. River Letters.")
    assert "similarRetracted" not in wire
