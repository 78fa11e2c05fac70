"""What cites a work and what it cites, by the path that every caller takes."""

import asyncio

import pytest
from tests.support.fake_scholarly_apis import addresses, paper, work

from assay.settings import Settings

SEED = "/paper/DOI:10.1234%2Fseed"
NOTICE = {"DOI": "10.1234/notice", "type": "expression_of_concern", "updated": {"date-time": "2024-05-01T00:00:00Z"}}


@pytest.fixture
def environ(environ, site):
    return environ | addresses(site.url) | {"OPENALEX_EMAIL": "ada@river.example"}


@pytest.fixture
def graph(ask, at_once):
    async def graph(**asked):
        return await ask("citation_graph", **({"paper": "10.1234/seed"} | asked))

    return graph


@pytest.fixture
def edges(scholarly_apis):
    """Two works cite the seed, which cites one."""

    def says(seed=SEED, citing=(1, 2), cited=(3,)):
        scholarly_apis.says(
            "semanticscholar",
            f"{seed}/citations",
            {
                "offset": 0,
                "data": [
                    {"intents": ["background"], "isInfluential": number % 2 == 0, "citingPaper": paper(number)}
                    for number in citing
                ],
            },
        )
        scholarly_apis.says(
            "semanticscholar",
            f"{seed}/references",
            {
                "data": [
                    {"intents": [], "isInfluential": False, "citedPaper": {"paperId": None, "title": None}},
                    *({"intents": ["methodology"], "isInfluential": False, "citedPaper": paper(one)} for one in cited),
                ]
            },
        )
        scholarly_apis.crossref()

    says()
    return says


async def test_both_directions_are_reported_with_why_they_cite(graph, edges, scholarly_apis):
    reply = await graph()
    assert reply.error is None
    assert set(reply.wire) == {
        "seed", "direction", "provider", "citedBy", "citedByCount", "references", "referencesCount", "trust",
    }  # fmt: skip
    output = reply.wire
    assert (output["seed"], output["direction"], output["provider"]) == ("10.1234/seed", "both", "semanticscholar")
    assert (output["citedByCount"], output["referencesCount"]) == (2, 1)
    assert output["citedBy"][1] == {
        "title": "Otters and their stones, part 2",
        "url": "https://doi.org/10.1234/otters.2",
        "source": "semanticscholar",
        "doi": "10.1234/otters.2",
        "authors": ["Ada Brook"],
        "journal": "River Letters",
        "year": 2022,
        "citationCount": 20,
        "openAccess": True,
        "pdfUrl": "https://river.example/2.pdf",
        "tldr": "Otters keep stones.",
        "isInfluential": True,
        "citationIntents": ["background"],
    }
    assert "Cited by: 2" in reply.text
    assert "cites as methodology" in reply.text
    for _, request in scholarly_apis.list_requests("semanticscholar"):
        assert request["fields"].startswith("intents,isInfluential,title,abstract")
        assert request["limit"] == "10"


@pytest.mark.parametrize(("direction", "shown"), [("cited_by", "citedBy"), ("references", "references")])
async def test_one_direction_asks_for_one_list(graph, edges, scholarly_apis, direction, shown):
    reply = await graph(direction=direction, num_results=1)
    assert {"citedBy", "references"} & set(reply.wire) == {shown}
    assert len(reply.wire[shown]) == reply.wire[f"{shown}Count"] == 1
    assert len(scholarly_apis.list_requests("semanticscholar")) == 1


async def test_retractions_of_all_are_looked_up_in_one_question(graph, edges, scholarly_apis):
    scholarly_apis.crossref({"DOI": "10.1234/otters.3", "updated-by": [NOTICE]})
    reply = await graph()
    [one] = reply.wire["references"]
    assert one["retractionStatus"]["kind"] == "expression_of_concern"
    assert one["retractionStatus"]["retracted"] is False
    assert one["factSources"] == {"retractionStatus": "crossref"}
    assert len(scholarly_apis.list_requests("crossref")) == 1


async def test_only_the_influential_ones_on_demand(graph, edges, scholarly_apis):
    reply = await graph(influential_only=True, direction="cited_by")
    assert [one["isInfluential"] for one in reply.wire["citedBy"]] == [True]
    assert scholarly_apis.list_requests("semanticscholar")[0][1]["limit"] == "200"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("https://doi.org/10.1234/seed", SEED),
        ("arXiv:2101.00001v3", "/paper/ARXIV:2101.00001"),
        ("hep-th/9901001", "/paper/ARXIV:hep-th%2F9901001"),
        ("PMID: 31", "/paper/PMID:31"),
        ("PMC77", "/paper/PMCID:77"),
        ("a" * 40, "/paper/" + "a" * 40),
    ],
)
async def test_a_work_goes_by_many_names(graph, edges, name, path):
    edges(seed=path)
    assert (await graph(paper=name)).wire["citedByCount"] == 2


