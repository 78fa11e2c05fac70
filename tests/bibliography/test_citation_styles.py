from datetime import date

import pytest

from assay.bibliography import person_names
from assay.bibliography.citation_styles import build_citation

TODAY = date(2026, 1, 31)
URL = "https://journal.example/essays/tea"


def cite(**facts):
    return build_citation(facts.pop("url", URL), accessed=TODAY, **facts).formatted


def test_a_page_with_everything_is_cited_whole():
    full = cite(title="On tea", authors=["Mary Ann Evans"], site="The Review", published="2024-05-01T09:00:00+02:00")
    assert full.apa == f"Evans, M. A. (2024, May 1). On tea. The Review. Retrieved 2026-01-31, from {URL}"
    assert full.mla == f'Evans, Mary Ann. "On tea." The Review, 1 May 2024, {URL}. Accessed 2026-01-31.'
    assert full.bibtex == (
        "@misc{evans2024on,\n"
        "  author = {Evans, Mary Ann},\n"
        "  title = {{On tea}},\n"
        f"  howpublished = {{\\url{{{URL}}}}},\n"
        "  organization = {The Review},\n"
        "  year = {2024},\n"
        f"  url = {{{URL}}},\n"
        "  urldate = {2026-01-31}\n"
        "}"
    )


def test_a_page_that_says_nothing_is_still_cited():
    stripped = cite(url="https://www.journal.example/x")
    assert (
        stripped.apa
        == "[Untitled page]. (n.d.). journal.example. Retrieved 2026-01-31, from https://www.journal.example/x"
    )
    assert stripped.mla == '"[Untitled page]." journal.example, https://www.journal.example/x. Accessed 2026-01-31.'
    assert stripped.bibtex.startswith("@misc{journal,")


def test_the_metadata_are_those_of_the_page_and_invent_nothing():
    result = build_citation(URL, accessed=TODAY, title="On tea", authors=["A. Bee", "C. Dee"])
    assert result.accessed_date == "2026-01-31"
    assert result.metadata.wire() == {"title": "On tea", "author": "A. Bee; C. Dee", "site": "", "date": ""}


def test_two_authors():
    two = cite(title="T", authors=["Ann Lee", "Bob Ray"], published="2024")
    assert two.apa.startswith("Lee, A., & Ray, B. (2024). T.")
    assert two.mla.startswith('Lee, Ann, and Bob Ray. "T." journal.example, 2024, ')
    assert "author = {Lee, Ann and Ray, Bob}" in two.bibtex


def test_three_authors():
    three = cite(title="T", authors=["Ann Lee", "Bob Ray", "Cy Fox"], published="2024-03")
    assert three.apa.startswith("Lee, A., Ray, B., & Fox, C. (2024, March). T.")
    assert three.mla.startswith('Lee, Ann, et al. "T." journal.example, Mar. 2024, ')


def test_very_many_authors_are_shortened_as_apa_does():
    many = cite(title="T", authors=[f"Ann Lee{chr(97 + number)}" for number in range(25)]).apa
    assert ", … Leey, A. (n.d.)" in many
    assert many.count("Lee") == 20


def test_an_organisation_that_is_the_site_is_not_named_twice():
    assert cite(title="Tea", authors=["World Health Organization"], site="World Health Organization").apa == (
        f"World Health Organization. (n.d.). Tea. Retrieved 2026-01-31, from {URL}"
    )


def test_a_question_keeps_its_mark_and_gets_no_full_stop():
    assert '"Why tea?" journal' in cite(title="Why tea?").mla
    assert "Why tea? journal" in cite(title="Why tea?", authors=["A. B. Cee"]).apa.replace(" (n.d.).", "")


def test_quotes_inside_a_title_become_single_in_mla():
    assert "\"The 'best' tea.\"" in cite(title='The "best" tea').mla


def test_a_doi_makes_it_an_article():
    article = cite(title="Tea", doi="10.1000/tea", site="Journal of Tea", published="2020-01-01").bibtex
    assert article.startswith("@article{")
    assert "  doi = {10.1000/tea}" in article
    assert "  journal = {Journal of Tea}" in article


