"""Which records are one work, and what becomes of them."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.models.papers import Paper
from assay.scholarship.deduplication import build_title_key, flag_low_confidence, merge_papers, sort_papers


def a_paper(**more):
    output = {"title": "Otters and their stones in winter", "url": "https://doi.org/x", "source": "openalex"} | more
    return Paper(**output)


SAME = [
    ({"doi": "10.1/a", "title": "One"}, {"doi": "10.1/a", "title": "Quite another"}),
    ({"arxiv_id": "2101.00001"}, {"doi": "10.48550/arxiv.2101.00001", "title": "x"}),
    ({"pmid": "31", "title": "One"}, {"pmid": "31", "title": "Two"}),
    ({"pmcid": "PMC7", "title": "One"}, {"pmcid": "pmc7", "title": "Two"}),
    ({"year": 2020}, {"year": 2020, "title": "OTTERS & their Stones, in winter!".replace("&", "and")}),
    ({"year": 2020, "title": "Étude des loutres du Rhône"}, {"year": 2020, "title": "Etude des loutres du Rhone"}),
    ({"year": 2020, "doi": "10.1/a"}, {"year": 2020}),
    ({"year": 2021, "doi": "10.1/a"}, {"year": 2020, "doi": "10.1101/2020.01.01.1"}),
    ({"year": 2020, "authors": ["Ada Brook"]}, {"year": 2020, "authors": ["Brook A", "Reed B"]}),
]
OTHER = [
    ({"year": 2020, "doi": "10.1/a"}, {"year": 2020, "doi": "10.1/b"}),
    ({"year": 2020}, {"year": 2021}),
    ({"year": 2020}, {}),
    ({"year": 2020, "authors": ["Ada Brook"]}, {"year": 2020, "authors": ["Bo Reed"]}),
    ({"year": 2020, "title": "Editorial"}, {"year": 2020, "title": "Editorial"}),
    ({"year": 2020, "title": "Otters I"}, {"year": 2020, "title": "Otters II"}),
    ({"year": 2022, "doi": "10.1/a"}, {"year": 2019, "doi": "10.48550/arxiv.1901.00001"}),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_these_are_one_work_in_either_order(one, other):
    for first, second in itertools.permutations([a_paper(**one), a_paper(**other)]):
        assert len(merge_papers([first, second])) == 1


@pytest.mark.parametrize(("one", "other"), OTHER)
def test_these_are_two(one, other):
    for first, second in itertools.permutations([a_paper(**one), a_paper(**other)]):
        assert len(merge_papers([first, second])) == 2


def test_what_one_lacks_the_other_tells_and_is_named_for_it():
    one = a_paper(doi="10.1/a", citation_count=5)
    other = a_paper(
        doi="10.1/a", source="crossref", citation_count=9, abstract="Stones.", pdf_url="https://x.example/a.pdf"
    )
    [result] = merge_papers([one, other])
    assert (result.source, result.citation_count, result.abstract) == ("openalex", 5, "Stones.")
    assert result.fact_sources == {"abstract": "crossref", "pdfUrl": "crossref"}


def test_what_a_third_told_the_second_is_still_named_for_the_third():
    other = a_paper(
        doi="10.1/a", source="crossref", pdf_url="https://x.example/a.pdf", fact_sources={"pdfUrl": "unpaywall"}
    )
    [result] = merge_papers([a_paper(doi="10.1/a"), other])
    assert result.fact_sources == {"pdfUrl": "unpaywall"}


def test_one_providers_two_records_need_no_names():
    [result] = merge_papers([a_paper(doi="10.1/a"), a_paper(doi="10.1/a", abstract="Stones.")])
    assert result.fact_sources is None


def test_the_published_record_speaks_for_the_work_at_the_place_of_the_first():
    preprint = a_paper(
        doi="10.48550/arxiv.2101.00001", arxiv_id="2101.00001", year=2021, pdf_url="https://arxiv.org/pdf/2101.00001"
    )
    published = a_paper(doi="10.1/a", year=2021, journal="River Letters")
    [result, last] = merge_papers([preprint, a_paper(doi="10.1/z", title="Something else entirely here"), published])
    assert (result.doi, result.arxiv_id, result.pdf_url) == ("10.1/a", "2101.00001", "https://arxiv.org/pdf/2101.00001")
    assert last.doi == "10.1/z"


def test_by_date_the_newest_is_first_and_the_undated_last():
    papers = [a_paper(year=2020), a_paper(), a_paper(publication_date="2021-03-04", year=2021), a_paper(year=2022)]
    assert [paper.year for paper in sort_papers(papers, newest_first=True)] == [2022, 2021, 2020, None]
    assert sort_papers(papers, newest_first=False) == papers


def test_a_little_cited_twin_away_from_scholarly_hosts_is_doubted():
    real = a_paper(doi="10.1/a", citation_count=400, url="https://www.nature.com/a")
    twin = a_paper(doi="10.2/b", citation_count=3, url="https://papers.example/b")
    other = a_paper(title="Weasels of the northern hills", citation_count=0, url="https://papers.example/c")
    flag_low_confidence([real, twin, other])
    assert (real.low_confidence_domain, twin.low_confidence_domain, other.low_confidence_domain) == (None, True, None)
    close = [real, a_paper(doi="10.2/b", citation_count=45, url="https://papers.example/b")]
    flag_low_confidence(close)
    assert close[1].low_confidence_domain is None


NAMES = st.one_of(st.none(), st.sampled_from(["a", "b", "c"]))
PAPERS = st.lists(
    st.builds(
        lambda title, year, doi, pmid, author: a_paper(
            title=title, year=year, doi=doi and f"10.1/{doi}", pmid=pmid, authors=author and [author]
        ),
        st.sampled_from(["Otters of the cold north sea", "Editorial", "Weasels of the northern hills"]),
        st.one_of(st.none(), st.integers(2019, 2022)),
        NAMES,
        NAMES,
        st.one_of(st.none(), st.sampled_from(["Ada Brook", "Bo Reed"])),
    ),
    max_size=12,
)


@given(PAPERS)
def test_merging_adds_nothing_and_forgets_no_name(papers):
    once = merge_papers(papers)
    assert len(once) <= len(papers)
    assert {paper.doi for paper in papers if paper.doi} <= {paper.doi for paper in once} | {
        paper.doi for paper in papers if paper.pmid
    }
    assert {build_title_key(paper.title) for paper in once} <= {build_title_key(paper.title) for paper in papers}
