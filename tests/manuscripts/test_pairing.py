"""Markers and references: what a marker means, what is no marker, and what is missing."""

import pytest

from assay.manuscripts.manuscript import Manuscript
from assay.manuscripts.manuscript_reader import read_manuscript

NUMBERED = """
# References

1. Smith, J., Doe, A., & Lee, K. (2020). Otters in the kelp. Journal of Ecology, 12(3), 45–67.
2. Jones, B. (2019). Urchins of the north. Marine Biology, 3(1), 1–9.
3. Brown, T. (2018). Grazing and its limits. Ecology Letters, 5(1), 10–20.
4. Adams, R. (2017). Currents of the coast. Ecology Letters, 4(1), 10–20.
5. Clark, S. (2016). Tides of the coast. Ecology Letters, 3(1), 10–20.
"""
DATED = """
# References

Smith, J. (2020a). Otters in the kelp. Journal of Ecology, 12(3), 45–67.

Smith, J. (2020b). Otters at sea. Journal of Ecology, 13(3), 45–67.

Smith, K., & Doe, A. (2018). Grazing and its limits. Ecology Letters, 5(1), 10–20.

Jones, A. (2015). Urchins of the north. Marine Biology, 3(1), 1–9.

Jones, B. (2015). Urchins of the south. Marine Biology, 4(1), 1–9.

Müller, T. (2014). Tang der Ostsee. Meeresbiologie, 4(1), 1–9.

van der Berg, X., de la Cruz, M., & O’Neill, S. (2013). Cold seas and warm seas. Oceans, 4(1), 1–9.

World Health Organization. (2012). Guidelines for clean water. Geneva: World Health Organization.

García-López, M. (2011). El mar y sus nutrias. Revista de Ecología, 4(1), 1–9.

Иванов, И. (2010). Каланы и ламинария. Биология моря, 4(1), 1–9.
"""


def pair(manuscript: Manuscript) -> list[tuple[int, ...] | tuple[str, ...]]:
    return [each.references or each.unlisted for each in manuscript.citations]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Otters eat [1–3, 5].", [(1, 2, 3, 5)]),
        ("Otters eat [1]–[3].", [(1, 2, 3)]),
        ("Otters eat [1][2].", [(1,), (2,)]),
        ("Otters eat [see 2, p. 7].", [(2,)]),
        ("Otters eat [3, Sec. 2; 4].", [(3, 4)]),
        ("Каланы едят [1, с. 45]. Они спят [2, т. 1, стр. 7–9; 3].", [(1,), (2, 3)]),
        ("海獭以海胆为食[1，第45页]。", [(1,)]),
        ("Las nutrias comen [2, pág. 7; 4, cap. 3].", [(2, 4)]),
        ("Otters rested in the years [1990] and [2001]. They eat [4].", [(4,)]),
        ("Otters eat.¹⁻³ They rest.⁵", [(1, 2, 3), (5,)]),
        ("Otters eat^2,4^ and rest.", [(2, 4)]),
        ("Otters eat 【4】 and rest［5］.", [(4,), (5,)]),
        ("Otters eat [6] and [1].", [("6",), (1,)]),
        ("Otters eat (1, 2). They rest (3), as others do (4) by the sea (5) at night.", [(1, 2), (3,), (4,), (5,)]),
        ("The interval [0, 1] and x ∈ [1, 5] and the array a[1] or x_i[2]. Otters [sic] eat [3].", [(3,)]),
        ("See `code[1]` and equation (3) in 20 m² or km^2^ and [1990]. Otters eat [3].", [(3,)]),
        ("```\nlist = [1]\n```\n\nOtters eat [3].", [(3,)]),
    ],
)
async def test_numbers_cite_the_numbered_list(text: str, expected: list) -> None:
    assert pair(await read_manuscript(text + "\n" + NUMBERED)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Otters eat (Smith, 2020a, 2020b).", [(1, 2)]),
        ("Otters eat (Smith, 2020a, b; see also Smith and Doe, 2018, pp. 3–4).", [(1, 2, 3)]),
        ("Smith (2020b) and Smith and Doe (2018) agree.", [(2,), (3,)]),
        ("Smith’s (2020a) otters eat.", [(1,)]),
        ("A. Jones (2015) and B. Jones (2015) differ.", [(4,), (5,)]),
        ("Otters eat (Mueller 2014; Müller, 2014).", [(6,)]),
        ("Otters eat (Van der Berg et al., 2013) and van der Berg, de la Cruz, and O'Neill (2013) rest.", [(7,), (7,)]),
        ("Otters eat (Berg et al. 2013: 17).", [(7,)]),
        ("Clean water (WHO, 2012) and (World Health Organization [WHO], 2012).", [(8,), (8,)]),
        ("García-López (2011) and Garcia-Lopez (2011) swim.", [(9,), (9,)]),
        ("Каланы плавают (Иванов, 2010). Ivanov (2010) agrees.", [(10,), (10,)]),
        ("In May (2015) it rained, and in Figure (2018) too. The war (1939) ended. It was cold (1999).", []),
        ("The film Casablanca (1942) is old. The Great Depression (1929) too. See version (2010).", []),
        ("Otters eat (Nobody, 2001; Smith, 2020a). Brown et al. (1998) say so.", [(1,), ("Brown et al. 1998",)]),
        ("Bernd and Hilla Becher (1931–2007) lived; (as of December 2024) and (Late update, 2020/08/30) date.", []),
        ("Centers for Disease Control and Prevention (2019) and Street Portraits, Denver Museum (2014) are none.", []),
        ("The new (ICML 2019) and the old (Windows 2000) are no markers.", []),
    ],
)
async def test_authors_and_years_cite_the_list(text: str, expected: list) -> None:
    assert pair(await read_manuscript(text + "\n" + DATED)) == expected