def test_bibtex_is_escaped_where_latex_would_choke_and_not_in_addresses():
    escaped = cite(url="https://a.example/x_1?a=50%25&b={c}", title="100% of {A_B} & $5 #1 ~ ^ \\").bibtex
    assert r"title = {{100\% of \{A\_B\} \& \$5 \#1 \textasciitilde{} \textasciicircum{} \textbackslash{}}}" in escaped
    assert "url = {https://a.example/x_1?a=50%25&b=%7Bc%7D}" in escaped


def test_an_organisation_is_protected_from_being_taken_for_a_person():
    assert "author = {{Ministry of Tea \\& Coffee}}" in cite(title="T", authors=["Ministry of Tea & Coffee"]).bibtex


def test_a_key_is_plain_even_for_names_that_are_not():
    assert cite(title="Über Tee", authors=["Jörg Müßig"], published="2021").bibtex.startswith("@misc{mussig2021uber,")
    assert cite(title="茶", authors=["王小明"], published="2021").bibtex.startswith("@misc{journal2021,")


@pytest.mark.parametrize(
    ("written", "family", "given", "suffix"),
    [
        ("Ludwig van Beethoven", "van Beethoven", "Ludwig", ""),
        ("Ursula von der Leyen", "von der Leyen", "Ursula", ""),
        ("Juan de la Cruz", "de la Cruz", "Juan", ""),
        ("Robert De Niro", "De Niro", "Robert", ""),
        ("La Toya Jackson", "Jackson", "La Toya", ""),
        ("Martin Luther King Jr.", "King", "Martin Luther", "Jr."),
        ("Martin Luther King, Jr.", "King", "Martin Luther", "Jr."),
        ("King, Martin Luther, Jr.", "King", "Martin Luther", "Jr."),
        ("Smith, John", "Smith", "John", ""),
        ("Dr. Jane Q. Smith, PhD", "Smith", "Jane Q.", ""),
        ("Mary O'Neil MD", "O'Neil", "Mary", ""),
        ("Иван Петров", "Петров", "Иван", ""),
        ("Nguyễn Văn An", "Nguyễn", "Văn An", ""),
        ("S.A. Chakraborty", "Chakraborty", "S.A.", ""),
        ("王小明", "王小明", "", ""),
        ("山田 太郎", "山田 太郎", "", ""),
        ("김철수", "김철수", "", ""),
        ("محمد علي", "محمد علي", "", ""),
        ("Madonna", "Madonna", "", ""),
        ("El Greco", "El Greco", "", ""),
        ("The Guardian", "The Guardian", "", ""),
        ("University of Oslo", "University of Oslo", "", ""),
        ("Universität Wien", "Universität Wien", "", ""),
        ("Morgan & Morgan", "Morgan & Morgan", "", ""),
        ("Editorial Team", "Editorial Team", "", ""),
        ("Siemens AG", "Siemens AG", "", ""),
        ("r2d2", "r2d2", "", ""),
    ],
)
def test_a_name_is_taken_apart_where_it_can_be(written, family, given, suffix):
    assert person_names.parse_name(written) == (family, given, suffix)


@pytest.mark.parametrize(
    ("given", "initials"),
    [("Jean-Paul", "J.-P."), ("J. R. R.", "J. R. R."), ("J.K.", "J. K."), ("Élodie", "É."), ("Иван", "И.")],
)
def test_initials(given, initials):
    assert person_names.Name("X", given).format_initials() == initials


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("Ann Lee; Bob Ray", ("Ann Lee", "Bob Ray")),
        ("Ann Lee and Bob Ray", ("Ann Lee", "Bob Ray")),
        ("Ann Lee, Bob Ray, and Cy Fox", ("Ann Lee", "Bob Ray", "Cy Fox")),
        ("Ann Lee, Bob Ray", ("Ann Lee", "Bob Ray")),
        ("Lee, Ann", ("Lee, Ann",)),
        ("Lee, Ann; Ray, Bob", ("Lee, Ann", "Ray, Bob")),
        ("", ()),
    ],
)
def test_a_line_of_authors_is_split_only_where_it_is_sure(line, names):
    assert person_names.split_names(line) == names
