"""The names of works, in every form in which they are written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.bibliography.identifiers import Identifier, build_doi_url, identify, identify_url
from assay.text.url_text import parse_http_url

SICI = "10.1002/(sici)1097-4571(199806)49:8<693::aid-asi4>3.0.co;2-o"

FORMS = [
    ("10.1038/nature12373", "doi", "10.1038/nature12373"),
    (" 10.1038/NATURE12373 ", "doi", "10.1038/nature12373"),
    ("doi:10.1038/nature12373", "doi", "10.1038/nature12373"),
    ("DOI: 10.1038/nature12373", "doi", "10.1038/nature12373"),
    ("doi 10.1038/nature12373", "doi", "10.1038/nature12373"),
    ("https://doi.org/10.1038/nature12373", "doi", "10.1038/nature12373"),
    ("http://dx.doi.org/10.1038/nature12373", "doi", "10.1038/nature12373"),
    ("https://www.nature.com/articles/10.1038/nature12373.pdf", "doi", "10.1038/nature12373"),
    ("10.1016/S0140-6736(97)11096-0", "doi", "10.1016/s0140-6736(97)11096-0"),
    ("10.1002/(SICI)1097-4571(199806)49:8<693::AID-ASI4>3.0.CO;2-O", "doi", SICI),
    (
        "https://doi.org/10.1002/%28SICI%291097-4571%28199806%2949%3A8%3C693%3A%3AAID-ASI4%3E3.0.CO%3B2-O",
        "doi",
        SICI,
    ),
    ("10.1000.10/123456", "doi", "10.1000.10/123456"),
    ("10.48550/arXiv.1706.03762", "arxiv", "1706.03762"),
    ("https://doi.org/10.48550/arXiv.hep-th/9901001", "arxiv", "hep-th/9901001"),
    ("1706.03762", "arxiv", "1706.03762"),
    ("1706.03762v7", "arxiv", "1706.03762"),
    ("0704.0001", "arxiv", "0704.0001"),
    ("arXiv:1706.03762v7", "arxiv", "1706.03762"),
    ("arxiv: 1706.03762", "arxiv", "1706.03762"),
    ("hep-th/9901001", "arxiv", "hep-th/9901001"),
    ("math.GT/0309136v2", "arxiv", "math.GT/0309136"),
    ("cond-mat/0703470", "arxiv", "cond-mat/0703470"),
    ("https://arxiv.org/abs/1706.03762v7", "arxiv", "1706.03762"),
    ("https://arxiv.org/pdf/1706.03762.pdf", "arxiv", "1706.03762"),
    ("http://www.arxiv.org/pdf/hep-th/9901001v1", "arxiv", "hep-th/9901001"),
    ("PMID: 19872477", "pmid", "19872477"),
    ("pmid:19872477", "pmid", "19872477"),
    ("https://pubmed.ncbi.nlm.nih.gov/19872477/", "pmid", "19872477"),
    ("PMC2323736", "pmcid", "PMC2323736"),
    ("pmc2323736", "pmcid", "PMC2323736"),
    ("PMCID: PMC2323736.1", "pmcid", "PMC2323736"),
    ("PMCID: 2323736", "pmcid", "PMC2323736"),
    ("https://pmc.ncbi.nlm.nih.gov/articles/PMC2323736/", "pmcid", "PMC2323736"),
    ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC2323736/pdf/x.pdf", "pmcid", "PMC2323736"),
    ("W2741809807", "openalex", "W2741809807"),
    ("https://openalex.org/W2741809807", "openalex", "W2741809807"),
    ("W12", "openalex", "W12"),
    ("https://openalex.org/works/W12", "openalex", "W12"),
    ("w123456789012345", "openalex", "W123456789012345"),
    ("649def34f8be52c8b66281af98ae884c09aef38b", "s2", "649def34f8be52c8b66281af98ae884c09aef38b"),
    (
        "https://www.semanticscholar.org/paper/Construction/649def34f8be52c8b66281af98ae884c09aef38b",
        "s2",
        "649def34f8be52c8b66281af98ae884c09aef38b",
    ),
    ("CorpusId:215416146", "s2", "CorpusId:215416146"),
]


@pytest.mark.parametrize(("text", "kind", "value"), FORMS)
def test_a_name_is_known_however_it_is_written(text, kind, value):
    assert identify(text) == Identifier(kind, value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "otters",
        "otters 10.1038/nature12373",
        "10.1038/nature12373 and more",
        "10.1038/",
        "10.x/y",
        "19872477",
        "1713.00001",
        "1700.12345",
        "2023.12345 budget",
        "PMC",
        "COVID-19",
        "arXiv:otters",
        "PMID: x1",
        "doi:otters",
        "https://example.org/otters",
        "https://arxiv.org/list/cs.CL/recent",
        "javascript:10.1038/nature12373",
        "hep-th/99010",
    ],
)
def test_what_only_looks_like_one_or_stands_among_words_is_none(text):
    assert identify(text) is None


def test_a_short_bare_openalex_id_is_none_in_a_search():
    assert identify("W3110", in_search=True) is None
    assert identify("openalex:W3110", in_search=True) == Identifier("openalex", "W3110")
    assert identify("W2741809807", in_search=True) == Identifier("openalex", "W2741809807")


@given(st.text(max_size=200))
def test_any_text_is_read_without_a_fault(text):
    for result in (identify(text), identify_url(f"https://doi.org/{text}")):
        assert result is None or result.value


@pytest.mark.parametrize("name", [SICI, "10.1038/nature12373", "10.1234/a b", "10.1234/a#b?c", "10.1234/ü%2f"])
def test_the_address_of_a_doi_leads_back_to_it(name):
    at = parse_http_url(build_doi_url(name))
    assert at is not None
    assert at.host == "doi.org"
    assert not at.search
    result = identify_url(at.href)
    assert " " in name or "?" in name or "#" in name or "%" in name or result == Identifier("doi", name)


def test_a_work_at_arxiv_has_a_doi_and_a_pdf():
    name = identify("math.GT/0309136")
    assert name.doi == "10.48550/arxiv.math.gt/0309136"
    assert name.pdf_url == "https://arxiv.org/pdf/math.GT/0309136"
    assert identify("PMID: 1").doi is None
