"""Works of kinds that no index here covers are told apart from works that are not found."""

import pytest

from assay.verification.identify import find_identifiers
from assay.verification.work_kinds import detect_kind


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Fielding, R. (2022). HTTP Semantics. RFC 9110.", "an Internet standard (RFC)"),
        ("Quist, I.: Solar kiln. US 10,123,456 B2 (2018)", "a patent"),
        ("US Patent 10,165,245 B2", "a patent"),
        ("Quist, I. Solar kiln. U.S. Patent No. 7,654,321, 2010.", "a patent"),
        ("Quist, I. Solar kiln. U.S. Patent Application Pub. No. 2010/0123456", "a patent"),
        ("Quist, I. Solar kiln. European patent 0 123 456, 1985", "a patent"),
        ("Quist, I. Solar kiln. Patent no. US20100123456A1", "a patent"),
        ("NCT01234567", "a registered trial"),
        ("Stones for otters. ISRCTN12345678.", "a registered trial"),
        ("EudraCT number 2015-001234-12", "a registered trial"),
        ("R (Miller) v Secretary of State [2017] UKSC 5", "a decision of a court outside the United States"),
        ("Mabo v Queensland (No 2) [1992] HCA 23", "a decision of a court outside the United States"),
        ("BGH, Urteil vom 12.03.2015 - VII ZR 123/14", "a decision of a court outside the United States"),
        ("BVerfGE 65, 1 (Volkszählung)", "a decision of a court outside the United States"),
        ("Google Spain, C-131/12, EU:C:2014:317", "a decision of a court outside the United States"),
        ("ECLI:NL:HR:2019:2006", "a decision of a court outside the United States"),
        ("Cass. civ. 1re, 25 février 1997, n° 94-19.685", "a decision of a court outside the United States"),
        ("§ 823 Abs. 1 BGB", "a law"),
        ("Art. 5 Abs. 1 GG", "a law"),
        ("Data Protection Act 2018, s 5 (UK)", "a law"),
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
        "Quist, I. (2019). Patent foramen ovale and stroke. River Letters, 12, 1014-1022.",
        "Quist, I. Patent ductus arteriosus in otters. River Letters 2019; 12(3): 1014.",
        "Quist, I. The economics of the patent, 1890-1914. River Press, 2001.",
        "A patently false theory of 2,000 otters",
        "Quist, I. (2012). Case C-13 of the otters: an act of kindness. River Letters 12/13, 2018.",
        "Otters of the court. In Art. Vol. 5, 2019.",
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
