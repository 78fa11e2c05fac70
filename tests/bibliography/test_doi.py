import pytest
from tests.support.processor_time import assert_quick

from assay.bibliography.doi import detect_doi, find, find_in_url, list_spellings, normalize

SICI = "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o"


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("see doi:10.1038/nature12968.", "10.1038/nature12968"),
        ("(10.1000/xyz123)", "10.1000/xyz123"),
        ("10.1000/a(b)c), and", "10.1000/a(b)c"),
        ("DOI 10.1016/S0140-6736(20)30183-5;", "10.1016/s0140-6736(20)30183-5"),
        ("10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O here", SICI),
        ("“10.1000/xyz”", "10.1000/xyz"),
        ("10.1000/xyz。后文", "10.1000/xyz"),
        ("10.1000/xyz（2019）", "10.1000/xyz"),
        ("doi: １０．１０００／ｘｙｚ１", "10.1000/xyz1"),
        ("10.1000/x\u200by\u00adz\ufeff", "10.1000/xyz"),
        ("10.1000/\n   xyz.2001", "10.1000/xyz.2001"),
        ("10.12/short", None),
        ("version 110.1000/x", None),
        ("10.1000/", None),
        ("no doi", None),
        ("", None),
    ],
)
def test_a_doi_is_found_without_the_sentence_around_it(text, doi):
    assert find(text) == doi


@pytest.mark.parametrize(
    ("url", "doi"),
    [
        ("https://doi.org/10.1000/xyz", "10.1000/xyz"),
        ("https://www.nejm.org/doi/full/10.1056/NEJMoa2034577", "10.1056/nejmoa2034577"),
        ("https://x.example/doi/10.1000/xyz/full", "10.1000/xyz"),
        ("https://x.example/doi/10.1000/xyz.pdf", "10.1000/xyz"),
        ("https://x.example/doi/epdf/10.1000/xyz?x=1#y", "10.1000/xyz"),
        ("https://x.example/doi/10.1000%2Fxyz/abstract", "10.1000/xyz"),
        ("https://doi.org/10.1000%252Fxyz", "10.1000/xyz"),
        ("https://x.example/article?doi=10.1000%2Fxyz&a=b", "10.1000/xyz"),
        ("https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0000001", "10.1371/journal.pone.0000001"),
        ("https://www.biorxiv.org/content/10.1101/2020.01.02.123456v2.full", "10.1101/2020.01.02.123456"),
        ("https://x.example/doi/10.1002/(SICI)1097-4571(199806)49:8%3C693::AID-ASI4%3E3.0.CO;2-O/abstract", SICI),
        ("https://x.example/tea", None),
    ],
)
def test_an_address_gives_its_doi_without_the_view(url, doi):
    assert find_in_url(url) == doi


@pytest.mark.parametrize("text", ["10.1000/xyz", "doi: 10.1000/XYZ", "https://dx.doi.org/10.1000/xyz", "10.1000%2Fxyz"])
def test_a_doi_may_be_given_in_many_ways(text):
    assert normalize(text) == "10.1000/xyz"


def test_the_metadata_go_before_the_address_and_the_address_before_the_text():
    url, text = "https://x.example/doi/10.1000/address", "Title\ndoi 10.1000/text"
    assert detect_doi(url, "10.1000/meta", text, "peer_reviewed") == "10.1000/meta"
    assert detect_doi(url, None, text, "peer_reviewed") == "10.1000/address"
    assert detect_doi("https://x.example/tea", None, text, "peer_reviewed") == "10.1000/text"
    assert detect_doi(url, "not a doi", text, "peer_reviewed") == "10.1000/address"


def test_a_page_that_is_not_a_paper_has_no_doi_whatever_it_quotes():
    assert detect_doi("https://x.example/doi/10.1000/a", "10.1000/meta", "10.1000/text", "blog") is None


def test_a_journals_host_is_enough():
    assert detect_doi("https://www.nejm.org/x", None, "doi 10.1056/abc", "unknown") == "10.1056/abc"


def test_what_others_wrote_is_not_the_papers_own():
    assert (
        detect_doi("https://x.example/t", None, "Title\n\n## References\n\n1. Lee. 10.1000/other", "peer_reviewed")
        is None
    )
    assert detect_doi("https://x.example/t", None, "x" * 4_000 + " 10.1000/late", "peer_reviewed") is None


def test_hostile_text_costs_little_time():
    assert_quick(lambda: find("10.1000/" * 50_000 + "(" * 50_000), 1)
    assert_quick(lambda: find_in_url("https://x.example/10.1000/" + ".pdf" * 20_000 + "!"), 1)
    assert_quick(lambda: detect_doi("https://x.example", None, "\n" * 100_000, "peer_reviewed"), 1)


@pytest.mark.parametrize(
    ("name", "spellings"),
    [
        ("10.1038/nature12373", []),
        ("10.1093/curlew.7", []),
        ("10.1038/nature12373/full", ["10.1038/nature12373"]),
        ("10.1038/nature12373pmid:23903748", ["10.1038/nature12373"]),
        ("10.1038/nature12373.epub", ["10.1038/nature12373"]),
        ("10.1038/nature12373https://doi.org/10.1038/nature12373", ["10.1038/nature12373"]),
        ("10.1016/s0140–6736(97)11096‐0", ["10.1016/s0140-6736(97)11096-0"]),
        ("10.1038/na-ture12373", ["10.1038/nature12373"]),
        ("10.48550/arxiv.2101.00001v2", ["10.48550/arxiv.2101.00001"]),
    ],
)
def test_the_spellings_that_an_unregistered_doi_may_have_had_are_listed(name, spellings):
    assert list_spellings(name) == spellings
