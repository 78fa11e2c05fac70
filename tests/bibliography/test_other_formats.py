"""Bibliographies of PubMed, EndNote, Typst and LaTeX, and lists of identifiers."""

import pytest

from assay.bibliography.notation import parse_bibliography
from assay.bibliography.person_names import Name

NBIB = """
PMID- 31234567
OWN - NLM
DP  - 2019 Mar 4
TI  - Stones that sea otters keep, and why they keep them through the whole of the
      winter.
PG  - 101-9
LID - 10.71234/otters.2019.7 [doi]
FAU - Brook, Ada Mary
AU  - Brook AM
FAU - de Vries, Jan
CN  - Otter Survey Group
PT  - Journal Article
TA  - J Slow Sci
JT  - Journal of slow science
VI  - 12
IP  - 3
PMC - PMC6543210
AID - S0000-0000 [pii]

PMID- 29999999
TI  - A second record.
AU  - Crane C
DP  - 2018 Winter
"""
ENDNOTE = """<?xml version="1.0" encoding="UTF-8"?>
<xml><records><record><rec-number>17</rec-number><ref-type name="Journal Article">17</ref-type>
<contributors><authors><author><style face="normal">Brook, Ada Mary</style></author><author>de Vries, Jan</author>
<author>Otter Survey Group,</author></authors></contributors>
<titles><title><style>Stones that <style face="italic">sea otters</style> keep</style></title>
<secondary-title>Journal of Slow Science</secondary-title></titles>
<pages>101-9</pages><volume>12</volume><number>3</number><dates><year>2019</year></dates>
<publisher>River Press</publisher><pub-location>Leeds</pub-location>
<electronic-resource-num>10.71234/Otters.2019.7</electronic-resource-num>
<urls><related-urls><url>https://a.example/otters</url></related-urls></urls></record>
<record><ref-type name="Book">6</ref-type><titles><title>Kilns</title></titles><isbn>978-3-16-148410-0</isbn></record>
</records></xml>"""
HAYAGRIVA = """# typst
otters:
    type: Article
    title:
        value: Stones that sea otters keep
        translation: x
    author: ["Brook, Ada Mary", {name: Vries, given-name: Jan, prefix: de}]
    date: 2019-03-04
    page-range: 101-9
    url: {value: "https://a.example/otters", date: 2020-01-01}
    serial-number:
        doi: 10.71234/Otters.2019.7
        pmid: "31234567"
    parent:
        type: Periodical
        title: Journal of Slow Science
        volume: 12
        issue: 3
kilns:
    type: Book
    title: no
    author: Crane, Carl
    publisher: {name: River Press, location: Leeds}
    serial-number: {isbn: 978-3-16-148410-0}
"""
BBL = r"""\begin{thebibliography}{9}
\bibitem[Brook and de~Vries(2019)]{otters}
A.~M. Brook and J.~de~Vries.
\newblock Stones that sea otters keep.
\newblock {\em Journal of Slow Science}, 12(3):101--9, 2019. \doi{10.71234/otters.2019.7}

\bibitem{kilns} % a comment
C. Crane. \textit{Kilns of the north}. River Press, Leeds, 2008.
\end{thebibliography}
"""
TITLE = "Stones that sea otters keep"


@pytest.mark.parametrize(
    ("text", "name"), [(NBIB, "nbib"), (ENDNOTE, "endnote-xml"), (HAYAGRIVA, "hayagriva"), (BBL, "bbl")]
)
def test_a_bibliography_is_recognized_and_its_fields_are_read(text, name):
    parsed = parse_bibliography(text)
    assert (parsed.format, parsed.total, parsed.unread) == (name, 2, ())
    work = parsed.entries[0]
    assert work.title.startswith(TITLE)
    assert [author.family for author in work.authors[:2]] == ["Brook", "de Vries"]
    assert (work.date[:4], work.container.lower()) == ("2019", "journal of slow science")
    assert (work.volume, work.issue, work.pages, work.doi) == ("12", "3", "101-9", "10.71234/otters.2019.7")
    assert work.kind == ("document" if name == "bbl" else "article-journal")
    assert text.split("\n")[work.line - 1].strip() != ""


def test_records_of_pubmed_state_their_numbers_and_groups():
    first, second = parse_bibliography(NBIB).entries
    assert first.title == f"{TITLE}, and why they keep them through the whole of the winter"
    assert (first.pmid, first.pmcid, first.date, first.key) == ("31234567", "PMC6543210", "2019-03-04", "31234567")
    assert first.authors[2] == Name("Otter Survey Group")
    assert (second.authors, second.date) == ((Name("Crane", "C"),), "2018")


def test_records_of_endnote_state_books_and_organizations():
    first, second = parse_bibliography(ENDNOTE).entries
    assert (first.authors[2], first.url) == (Name("Otter Survey Group"), "https://a.example/otters")
    assert (first.publisher, first.place) == ("River Press", "Leeds")
    assert (second.kind, second.isbn) == ("book", "978-3-16-148410-0")


def test_entries_of_hayagriva_take_from_their_parents_and_words_stay_words():
    first, second = parse_bibliography(HAYAGRIVA).entries
    assert (first.key, first.line, first.pmid, first.url) == ("otters", 2, "31234567", "https://a.example/otters")
    assert (second.title, second.publisher, second.place) == ("no", "River Press", "Leeds")
    assert second.isbn == "978-3-16-148410-0"


def test_items_of_latex_keep_their_keys():
    assert [work.key for work in parse_bibliography(BBL).entries] == ["otters", "kilns"]


def test_a_list_of_identifiers_is_read():
    lines = [
        "PMID: 31234567", "PMC6543210", "arXiv:1706.03762v5", "https://pubmed.ncbi.nlm.nih.gov/29999999/",
        "ISBN 978-3-16-148410-0", "doi:10.71234/a", "https://a.example/b",
    ]  # fmt: skip
    parsed = parse_bibliography("\n".join(lines))
    assert parsed.format == "text"
    assert [work.pmid or work.pmcid or work.arxiv_id or work.isbn or work.doi or work.url for work in parsed.entries] == [
        "31234567", "PMC6543210", "1706.03762v5", "29999999", "9783161484100", "10.71234/a", "https://a.example/b",
    ]  # fmt: skip
