"""Printed references and records: the same work in any style and script, never a work with another word or author."""

import pytest

from assay.models.papers import Paper
from assay.verification.reference_matching import Reference, grade_match

TITLE = "Seasonal movement of honey bees along the Sarlac coast"
AUTHORS = ["Hugo Nakamori", "Ingrid Moreau-Tissot"]
STYLES = [
    "Nakamori, H., & Moreau-Tissot, I. (2003). {title}. Annals of Slow Science, 12(3), 4-19.",
    "Nakamori H, Moreau-Tissot I. {title}. Ann Slow Sci. 2003;12(3):4-19.",
    "[7] H. Nakamori and I. Moreau-Tissot, “{title},” Annals of Slow Science, vol. 12, no. 3, pp. 4–19, 2003.",
    "H. Nakamori, I. Moreau-Tissot, ``{title}'', Annals of Slow Science 12 (2003) 4.",
    "NAKAMORI H., MOREAU-TISSOT I., « {title} », Annals of Slow Science, 12, 2003, p. 4-19.",
    "Nakamori (H.), {title}, in Annals of Slow Science, 2003.",
    "{title}. Nakamori H, Moreau-Tissot I. Annals of Slow Science 2003 12: 4-19",
    "12. {title} Annals of Slow Science 12, 4 (2003), Nakamori, H.",
]


def grade(text, title=TITLE, authors=AUTHORS, **more):
    fields = {"journal": "Annals of Slow Science", "year": 2003} | more
    record = Paper(title=title, url="https://doi.org/10.71234/b", source="crossref", authors=list(authors), **fields)
    return grade_match(Reference.of_text(text), record).confidence


@pytest.mark.parametrize("style", STYLES)
def test_a_reference_in_any_style_matches_its_record(style):
    assert grade(style.format(title=TITLE)) == "high"


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("place", range(len(TITLE.split())))
def test_a_reference_with_one_other_title_word_does_not(style, place):
    words = TITLE.split()
    words[place] = "bandages"
    assert grade(style.format(title=" ".join(words))) != "high"


@pytest.mark.parametrize("style", STYLES)
def test_a_reference_of_other_authors_does_not(style):
    assert grade(style.format(title=TITLE), authors=["Mara Tolliver", "Jude Okafor"]) != "high"


@pytest.mark.parametrize(
    ("cited", "recorded"),
    [
        ("Sea-sonal move-ment of honey beesalong the Sarlac coast", TITLE),
        ("Colour of honey bees of the Sarlac coast", "Color of honey bees of the Sarlac coast"),
        ("Über die Größe der Moorwiesen bei Burela", "Ueber die Grösse der Moorwiesen bei Burela"),
        ("A study of bees &amp; wasps beside rivers", "A study of bees & wasps beside rivers"),
    ],
)
def test_hyphens_lost_spaces_and_spellings_make_no_difference(cited, recorded):
    assert grade(f"Nakamori, H. (2003). {cited}. Annals of Slow Science, 12, 4.", title=recorded) == "high"


@pytest.mark.parametrize(
    ("text", "title", "author", "journal"),
    [
        ("王小明, 李雷. 沿海蜜蜂的季节性迁移研究[J]. 慢科学学报, 2003, 12(3): 4-19.", "沿海蜜蜂的季节性迁移研究", "王小明", "慢科学学报"),
        ("한소라, 2003, ‘해안 꿀벌의 계절 이동에 대하여’, 느린과학연구 12, pp. 4-19.", "해안 꿀벌의 계절 이동에 대하여", "한소라", "느린과학연구"),
        ("中村花子「海岸における蜜蜂の季節移動」遅い科学誌 12, 4-19 (2003)", "海岸における蜜蜂の季節移動", "中村花子", "遅い科学誌"),
        ("Иванова А. Сезонные перемещения пчёл у побережья // Вестник медленной науки. 2003.", "Сезонные перемещения пчёл у побережья", "Анна Иванова", "Вестник медленной науки"),
    ],
)  # fmt: skip
def test_references_in_other_scripts_match(text, title, author, journal):
    assert grade(text, title=title, authors=[author], journal=journal) == "high"
    assert grade(text, title=title[1:] + title[:1], authors=[author], journal=journal) != "high"


@pytest.mark.parametrize(
    "text",
    [
        "Nakamori, H. (2003). Seasonal movement of honey bees along the Sarlac coast in arctic winters. River Letters.",
        "———. Seasonal movement of honey bees along the Sarlac coast. 2003.",
        "Nakamori, H. (2003). Seasonal movement of honey bees does not follow the Sarlac coast. Annals of Slow Science.",
        "Nakamori, H. (2003). https://example.org/seasonal_movement/of_honey_bees/along_the_sarlac_coast",
    ],
)
def test_longer_titles_dashes_negations_and_links_are_not_surely_the_work(text):
    assert grade(text) != "high"


@pytest.mark.parametrize(
    "text",
    [
        "Seasonal movement of honey bees along the Sarlac coast. Dir. Mara Tolliver. Perf. Jude Okafor. 2003.",
        "Seasonal movement of honey bees along the Sarlac coast. Bidar Tolliver, Saeed Okafor, Maryam Berg, and Ada Lee. 2003",
        "Seasonal movement of honey bees along the Sarlac coast. De Luca A, Flandre P, Dunn D. Annals of Slow Science 2003",
    ],
)
def test_persons_behind_the_title_are_authors_of_another_work(text):
    assert grade(text) != "high"


@pytest.mark.parametrize(
    ("text", "authors"),
    [
        ("NAKAMORI H. I., «{title}», Annals of Slow Science, 2003", ["NAKAMORI H. I"]),
        ("Nakamori (H.), {title}, in Annals of Slow Science, 2003", ["Nakamori (H.)"]),
        ("{title} Éluard, É. 2003 Annals of Slow Science 12", ["Éluard"]),
        ("Nakamori, Hugo. 2003. {title} PhD thesis University of Burela.", AUTHORS),
    ],
)
def test_initials_accents_and_theses_behind_a_title_make_no_difference(text, authors):
    assert grade(text.format(title=TITLE), authors=authors) == "high"
