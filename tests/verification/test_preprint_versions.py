"""A preprint and its publication are told apart and linked, each with its own notices."""

import pytest

from assay.net.provider_client import ProviderClient


def work(name, title, **more):
    known = {"doi": f"10.71234/{name}", "title": title, "authors": [["Di", "Marsh"]], "journal": "River Letters",
             "year": 2015, "agency": "crossref", "notice": None}  # fmt: skip
    return known | more


def linked(kind, name):
    return {"relation": {kind: [{"id": f"10.71234/{name}", "id-type": "doi", "asserted-by": "subject"}]}}


TITLE = "Herons at the edge of frozen ponds"
MADE = {
    "works": [
        work(
            "pre.1", TITLE, crossref=linked("is-preprint-of", "pub.1") | {"type": "posted-content"}, notice="correction"
        ),
        work("pub.1", TITLE, crossref=linked("has-preprint", "pre.1"), notice="retraction"),
        work("pre.2", "Otters under the ice of northern lakes", crossref={"type": "posted-content"}, journal="bioRxiv"),
        work("pub.2", "Otters under the ice of northern lakes", notice="expression_of_concern"),
        work("x", TITLE, agency="datacite") | {"doi": "10.48550/arxiv.2105.01234"},
        work("y", "Moles under the lawns", agency="datacite") | {"doi": "10.48550/arxiv.2105.09999"},
        work("alone", "Eels in the canals of old towns"),
    ],
    "down": [],
    "sites": {},
    "preprints": {
        "2105.01234": {"title": TITLE, "doi": "10.71234/pub.1", "ref": "River Letters 12"},
        "2105.09999": {"title": "Moles", "doi": "", "ref": "Field Letters 3 (2022) 1-9"},
    },
}


@pytest.fixture
def environ(environ, citation_services):
    return environ | citation_services.environ


@pytest.fixture
def versions(cited_services, ask):

    async def versions(doi, title):
        cited = (await ask("verify_citation", citation=doi)).wire
        [entry] = (await ask("audit_bibliography", entries=[{"doi": doi, "title": title, "author": "Marsh, Di"}])).wire[
            "entries"
        ]
        return cited.get("versions"), entry.get("versions")

    return versions


@pytest.mark.parametrize(
    ("name", "other", "kind", "check", "notice"),
    [
        ("pre.1", "pub.1", "published", "retracted", "retraction"),
        ("pub.1", "pre.1", "preprint", "flagged", "correction"),
    ],
)
async def test_versions_that_the_index_links_come_with_their_notices(versions, name, other, kind, check, notice):
    for [version] in await versions(f"10.71234/{name}", TITLE):
        assert (version["doi"], version["kind"], version["basis"]) == (f"10.71234/{other}", kind, "linked")
        assert (version["retractionCheck"], version["retractionStatus"]["kind"]) == (check, notice)


async def test_an_unlinked_preprint_is_searched_by_its_title_when_a_bibliography_is_audited(versions):
    cited, [version] = await versions("10.71234/pre.2", "Otters under the ice of northern lakes")
    assert cited is None
    assert (version["doi"], version["kind"], version["basis"]) == ("10.71234/pub.2", "published", "same_title")
    assert version["retractionStatus"]["kind"] == "expression_of_concern"


async def test_a_work_without_other_versions_has_none(versions):
    assert await versions("10.71234/alone", "Eels in the canals of old towns") == (None, None)


async def test_a_notice_that_could_not_be_looked_up_leaves_the_version_unchecked(versions, citation_services):
    citation_services.down.add("10.71234/pub.1")
    for [version] in await versions("10.71234/pre.1", TITLE):
        assert (version["doi"], version["retractionCheck"]) == ("10.71234/pub.1", "unchecked")
        assert "retractionStatus" not in version


async def test_arxiv_says_where_its_preprints_were_published(services, citation_services, ask):
    services.http = ProviderClient(services.settings, pause=0)
    entries = [{"doi": "10.48550/arXiv.2105.01234", "title": TITLE}, {"doi": "10.48550/arXiv.2105.09999"}]
    first, second = (await ask("audit_bibliography", entries=entries)).wire["entries"]
    [linked_version], [named] = first["versions"], second["versions"]
    assert (linked_version["doi"], linked_version["source"]) == ("10.71234/pub.1", "arxiv")
    assert linked_version["retractionStatus"]["kind"] == "retraction"
    assert (named["kind"], named["reference"], "doi" in named) == ("published", "Field Letters 3 (2022) 1-9", False)
    assert named["retractionCheck"] == "unchecked"
