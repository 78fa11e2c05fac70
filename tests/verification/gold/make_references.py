"""Writes references.json: citations of invented works, sound ones and such with one planted error.

    uv run python -m tests.verification.gold.make_references

The kinds follow what citations get wrong, by field; README.md describes them.
"""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.verification.gold.reference_set import ReferenceSet, Work, list_languages, to_latin
from tests.verification.gold.vocabulary import ONE_WORD, OTHER_JOURNALS

HERE = Path(__file__).parent
ROMAN = ((50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
SITES = {"arxiv.org": {"path": "*", "status": 200, "target": ""}}
LATIN = ("en", "de", "fr", "es", "it", "pt", "pl", "tr")
UNINDEXED = (
    ("en", "Quist, J. and Brookfield, A. (2019). Quiet Transport Protocol. RFC 8{0:03}, RFC Editor."),
    ("en", "Hargreaves, M.-A. Solar kiln with slow door. US Patent 9,1{0:02},456 B2, issued 3 May 2016."),
    ("de", "Ebersbach, J.: Trocknungsofen mit Moorfüllung. DE 10 2014 1{0:02} 233 A1, 2015."),
    ("en", "Directive 2008/{0}/EC of the European Parliament and of the Council on the quiet of moors, OJ L 152, 11.6.2008."),
    ("de", "Verordnung (EU) 2016/{0} des Europäischen Parlaments und des Rates über Moorwiesen."),
    ("fr", "Règlement (UE) n° 2017/{0} du Parlement européen et du Conseil relatif aux tourbières."),
    ("en", "Moor Conservation Act, {0} U.S.C. § 1531 (2012)."),
    ("en", "Vasterling, A. (2011). Kilns of the northern moors {0}. PhD thesis, University of Burela."),
    ("de", "Lößnitz, Heiner: Kopfweiden im Umland {0}. Dissertation, Universität Almenau, 1999."),
    ("fr", "Delacourt, Hélène. Les fours solaires {0}. Thèse de doctorat, Université de Montreuze, 2004."),
    ("es", "Peñalver Ruiz, José Luis. Los pozos de nieve {0}. Tesis doctoral, Universidad de Almenar, 2008."),
    ("en", "ISO 14{0:03}:2015, Environmental quiet: requirements with guidance for use. International Organization for Standardization."),
    ("de", "DIN EN 13{0:03}:2012-08, Torf und Substrate: Bestimmung der Ruhe. Beuth, Berlin."),
    ("zh", "王小明. 白鹭湾泥炭沼泽研究{0}[D]. 静水: 静水大学学位论文, 2012."),
    ("en", "Thornbury, C. (2001). The clay tablets of Lindby {0}. Slow Press. ISBN 978-3-16-148410-0."),
)  # fmt: skip


def add_sound(to: ReferenceSet) -> None:
    """Add what is cited rightly, in all the forms in which that is usual."""
    for language in list_languages(80):
        to.add_item("recorded", to.build_work(language), [])
    for language in list_languages(60):
        to.add_item("recorded_without_doi", to.build_work(language), [], DOI=None)
    for language in list_languages(270):
        to.add_printed("printed", to.build_work(language), [])
    for language in list_languages(70):
        work = to.build_work(language)
        to.add_printed("printed_with_doi", work, [], DOI=work["doi"])
    add_name_forms(to)
    add_field_forms(to)
    add_title_forms(to)
    for notice, flags in (("retraction", ["retracted"]), ("correction", []), ("expression_of_concern", [])):
        for at, language in enumerate(list_languages(12)):
            add = to.add_item if at % 2 else to.add_printed
            add(notice, to.build_work(language, notice=notice), flags)
    for _ in range(15):  # a work whose title differs from a retracted one's by one word
        retracted = to.build_work("en", notice="retraction")
        to.add_item("beside_retracted", to.build_work("en", title=to.find_faulty_title(retracted)), [], DOI=None)


def add_name_forms(to: ReferenceSet) -> None:
    for at, language in enumerate(list_languages(45)):
        work = build_for_several(to, language)
        cut = [work["authors"][0], ["", "et al."]]
        to.add_item("et_al", work, [], authors=cut, DOI=work["doi"] if at % 2 else None)
    for at in range(32):
        work = to.build_work(LATIN[at % len(LATIN)])
        marks = ". ", " ", ".-" if at % 3 else ".", ""
        names = [[shorten(given, marks[at % 4]), family] for given, family in work["authors"]]
        to.add_item("initials", work, [], authors=names)
    for at in range(32):
        work = to.build_work(LATIN[at % len(LATIN)])
        names = [[given.replace("-", " "), family.replace("-", "‐")] for given, family in work["authors"]]
        if at % 2:
            names = [["", f"{family} {shorten(given, '')}"] for given, family in work["authors"]]
        to.add_item("name_order", work, [], authors=names)
    add_scripts(to)


def add_scripts(to: ReferenceSet) -> None:
    for at in range(60):  # printed in Latin letters, recorded in the language's own, or the other way round
        work = to.build_work(("ru", "zh", "el", "ja", "ko", "ar")[at % 6])
        if at % 4 == 3:
            native, work["authors"] = work["authors"], to_latin(work)
            to.add_item("transliterated", work, [], authors=native)
        elif at % 2:
            to.add_printed("transliterated", work, [], authors=to_latin(work), style="apa")
        else:
            to.add_item("transliterated", work, [], authors=to_latin(work))
    for at in range(24):
        work = to.build_work(LATIN[at % len(LATIN)])
        to.add_item("without_diacritics", work, [], authors=to_latin(work))


def add_field_forms(to: ReferenceSet) -> None:
    for at in range(32):
        work = to.build_work((*LATIN, "ru", "el")[at % 10])
        to.add_item("abbreviated_journal", work, [], **{"container-title": work["short"]})
    for at in range(28):
        work = to.build_conference_work(workshop=at % 2 == 1)
        to.add_item(
            "acronym",
            work,
            [],
            **{"container-title": f"{work['acronym']} {work['year']}" if at % 4 else work["acronym"]},
        )
    for at in range(24):
        work = to.build_work("en")
        first, last = work["page"].split("-")
        pages = (
            f"{first}–{last}",
            f"{first}--{last[-2:]}" if len(last) == len(first) > 2 else f"pp. {first}-{last}",
            first,
        )
        to.add_item("page_forms", work, [], page=pages[at % 3], volume=to_roman(int(work["volume"])))
    for at, language in enumerate(list_languages(24)):
        work = to.build_work(language)
        broken = f"{work['doi'][:9]}¶{work['doi'][9:]}" if at % 2 else work["doi"].replace(".0", "¶.0")
        to.add_printed("broken_doi", work, [], style="apa", DOI=broken)
    for at in range(28):
        year = 2010 + at % 12
        work = to.build_work("en", year=year + 2, arxiv=f"{year % 100:02}05.{10_000 + at}")
        preprint = {"volume": None, "issue": None, "page": None, "publisher": None, "DOI": None,
                    "container-title": "arXiv preprint", "URL": f"http://arxiv.org/abs/{work['arxiv']}"}  # fmt: skip
        to.add_item("preprint", work, [], year=year, **(preprint if at % 2 else preprint | {"URL": None}))
    for language in list_languages(24):
        work = to.build_work(language)
        to.add_item("year_before_print", work, [], year=work["year"] - 1)


def add_title_forms(to: ReferenceSet) -> None:
    for language in list_languages(24):
        work = to.build_work(language)
        to.add_item("capitals", work, [], title=work["title"].upper())
    for at in range(24):
        work = to.build_work("en")
        title = work["title"]
        work["title"] = f"{title}: <i>Zostera</i> &amp; others" if at % 2 else f"{title} &amp; H<sub>2</sub>O"
        cited = f"{title}: Zostera & others" if at % 2 else f"{title} &amp;amp; H2O"
        to.add_item("markup", work, [], title=cited)
    for at, language in enumerate(list_languages(24)):
        work = to.build_work(language)
        title, work["title"] = work["title"], f"{work['title']}: 1994–2004"
        (to.add_item if at % 2 else to.add_printed)("without_subtitle", work, [], title=title)
    for language, titles in ONE_WORD.items():
        for title in titles:
            to.add_item("one_word", to.build_one_word_work(language, title), [])


def add_planted(to: ReferenceSet) -> None:
    """Add citations with one error in a field: in parts with and without a DOI, and printed."""
    names: dict[str, Callable[[Work], list[list[str]]]] = {
        "author_added": lambda work: [*work["authors"], *to.invent_strangers(work["language"], 1)],
        "author_deleted": lambda work: work["authors"][:-1],
        "authors_reordered": lambda work: work["authors"][::-1],
        "author_replaced": lambda work: [*work["authors"][:-1], *to.invent_strangers(work["language"], 1)],
        "authors_exchanged": lambda work: to.invent_strangers(work["language"], 3),
    }
    for kind, change in names.items():
        for at, language in enumerate(list_languages(26)):
            work = build_for_several(to, language)
            plant(to, kind, work, at, "author_mismatch", authors=change(work))
    add_planted_fields(to)
    add_planted_titles(to)
    add_planted_identifiers(to)


def add_planted_fields(to: ReferenceSet) -> None:
    for at, language in enumerate(list_languages(30)):
        work = to.build_work(language)
        plant(to, "year", work, at, "year_mismatch", year=work["year"] + (-4, 3, 11)[at % 3])
    for at, language in enumerate(list_languages(36)):
        journal = OTHER_JOURNALS.get(language, ("Nature", "Deep-Sea Metallurgy Quarterly", "Vacuum Optics")[at % 3])
        plant(to, "venue", to.build_work(language), at, "venue_mismatch", **{"container-title": journal})
    for at, language in enumerate(list_languages(26)):
        work = to.build_work(language)
        plant(to, "volume", work, at, "volume_mismatch", volume=str(int(work["volume"]) + 101))
    for at, language in enumerate(list_languages(26)):
        plant(to, "pages", to.build_work(language), at, "pages_mismatch", page=f"{2100 + at}-{2112 + at}")
    for at, language in enumerate(list_languages(24)):
        work = to.build_work(language, publisher="Elsevier BV")
        plant(to, "publisher", work, at % 2, "publisher_mismatch", publisher="Cambridge University Press")
    for at in range(14):
        plant(to, "place", to.build_conference_work(), at % 2, "place_mismatch", **{"event-place": "Quellin, Ostmark"})


def add_planted_identifiers(to: ReferenceSet) -> None:
    for at, language in enumerate(list_languages(26)):
        other = to.build_work(language)
        to.add_item("other_doi", to.build_work(language), ["identifier_mismatch"], DOI=other["doi"])
        doi = f"10.71234/none.{at:03}"
        to.add_item("missing_doi", to.build_work(language), ["identifier_mismatch", "not_found"], DOI=doi)
    for at, language in enumerate(list_languages(20)):
        work = to.build_work(language)
        title = f"{work['title']} {at}"
        to.add_item("fabricated", invent_work(to, work), ["not_found"], DOI=f"10.71234/fake.{at}", title=title)


def add_planted_titles(to: ReferenceSet) -> None:
    for at, language in enumerate(list_languages(150)):
        work = to.build_work(language)
        title = to.find_faulty_title(work)
        kind = "title_opposite"
        if re.sub(r"\d+|\b[XVI]+\b|[十五]年", "", title) == re.sub(r"\d+|\b[XVI]+\b|[十五]年", "", work["title"]):
            kind = "title_number"
        elif len(title.split()) < len(work["title"].split()) or re.search(r"\b(?:without|ohne|sin|sem)\b", title):
            kind = "title_negation"
        plant(to, kind, work, at, "title_mismatch", title=title)
    for language in list_languages(20):
        work = to.build_work(language)
        other = to.build_work(language)
        to.add_item("other_title", work, ["title_mismatch", "identifier_mismatch"], title=other["title"],
                    authors=other["authors"], DOI=work["doi"])  # fmt: skip
        to.works.remove(other)


def add_unindexed(to: ReferenceSet) -> None:
    for at, (language, text) in enumerate(UNINDEXED * 4):
        to.add_text("unindexed", language, text.format(20 + at), ["unchecked"])


def plant(to: ReferenceSet, kind: str, work: Work, at: int, flag: str, **changes: Any) -> None:
    """Add a faulty citation by turns with its DOI, without, and printed."""
    if at % 3 == 2 and kind not in ("publisher", "place"):
        to.add_printed(kind, work, [flag], **changes)
    else:
        to.add_item(kind, work, [flag], **({"DOI": None} if at % 3 == 1 else {}), **changes)


def build_for_several(to: ReferenceSet, language: str) -> Work:
    """Invent a work of at least two authors."""
    while len((work := to.build_work(language))["authors"]) < 2:
        to.works.remove(work)
    return work


def invent_work(to: ReferenceSet, work: Work) -> Work:
    """Turn a work into one that nobody knows."""
    to.works.remove(work)
    return work | {"authors": to.invent_strangers(work["language"])}


def shorten(given: str, mark: str) -> str:
    return mark.join(part[0] for part in re.split(r"[\s-]+", given)) + mark.rstrip("-")


def to_roman(number: int) -> str:
    text = ""
    for value, letters in ROMAN:
        text += letters * (number // value)
        number %= value
    return text


def main() -> None:
    to = ReferenceSet()
    add_sound(to)
    add_planted(to)
    add_unindexed(to)
    to.print_all()
    parts: dict[str, Any] = {"sites": SITES, "works": to.works, "cases": to.cases}
    lines = [f'"{name}": {_format_rows(rows)}' for name, rows in parts.items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (HERE / "references.json").write_text(text)
    sys.stdout.write(f"{len(to.works)} works, {len(to.cases)} citations, {len(text.encode()):,} bytes\n")


def _format_rows(rows: Any) -> str:
    return f"[\n{',\n'.join(map(_row, rows))}\n]" if isinstance(rows, list) else _row(rows)


def _row(row: Any) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