async def test_a_marker_that_fits_several_references_is_paired_with_none_and_noted() -> None:
    manuscript = await read_manuscript("Otters eat (Jones, 2015).\n" + DATED)

    assert [(each.references, each.unlisted) for each in manuscript.citations] == [((), ())]
    assert manuscript.notes == (
        "1 marker(s) fit several listed references and were paired with none: “(Jones, 2015)”.",
    )


async def test_notes_that_are_references_join_the_list_and_short_forms_repeat_them() -> None:
    manuscript = await read_manuscript(
        "Otters eat.[^1] They rest.[^2] They swim.[^3] They play.[^4]\n\n"
        "[^1]: Ada Byron, *Engines of the Northern Sea* (London: Kelp Press, 1999), 4.\n\n"
        "[^2]: Ibid., 7.\n\n[^3]: Byron, Engines of the Northern Sea, 12.\n\n"
        "[^4]: This is a remark about how otters play with stones when nobody looks at them.\n"
    )

    assert [each.work.authors[0].family for each in manuscript.references] == ["Byron"]
    assert [(each.marker, each.style, each.references) for each in manuscript.citations] == [
        ("[^1]", "footnote", (1,)),
        ("[^2]", "footnote", (1,)),
        ("[^3]", "footnote", (1,)),
    ]
    assert [each.section for each in manuscript.paragraphs] == ["", "Notes"]


async def test_a_note_that_leads_to_another_note_cites_what_that_one_cites() -> None:
    manuscript = await read_manuscript(
        "Otters eat.[^1] They rest.[^2]\n\n[^1]: A. Byron, *Kelp of the Sea* (London: Kelp Press, 1999), 4.\n\n[^2]: See[^1].\n"
    )

    assert [(each.marker, each.references) for each in manuscript.citations] == [("[^1]", (1,)), ("[^2]", (1,))]


async def test_links_to_works_are_references_even_beside_a_list() -> None:
    manuscript = await read_manuscript(
        "Otters [eat](https://doi.org/10.1000/otters) and [rest](https://shop.example/).\n" + NUMBERED
    )

    assert [(each.marker, each.style, each.references) for each in manuscript.citations] == [("eat", "link", (6,))]
    assert manuscript.references[5].work.doi == "10.1000/otters"
    assert manuscript.links == ("https://doi.org/10.1000/otters", "https://shop.example/")


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ('It is "one two three four five" [1].', "one two three four five"),
        ("It is “one two three four five” [1].", "one two three four five"),
        ("Es ist „eins zwei drei vier fünf“ [1].", "eins zwei drei vier fünf"),
        ("C’est « un deux trois quatre cinq » [1].", "un deux trois quatre cinq"),
        ("Det er »en to tre fire fem« [1].", "en to tre fire fem"),
        ("It is ‘one two three four don’t’ [1].", "one two three four don’t"),
        (
            "他说「海獭在海藻森林里休息并且吃海胆这是一个很长的引文」[1]。",
            "海獭在海藻森林里休息并且吃海胆这是一个很长的引文",
        ),
    ],
)
async def test_quotations_of_five_words_have_the_references_of_their_sentence(text: str, quoted: str) -> None:
    manuscript = await read_manuscript(text + " It is “too short” [2].\n" + NUMBERED)

    assert [(each.text, each.references) for each in manuscript.quotations] == [(quoted, (1,))]


async def test_without_a_list_few_numbers_and_names_are_no_missing_references() -> None:
    manuscript = await read_manuscript("See git-add[1] and (Global Analysts, 2020). The price is low.¹ It is.² So.³")

    assert manuscript.citations == ()


async def test_the_links_of_a_menu_are_no_references() -> None:
    manuscript = await read_manuscript(
        "<div><li><a href='https://shop.example/'>Shop</a></li></div><p>Otters eat <a href='https://kelp.example/'>kelp</a>.</p>"
    )

    assert [each.work.url for each in manuscript.references] == ["https://kelp.example/"]


async def test_a_list_of_references_among_the_notes_of_a_page_is_the_list() -> None:
    page = (
        "<p>Otters eat [1].</p><div class='footnotes'><h4>References</h4><ol><li>Smith, J. (2020). Otters in the kelp. "
        "Journal of Ecology, 12(3), 45–67.</li></ol></div>"
    )

    manuscript = await read_manuscript(page)

    assert [(each.marker, each.references) for each in manuscript.citations] == [("[1]", (1,))]


async def test_chapters_with_lists_of_their_own_are_paired_with_these() -> None:
    chapters = [
        f"# Chapter {name}\n\n{name} eat urchins [1].\n\n## References\n\n1. {name}, J. (2020). {name} in the kelp. "
        f"Journal of Ecology, 12(3), 45–67.\n2. Jones, B. (2019). Urchins of the north. Marine Biology, 3(1), 1–9.\n"
        for name in ("Otters", "Seals")
    ]

    manuscript = await read_manuscript("\n".join(chapters))

    assert [each.work.title for each in manuscript.references][::2] == ["Otters in the kelp", "Seals in the kelp"]
    assert [(each.sentence, each.references) for each in manuscript.citations] == [
        ("Otters eat urchins [1].", (1,)),
        ("Seals eat urchins [1].", (3,)),
    ]
    assert "2 lists of references" in manuscript.notes[0]


async def test_a_number_that_looks_like_a_year_cites_in_a_list_as_long() -> None:
    listed = "\n".join(f"{at}. Name{at}, A. (1999). Title number {at}. Journal, {at}(1), 1–9." for at in range(1, 1602))

    manuscript = await read_manuscript(f"Otters eat [1600].\n\n# References\n\n{listed}", max_references=1)

    assert [each.marker for each in manuscript.citations] == ["[1600]"]
