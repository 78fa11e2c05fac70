"""Manuscripts: their references, and the sentences that cite them."""

import pytest

from assay.errors import UnsupportedType
from assay.manuscripts.manuscript import InTextCitation, Manuscript
from assay.manuscripts.manuscript_reader import read_manuscript

NUMBERED = """\
---
title: Otters and kelp
author:
  - Ada Byron
---
# Introduction

Sea otters keep kelp forests healthy [1, 2]. Urchins graze on kelp.[3] An array a[1] and the interval [0, 1] are none.
Smith et al. (2020) called it “a cascade that nobody had expected to see” [2]. Others disagree [7].

> Kelp forests are among the most productive habitats on the planet.

So wrote one of them [1].

## References

1. Smith, J., Doe, A., & Lee, K. (2020). Otters in the kelp. *Journal of Ecology*, 12(3), 45–67.
2. Jones, B. (2019). Urchins of the north. *Marine Biology*, 3, 1–9.
3. Brown, T. (2018). Grazing and its limits. *Ecology Letters*, 5(1), 10–20.
4. Nobody, N. (2001). Never cited at all. *Nature*, 4, 1–2.
"""
DATED = """\
# Otters

Otters eat urchins (Smith, Doe, & Lee, 2020a; cf. Jones 2019, p. 3). See van der Berg (2017), but not (1999).
However, Smith and Doe (2020b) differ. In March (2020) all was quiet (Brown, 2015). Mueller (2018) agrees.

# References

Smith, J., Doe, A., & Lee, K. (2020a). Otters in the kelp. *Journal of Ecology*, 12(3), 45–67.

Smith, J., & Doe, A. (2020b). Otters in the kelp again. *Journal of Ecology*, 13(3), 45–67.

Jones, B. (2019). Urchins of the north. *Marine Biology*, 3, 1–9.

van der Berg, X. (2017). Cold seas and warm seas. Oxford: Oxford University Press.

Müller, T. (2018). Kelp in the Baltic Sea. *Marine Biology*, 3, 11–19.
"""


def pair(manuscript: Manuscript) -> list[tuple[str, tuple[int, ...], tuple[str, ...]]]:
    return [(each.marker, each.references, each.unlisted) for each in manuscript.citations]


async def test_numbers_in_brackets_are_paired_with_the_numbered_list_and_false_friends_are_not() -> None:
    manuscript = await read_manuscript(NUMBERED)

    assert (manuscript.format, manuscript.title, manuscript.total_references) == ("markdown", "Otters and kelp", 4)
    assert [name.family for name in manuscript.authors] == ["Byron"]
    assert pair(manuscript) == [
        ("[1, 2]", (1, 2), ()),
        ("[3]", (3,), ()),
        ("Smith et al. (2020)", (1,), ()),
        ("[2]", (2,), ()),
        ("[7]", (), ("7",)),
        ("[1]", (1,), ()),
    ]
    assert manuscript.citations[1].sentence == "Urchins graze on kelp.[3]"
    assert [(each.text[:20], each.references) for each in manuscript.quotations] == [
        ("a cascade that nobod", (1, 2)),
        ("Kelp forests are amo", (1,)),
    ]


async def test_a_pair_of_numbers_is_an_interval_only_behind_words_of_intervals() -> None:
    said = (
        "As shown in [2, 3], x in [1, 4] and the interval [2, 4] hold. Values from [1, 2] occur. It goes on over [1-3]."
    )
    manuscript = await read_manuscript(f"{said}\n\n{NUMBERED[NUMBERED.index('## References') :]}")
    assert pair(manuscript) == [("[2, 3]", (2, 3), ()), ("[1-3]", (1, 2, 3), ())]


async def test_authors_and_years_are_paired_by_name_letter_and_particle() -> None:
    manuscript = await read_manuscript(DATED)

    assert pair(manuscript) == [
        ("(Smith, Doe, & Lee, 2020a; cf. Jones 2019, p. 3)", (1, 3), ()),
        ("van der Berg (2017)", (4,), ()),
        ("Smith and Doe (2020b)", (2,), ()),
        ("(Brown, 2015)", (), ("Brown 2015",)),
        ("Mueller (2018)", (5,), ()),
    ]


