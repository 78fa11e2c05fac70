"""What we write reads back as what it was: by ourselves, and by parsers that others wrote."""

import json
import warnings
from datetime import date

import bibtexparser
import pytest
import rispy
from bibtexparser.middlewares import LatexDecodingMiddleware, SeparateCoAuthors, SplitNameParts
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assay.bibliography.notation import parse_bibliography
from assay.bibliography.person_names import Name
from assay.bibliography.source_list import clean_text, format_bibliography
from assay.bibliography.work import CitedWork

WORKS = [
    CitedWork(
        "article-journal", "Attention is all you need", (Name("Vaswani", "Ashish"), Name("Shazeer", "Noam M.")),
        "2017-06-12", "Neural Proceedings", volume="30", issue="2", pages="5998-6008", doi="10.5555/abc_1",
    ),
    CitedWork("webpage", "On otters & 100% of {their} $5 #stones_ ~ ^ \\ \"x\"", (Name("van der Berg", "Jean-Paul", "Jr."),),
         "2025-03", "River News", url="https://a.example/x_y?b=1&c=%20#d"),
    CitedWork("webpage", "Über Öl: naïve Čapek, Erdős, ß, 北京", (Name("Ärzte ohne Grenzen"),), "2020", "Süd", url="https://b.example/"),
    CitedWork("webpage", "An open { and a closed one } too} many", url="https://e.example/"),
    CitedWork("webpage", "Untitled", url="https://c.example/"),
    CitedWork("article-journal", "", doi="10.1000/only"),
    CitedWork("webpage", "Authors with and", (Name("Barnes and Noble, Inc."), Name("Smith", "John and Co")), url="https://d.example/"),
]  # fmt: skip

WORDS = st.text(min_size=0, max_size=40).map(clean_text)
PARTS = st.text(alphabet=st.characters(categories=("L",)) | st.sampled_from("-' "), max_size=12).map(clean_text)


def fields_of(work):
    return (work.kind, work.title, work.authors, work.date, work.container, work.doi, work.url)


def read_back(works, style):
    result = parse_bibliography(format_bibliography(works, style, date(2026, 1, 1)), style)
    assert result.unread == ()
    assert all(entry.unread == () for entry in result.entries)
    return sorted(map(fields_of, result.entries))


@pytest.mark.parametrize("style", ["bibtex", "ris", "csl-json"])
def test_we_read_what_we_write(style):
    works = WORKS if style != "ris" else WORKS[:-1]  # RIS has no way to say that a comma parts nothing
    assert read_back(works, style) == sorted(map(fields_of, works))


@settings(max_examples=150, deadline=None)
@example("bibtex", "\uf900-\uf900", "", "", "")  # a letter that another way of writing it would replace
@given(st.sampled_from(["bibtex", "ris", "csl-json"]), WORDS, WORDS, PARTS, PARTS)
def test_whatever_the_words_are_they_read_back(style, title, container, family, given_name):
    authors = (Name(family, given_name),) if family and given_name else ()
    work = CitedWork("webpage", title, authors, "2020", container, url="https://a.example/")
    [(_, title_back, authors_back, _, container_back, _, _)] = read_back([work], style)
    assert (clean_text(title_back), clean_text(container_back)) == (
        clean_text(title_of(title, style)),
        clean_text(title_of(container, style)),
    )
    if not {"-", "'", " "} & {*(family + given_name)[:1], *family[-1:], *given_name[:1], *given_name[-1:]}:
        assert authors_back == authors


def title_of(text, style):
    """CSL-JSON has no way to say that `<i>` is no markup."""
    from assay.bibliography.csl_json import MARKUP

    return MARKUP.sub("", text) if style == "csl-json" else text


def test_bibtexparser_reads_our_bibtex():
    written = format_bibliography(WORKS, "bibtex", date(2026, 1, 1))
    library = bibtexparser.parse_string(
        written, append_middleware=[SeparateCoAuthors(), LatexDecodingMiddleware(), SplitNameParts()]
    )
    assert library.failed_blocks == []
    entries = {entry.fields_dict.get("title") and entry["title"].strip("{}"): entry for entry in library.entries}
    assert len(library.entries) == len(WORKS)
    attention = entries["Attention is all you need"]
    assert attention.entry_type == "article"
    assert {name: attention[name] for name in ("journal", "volume", "number", "year", "doi")} == {
        "journal": "Neural Proceedings", "volume": "30", "number": "2", "year": "2017", "doi": "10.5555/abc_1",
    }  # fmt: skip
    assert [author.last for author in attention["author"]] == [["Vaswani"], ["Shazeer"]]
    assert WORKS[2].title in entries
    titles = {str(title).replace("ˆ", "^") for title in entries}  # a look-alike that its LaTeX library prefers
    assert WORKS[1].title in titles
    assert WORKS[3].title in titles


def test_bibtexparser_finds_the_same_addresses_in_our_bibtex():
    library = bibtexparser.parse_string(format_bibliography(WORKS, "bibtex", date(2026, 1, 1)))
    assert {entry["url"] for entry in library.entries if "url" in entry.fields_dict} == {
        work.url for work in WORKS if work.url
    }
    assert {entry["doi"] for entry in library.entries if "doi" in entry.fields_dict} == {
        work.doi for work in WORKS if work.doi
    }


def test_rispy_reads_our_ris():
    records = rispy.loads(format_bibliography(WORKS, "ris", date(2026, 1, 1)))
    by_title = {record.get("title", ""): record for record in records}
    assert set(by_title) == {work.title for work in WORKS}
    for work in WORKS:
        record = by_title[work.title]
        assert record["type_of_reference"] == ("JOUR" if work.doi else "ELEC")
        assert record.get("authors", []) == [name.format_inverted() for name in work.authors]
        assert record.get("year", "") == work.date[:4]
        assert record.get("doi", "") == work.doi
        assert record.get("urls", []) == ([work.url] if work.url else [])
        assert record.get("secondary_title", "") == work.container
        assert "unknown_tag" not in record


def test_a_csl_processor_reads_our_csl_json():
    from citeproc.source.json import CiteProcJSON

    items = json.loads(format_bibliography(WORKS, "csl-json", date(2026, 1, 1)))
    with warnings.catch_warnings(record=True) as strange:
        warnings.simplefilter("always")
        source = CiteProcJSON(items)
    assert [str(one.message) for one in strange] == []
    attention = source["vaswani2017attention"]
    assert (attention.type, str(attention.title)) == ("article-journal", "Attention is all you need")
    assert [str(name.family) for name in attention.author] == ["Vaswani", "Shazeer"]
    assert (attention.issued.year, attention.issued.month, attention.issued.day) == (2017, 6, 12)
    assert str(attention.DOI) == "10.5555/abc_1"
