"""Works of kinds that no index here covers are told apart from works that are not found."""

import pytest

from assay.verification.identify import find_identifiers
from assay.verification.work_kinds import detect_kind


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Fielding, R. (2022). HTTP Semantics. RFC 9110.", "an Internet standard (RFC)"),
        ("Quist, I.: Solar kiln. US 10,123,456 B2 (2018)", "a patent"),
        ("Directive 2001/29/EC of the European Parliament", "a law of the European Union"),
        ("Regulation (EU) 2016/679", "a law of the European Union"),
        ("42 U.S.C. § 1983", "a law of the United States"),
        ("ISO/IEC 27001:2022 Information security", "a standard"),
        ("Vasterling, L. (2011). Kilns. PhD thesis, University of Burela.", "a thesis"),
        ("Lindqvist K. Kupfer. Diss. Univ. Almenar 1999", "a thesis"),
        ("Quill B. Otters. ISBN 978-3-16-148410-0", "a book"),
    ],
)
def test_kinds_that_are_not_indexed_are_recognized(text, name):
    kind = detect_kind(text)
    assert kind is not None
    assert kind.name == name


@pytest.mark.parametrize(
    "text",
    [
        "Nakamori, H. (2003). Seasonal movement of honey bees. Annals of Slow Science, 12, 4.",
        "Regulation of iron in 2016 herders. River Letters 12/3, 2016.",
        "A patently false theory of 2,000 otters",
    ],
)
def test_articles_are_not_such_kind(text):
    assert detect_kind(text) is None


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("arXiv:1706.03762", "10.48550/arxiv.1706.03762"),
        ("arXiv: hep-th/9901001v2", "10.48550/arxiv.hep-th/9901001"),
        ("Quist, I. (2020). Kilns. arXiv:2001.00001v3", "10.48550/arxiv.2001.00001"),
        ("Quist, I. (2020). Kilns. https://arxiv.org/abs/2001.00001", "10.48550/arxiv.2001.00001"),
    ],
)
def test_an_arxiv_id_is_looked_up_by_its_doi(text, doi):
    assert find_identifiers(text)[0] == doi