async def test_keys_of_pandoc_are_paired_with_the_bibliography_beside_the_text() -> None:
    manuscript = await read_manuscript(
        "Otters rest [@smith2020, p. 3; @doe]. As @smith2020 [p. 4] says; write to me@example.org or see @fig:one.",
        bibliography="@article{smith2020, title={Otters}}\n@book{doe, title={Kelp}}\n@book{idle, title={Unused}}",
    )

    assert manuscript.citations == (
        InTextCitation("[@smith2020, p. 3; @doe]", "key", "Otters rest [@smith2020, p. 3; @doe].", 1, (1, 2)),
        InTextCitation(
            "@smith2020 [p. 4]", "key", "As @smith2020 [p. 4] says; write to me@example.org or see @fig:one.", 1, (1,)
        ),
    )
    assert [reference.label for reference in manuscript.references] == ["smith2020", "doe", "idle"]


async def test_a_bibliography_alone_has_references_and_no_text() -> None:
    manuscript = await read_manuscript(
        b"@article{a, title={Otters}}\n@article{b, title={Kelp}}", filename="refs.bib", max_references=1
    )

    assert (manuscript.format, manuscript.total_references, manuscript.is_truncated) == ("bibtex", 2, True)
    assert [reference.work.title for reference in manuscript.references] == ["Otters"]
    assert manuscript.paragraphs == ()


BIBLIOGRAPHIES = {
    "bibtex": "% of mine\n@article{a, title={Otters in the kelp}}",
    "ris": "TY  - JOUR\nTI  - Otters in the kelp\nER  - \n",
    "csl-json": '[{"id": "a", "title": "Otters in the kelp"}]',
    "nbib": "PMID- 12345\nTI  - Otters in the kelp\nAU  - Smith J\n",
    "endnote-xml": "<?xml version='1.0'?><xml><records><record><ref-type name='Book'>6</ref-type><titles>"
    "<title>Otters in the kelp</title></titles></record></records></xml>",
    "hayagriva": "otters:\n  type: Article\n  title: Otters in the kelp\n  date: 2020\n",
    "reference-list": "[1] Smith, J. (2020). Otters in the kelp. Journal of Ecology, 12(3), 45–67.\n"
    "[2] Jones, B. (2019). Urchins of the north. Marine Biology, 3(1), 1–9.\n",
}


@pytest.mark.parametrize("name", BIBLIOGRAPHIES)
async def test_the_format_of_a_bibliography_is_detected_and_its_references_are_read(name: str) -> None:
    manuscript = await read_manuscript(BIBLIOGRAPHIES[name].encode())

    assert (manuscript.format, manuscript.paragraphs, manuscript.citations) == (name, (), ())
    assert manuscript.references[0].work.title == "Otters in the kelp"


async def test_a_letter_with_years_is_no_list_of_references() -> None:
    text = "In 2019 we saw otters by the sea.\n\nIn 2020 they came again, with young ones.\n\nSmith, who was there in 1999, agrees."

    assert (await read_manuscript(text)).format == "text"


async def test_the_front_matter_may_list_the_references_itself() -> None:
    front = (
        "---\nreferences:\n- id: doe\n  title: Kelp\n  author:\n  - family: Doe\n    given: Ann\n  issued: 2019\n---\n"
    )

    manuscript = await read_manuscript(front + "Otters eat [@doe].")

    assert [(each.label, each.work.title, each.work.date) for each in manuscript.references] == [
        ("doe", "Kelp", "2019")
    ]
    assert [each.references for each in manuscript.citations] == [(1,)]


async def test_a_bibliography_that_was_not_given_is_noted() -> None:
    manuscript = await read_manuscript("---\nbibliography: refs.bib\n---\nOtters eat [@doe].")

    assert manuscript.notes == ("The bibliography 'refs.bib' was not given, so that the citations have no references.",)
    assert [each.unlisted for each in manuscript.citations] == [("doe",)]


