"""Printed references of invented works, in many styles and scripts, are parsed into their fields."""

import pytest

from assay.bibliography.printed_reference import parse_reference, split_authors

AUTHORS = ["Nakamori", "Moreau-Tissot"]
TITLE = "Seasonal movement of honey bees along the Sarlac coast"
JOURNAL = {"container": "Annals of Slow Science", "volume": "12", "date": "2003", "pages": "4-19"}


@pytest.mark.parametrize(
    "text",
    [
        "Nakamori, H., & Moreau-Tissot, I. (2003). {title}. Annals of Slow Science, 12(3), 4-19. https://doi.org/10.71234/b",
        "Nakamori H, Moreau-Tissot I. {title}. Annals of Slow Science. 2003;12(3):4-19. doi:10.71234/b",
        "[7] H. Nakamori and I. Moreau-Tissot, “{title},” Annals of Slow Science, vol. 12, no. 3, pp. 4–19, 2003.",
        "H. Nakamori and I. Moreau-Tissot. {title}. Annals of Slow Science, 12(3):4–19, 2003.",
        "Nakamori, Hugo, and Ingrid Moreau-Tissot. “{title}.” Annals of Slow Science 12, no. 3 (2003): 4–19.",
    ],
)
def test_an_article_in_any_style_is_parsed_into_its_fields(text):
    work = parse_reference(text.format(title=TITLE))
    assert work.title == TITLE
    assert [name.family for name in work.authors] == AUTHORS
    assert {field: getattr(work, field) for field in JOURNAL} == JOURNAL
    assert work.issue == "3"
    assert work.doi == ("10.71234/b" if "10.71234" in text else "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Vasterling, L. (2011). Kilns of the north. London: River Press.",
            {"title": "Kilns of the north", "publisher": "River Press", "place": "London", "date": "2011"},
        ),
        ("Müller, T. (2018). Kelp. Springer.", {"title": "Kelp", "container": "", "publisher": "Springer"}),
        (
            "Lindqvist, Karin: Die Moore im Umland von Burela. In: Zeitschrift für Moorkunde 12 (2003), S. 4–19.",
            {"title": "Die Moore im Umland von Burela", "container": "Zeitschrift für Moorkunde", "pages": "4-19"},
        ),
        (
            "王小明, 李雷. 沿海蜜蜂的季节性迁移研究[J]. 慢科学学报, 2003, 12(3): 4-19.",
            {"title": "沿海蜜蜂的季节性迁移研究", "container": "慢科学学报", "volume": "12", "issue": "3"},
        ),
        (
            "Жаворонков П. Сезонные изменения болот у побережья Белокаменки // Вестник медленной науки. Springer, 2007. Т. 28, № 9. С. 2111–2123.",
            {
                "title": "Сезонные изменения болот у побережья Белокаменки",
                "container": "Вестник медленной науки",
                "pages": "2111-2123",
            },
        ),
        (
            "中村花子, 「水車の季節変化:青石峠の事例」, 遅い科学誌, 巻 37, 号 3, ページ 168–197, 2010.",
            {"title": "水車の季節変化:青石峠の事例", "container": "遅い科学誌"},
        ),
        (
            "Quist A, Okafor J, et al. Copper alloys after floods. Northern Mater Rev. 1999;7:3-9. arXiv:1706.03762",
            {"title": "Copper alloys after floods", "is_author_list_cut": True, "arxiv_id": "1706.03762"},
        ),
    ],
)
def test_books_other_languages_and_cut_author_lists_are_parsed(text, expected):
    work = parse_reference(text)
    assert {field: getattr(work, field) for field in expected} == expected


@pytest.mark.parametrize("text", ["", " ", "...", "2003", "(" * 5_000, "a" * 100_000, "1-" * 50_000, "é, " * 30_000])
def test_any_text_is_parsed_without_an_error(text):
    work = parse_reference(text)
    assert len(work.title) <= 3_000


@pytest.mark.parametrize(
    ("printed", "names"),
    [
        ("Hinton G E, Krizhevsky A", ["Hinton, G E", "Krizhevsky, A"]),
        ("Выготский Л. С., Лурия А.Р.", ["Выготский, Л. С.", "Лурия, А.Р."]),
        ("Müller, Ö., Şahin, Ç.", ["Müller, Ö.", "Şahin, Ç."]),
        ("van der Berg X Y", ["van der Berg, X Y"]),
        ("G. E. Hinton and LI X", ["Hinton, G. E.", "LI, X"]),
        (
            "Brookfield, Ada, Rosalind Dunmere, and Anne de Vasterling",
            ["Brookfield, Ada", "Dunmere, Rosalind", "de Vasterling, Anne"],
        ),
        ("van der Weir, Bruno, John Ronald Ostrander", ["van der Weir, Bruno", "Ostrander, John Ronald"]),
        (
            "DOS MOINHOS, João, BREJEIRO, Antônio e SALGUEIRO, Ana",
            ["DOS MOINHOS, João", "BREJEIRO, Antônio", "SALGUEIRO, Ana"],
        ),
        ("D’Arborea, Ezio, e Chiara Fontanabuona", ["D’Arborea, Ezio", "Fontanabuona, Chiara"]),
        ("Değirmenci, Şükrü, Işıl Gölbaşı, ve Gülşen Kaya", ["Değirmenci, Şükrü", "Gölbaşı, Işıl", "Kaya, Gülşen"]),
        ("Ebersbach, Jürgen/zu Brackenau, Annegret", ["Ebersbach, Jürgen", "zu Brackenau, Annegret"]),
        ("Moczar, Łukasz i Grząski, Stanisław", ["Moczar, Łukasz", "Grząski, Stanisław"]),
        ("John Smith, Jane Doe, Eve Fox", ["Smith, John", "Doe, Jane", "Fox, Eve"]),
        ("Smith JA, Doe B, Fox E", ["Smith, JA", "Doe, B", "Fox, E"]),
        ("C. Koelbel, U. Kremer, and C. Tseng", ["Koelbel, C.", "Kremer, U.", "Tseng, C."]),
        ("Van Buuren S, Brand L, Rubin D", ["Van Buuren, S", "Brand, L", "Rubin, D"]),
        ("Erisman, A. Bleeker, A. Hensen", ["Erisman, ", "Bleeker, A.", "Hensen, A."]),
        ("G E Smith and E Y Fox", ["Smith, G E", "Fox, E Y"]),
    ],
)
def test_names_are_read_in_the_order_of_each_style(printed, names):
    assert [f"{name.family}, {name.given}" for name in split_authors(printed)] == names