async def test_a_title_is_matched_and_the_match_is_shown(graph, edges, scholarly_apis):
    edges(seed=f"/paper/{5:040x}")
    scholarly_apis.says("semanticscholar", "/paper/search/match", {"data": [paper(5, matchScore=120.5)]})
    reply = await graph(paper="Otters & their stones, Part 5")
    assert reply.wire["seedPaper"]["doi"] == "10.1234/otters.5"
    assert reply.wire["warnings"] == [
        "No work has exactly this title; the closest match, “Otters and their stones, part 5”, was used."
    ]
    exact = await graph(paper="OTTERS and their stones - part 5")
    assert "warnings" not in exact.wire


async def test_openalex_counts_without_reasons(graph, scholarly_apis):
    scholarly_apis.says("openalex", "/works/doi:10.1234%2Fseed", work(7))
    scholarly_apis.openalex(work(1), work(2))
    scholarly_apis.crossref()
    reply = await graph(provider="openalex", influential_only=True, num_results=2)
    assert reply.wire["provider"] == "openalex"
    assert reply.wire["seedPaper"]["title"] == "Otters and their stones, part 7"
    assert [len(reply.wire[name]) for name in ("citedBy", "references")] == [2, 2]
    assert "openalex does not mark influential" in reply.wire["warnings"][0]
    (_, seed), *lists = scholarly_apis.list_requests("openalex")
    assert "referenced_works" not in seed["select"]
    assert {request["filter"] for _, request in lists} == {"cites:W2000007", "cited_by:W2000007"}
    assert {request["per-page"] for _, request in lists} == {"2"}


async def test_openalex_takes_a_title_too(graph, scholarly_apis):
    scholarly_apis.openalex(work(1))
    scholarly_apis.crossref()
    reply = await graph(paper="Otters and their stones, part 1", provider="openalex", direction="cited_by")
    assert (
        scholarly_apis.list_requests("openalex")[0][1]["filter"] == "display_name.search:otters and their stones part 1"
    )
    assert reply.wire["seedPaper"]["doi"] == "10.1234/otters.1"


async def test_the_other_index_is_asked_when_the_first_is_down_or_does_not_know(graph, scholarly_apis):
    scholarly_apis.says("openalex", "/works/doi:10.1234%2Fseed", work(7))
    scholarly_apis.openalex(work(1))
    scholarly_apis.crossref()
    reply = await graph()
    assert reply.wire["provider"] == "openalex"
    assert reply.wire["warnings"] == ["semanticscholar failed (not_found)."]
    assert reply.meta["routing"]["providers_attempted"] == ["semanticscholar", "openalex"]


async def test_a_work_that_nobody_knows_is_not_found(graph):
    reply = await graph()
    assert reply.error.kind == "not_found"


@pytest.mark.parametrize("provider", ["crossref", "nobody", "brave"])
async def test_who_cannot_be_asked_is_refused_with_those_who_can(graph, edges, scholarly_apis, provider):
    failure = (await graph(provider=provider)).error
    assert failure.kind == "config"
    assert set(failure.alternatives) == {"openalex", "semanticscholar"}
    assert scholarly_apis.list_requests("semanticscholar") == []


async def test_withheld_references_are_said_to_be_withheld(graph, edges, scholarly_apis):
    scholarly_apis.says("semanticscholar", f"{SEED}/references", {"data": None, "citingPaperInfo": {}})
    reply = await graph()
    assert reply.wire["references"] == []
    assert "has no references of this work" in reply.wire["warnings"][0]


async def test_no_neighbours_is_an_answer_that_is_not_kept(graph, edges, scholarly_apis):
    edges(citing=(), cited=())
    for _ in range(2):
        reply = await graph(provider="semanticscholar")
        assert (reply.wire["citedBy"], reply.wire["references"]) == ([], [])
    assert len(scholarly_apis.list_requests("semanticscholar")) == 4


async def test_too_quick_is_asked_again_in_a_moment(graph, edges, scholarly_apis, site, services):
    services.settings = Settings.read(dict(services.settings.environ) | {"SEMANTIC_SCHOLAR_API_KEY": "k"})
    good = site.pages[f"/semanticscholar{SEED}/references"]
    scholarly_apis.says("semanticscholar", f"{SEED}/references", {"message": "Too Many Requests"}, 429)
    bad = site.pages[f"/semanticscholar{SEED}/references"]
    bad.before = lambda: site.pages.__setitem__(f"/semanticscholar{SEED}/references", good)
    reply = await graph()
    assert reply.wire["referencesCount"] == 1
    assert all(one.headers["x-api-key"] == "k" for one in site.requests if one.path.startswith("/semanticscholar"))


async def test_fifty_equal_calls_are_one_request_of_each_kind(graph, edges, scholarly_apis):
    replies = await asyncio.gather(*(graph() for _ in range(50)))
    assert {reply.wire["citedByCount"] for reply in replies} == {2}
    assert len(scholarly_apis.list_requests("semanticscholar")) == 2
    assert len(scholarly_apis.list_requests("crossref")) == 1


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"paper": ""}, "paper"),
        ({"paper": "x" * 501}, "paper"),
        ({"direction": "sideways"}, "direction"),
        ({"num_results": 26}, "num_results"),
        ({"num_results": 0}, "num_results"),
        ({"papers": "x"}, "papers"),
    ],
)
async def test_what_is_wrong_is_named(graph, wrong, field):
    failure = (await graph(**wrong)).error
    assert (failure.kind, failure.field) == ("validation", field)