LISTED = [
    "World Health Organization. (2012). Guidelines for clean water. Geneva: World Health Organization.",
    "Smith, J. (2020). Otters in the kelp. Journal of Ecology, 12(3), 45–67.",
    "May, R. (2010). Trials of otters. Oceans, 1, 1–2.",
    "Tulving, E. (in press). Otters once more. Oceans.",
    "Müller, K., & Weiß, T. (n.d.). Undated otters. Springer.",
]
ENTRIES = "\n\n".join(LISTED)
ITEMS = "".join(f"\\bibitem{{k{number}}} {entry}\n\n" for number, entry in enumerate(LISTED))
BIBITEMS = rf"\begin{{thebibliography}}{{9}}{ITEMS}\end{{thebibliography}}"


@pytest.mark.parametrize(
    ("filename", "text", "expected"),
    [
        ("list.txt", ENTRIES, ("reference-list", 5)),
        ("list.md", ENTRIES, ("reference-list", 5)),
        ("paper.bbl", BIBITEMS, ("latex", 5)),
        ("refs.txt", "@book{a, title={Otters}, author={Doe, Ann}, year=2020}", ("bibtex", 1)),
        ("paper.md", rf"\documentclass{{article}}\begin{{document}}See.{BIBITEMS}\end{{document}}", ("latex", 5)),
        ("tutorial.md", "# On LaTeX\n\nBegin with `\\documentclass{article}`, then write.", ("markdown", 0)),
        ("note.txt", "We follow the method of Jones (2010). It is good.", ("text", 0)),
    ],
)
async def test_the_content_decides_where_the_name_of_a_text_file_fits_other_notations(
    filename: str, text: str, expected: tuple[str, int]
) -> None:
    manuscript = await read_manuscript(text.encode(), filename=filename)

    assert (manuscript.format, len(manuscript.references)) == expected


@pytest.mark.parametrize(
    ("filename", "start", "named"),
    [
        ("paper.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office format"),
        ("paper.docx", b"PK\x03\x04", "ZIP archive"),
        ("figure.png", b"\x89PNG\r\n\x1a\n", "PNG image"),
        ("paper.pdf", b"", "unknown type"),
    ],
)
async def test_a_binary_file_is_refused_rather_than_read_as_text(filename: str, start: bytes, named: str) -> None:
    body = start + bytes(range(256)) * 8 + " “herons built the town hall” [1]".encode()

    with pytest.raises(UnsupportedType, match=named):
        await read_manuscript(body, filename=filename)


async def test_the_sentence_of_a_citation_goes_on_behind_an_ellipsis() -> None:
    sentence = "As stated, “otters keep a favourite stone … and use it to open shells” [1]."
    text = f"# Otters\n\nThey were seen. {sentence} They sleep.\n\n## References\n\n[1] Brook A. Stones. River Letters 2019.\n"
    assert (await read_manuscript(text)).citations[0].sentence == sentence


async def test_marks_around_a_link_in_the_text_are_no_part_of_it() -> None:
    text = "See (http://x.example/wiki/A_(b)), <http://y.example/z>, “http://q.example/a” and http://r.example/b.\n"
    links = (await read_manuscript(f"# Otters\n\n{text}\n## References\n\n[1] Brook A. Stones. 2019.\n")).links
    assert links == ("http://x.example/wiki/A_(b)", "http://y.example/z", "http://q.example/a", "http://r.example/b")


async def test_a_reference_in_markdown_has_the_doi_behind_its_link() -> None:
    body = b"""# Otters

Otters eat urchins [1].

## References

[1] Smith, J. (2020). Otters in the kelp. Journal of Ecology, 12(3), 45-67. [CrossRef](https://doi.org/10.1000/kelp.12)
"""
    [reference] = (await read_manuscript(body)).references
    assert (reference.work.title, reference.work.doi) == ("Otters in the kelp", "10.1000/kelp.12")
