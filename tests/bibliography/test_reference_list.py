"""The list of references of a document: found below its heading, and split into the entries that were printed."""

import re
import textwrap

import pytest
from tests.support.processor_time import assert_linear

from assay.bibliography.reference_list import find_reference_list, split_entries

REFERENCES = """
Abelung, R., & Castermans, P. T. (2011). Tidal clocks of the common limpet. Journal of Shore Studies, 14(2), 101–119.
Birkenau, O. (1998). The weathervane and the sea: A history of coastal forecasting. Aberystwyth: Harbour Press.
Dellacourt, M. A., Oyelaran, S., & Finch, W. (2017). Measuring drift in moored buoys. Ocean Instruments, 5, 33–47. https://doi.org/10.71234/oi.2017.0033
Eskildsen, T. (2020). Salt marsh accretion under storm surges. In L. Maarten & Q. Rossi (Eds.), Coasts in motion (pp. 210–233). Delft: Polder Editions.
Fairweather, N., Grünspan, H., Ito, K., & Villalobos, E. (2009). A gazetteer of drowned villages. Antiquarian Geography Review, 62(4), 415–460.
Hallgrímsdóttir, S. (2015). Counting puffins from the air: bias and remedy. Northern Ornithologist, 88(1), 7–21.
Iversen, J. K., & Okonkwo, A. (2003). Peat, fire and memory. Moorland Archives, 29, 1–18.
Lindqvist, B. (1987). Lichen growth on harbour walls (Report No. 12). Gothenburg: Institute of Quays.
""".strip().split("\n")
NUMERIC = [
    "R. Abelung and P. T. Castermans, “Tidal clocks of the common limpet,” J. Shore Stud., vol. 14, no. 2, pp. 101–119, 2011.",
    "O. Birkenau, The Weathervane and the Sea. Aberystwyth: Harbour Press, 1998.",
    "M. A. Dellacourt, S. Oyelaran, and W. Finch, “Measuring drift in moored buoys,” Ocean Instrum., vol. 5, pp. 33–47, 2017.",
    "T. Eskildsen, “Salt marsh accretion under storm surges,” in Coasts in Motion, 2020, pp. 210–233.",
    "N. Fairweather et al., “A gazetteer of drowned villages,” Antiq. Geogr. Rev., vol. 62, pp. 415–460, 2009.",
]
BODY = "Limpets return to their home scar (Abelung & Castermans, 2011). They were counted in 2012.\n\n1. Wash the quadrat.\n2. Count.\n"
HEADINGS = [
    "References", "# References", "## **Bibliography**", "7. REFERENCES", "R E F E R E N C E S", "Works Cited:", "VI. Literature Cited",
    "Literaturverzeichnis", "Références bibliographiques", "Bibliografía", "Referências", "Riferimenti bibliografici", "Literatuurlijst",
    "Källförteckning", "Lähteet", "Список литературы", "Література", "参考文献", "참고문헌", "المراجع", "Kaynakça", "Βιβλιογραφία",
    "Piśmiennictwo", "Irodalomjegyzék", "\\section*{References}", "References[edit]", "Literatura", "Daftar Pustaka", "ביבליוגרפיה",
]  # fmt: skip


def texts_of(text):
    return [entry.text for entry in find_reference_list(text).entries]


def wrap(reference, width=72, first="", other=""):
    return "\n".join(
        textwrap.wrap(reference, width, initial_indent=first, subsequent_indent=other, break_on_hyphens=False)
    )


@pytest.mark.parametrize("heading", HEADINGS)
def test_the_list_begins_at_a_heading_of_its_language(heading):
    text = f"{BODY}\n{heading}\n\n" + "\n".join(REFERENCES)
    found = find_reference_list(text)
    assert [entry.text for entry in found.entries] == REFERENCES
    assert text[found.start :].startswith(heading)
    assert found.end == len(text)


@pytest.mark.parametrize(
    "label", ["[{}] ", "{}. ", "({}) ", "{}) ", "{} ", "[{}]", "<sup>{}</sup> ", "[^{}]: ", "\\[{}\\] ", "{}\n"]
)
@pytest.mark.parametrize("width", [60, 1000])
def test_labels_divide_a_numbered_list(label, width):
    lines = [
        wrap(label.format(at).strip("\n") + ("\n" in label) * "\n" + each, width, "", "   ")
        for at, each in enumerate(NUMERIC, 1)
    ]
    if "\n" in label:
        lines = [label.format(at) + wrap(each, width) for at, each in enumerate(NUMERIC, 1)]
    found = find_reference_list(f"{BODY}\nReferences\n" + "\n".join(lines))
    assert [(entry.label, entry.text) for entry in found.entries] == [
        (str(at), each) for at, each in enumerate(NUMERIC, 1)
    ]


def test_superscripts_and_names_are_labels():
    raised = ["¹", "²", "³", "⁴", "⁵"]
    text = "References\n" + "\n".join(f"{mark}{each}" for mark, each in zip(raised, NUMERIC, strict=True))
    assert [entry.label for entry in find_reference_list(text).entries] == ["1", "2", "3", "4", "5"]
    named = ["AC11", "Bir98", "DOF17", "Esk20", "F+09"]
    text = "References\n" + "\n".join(wrap(f"[{mark}] {each}", 60) for mark, each in zip(named, NUMERIC, strict=True))
    assert [(entry.label, entry.text) for entry in find_reference_list(text).entries] == list(
        zip(named, NUMERIC, strict=True)
    )


def test_a_year_or_a_volume_at_the_head_of_a_line_is_no_label():
    text = "References\n[1] A. Heron, A year of tides,\n1998. Harbour Press.\n[2] B. Stork, More tides, Shore Studies,\n12. 2001.\n[3] C. Crane, 2004.\n"
    assert [entry.label for entry in find_reference_list(text).entries] == ["1", "2", "3"]


def test_a_numbered_list_without_line_breaks_is_divided():
    text = "References\n" + " ".join(f"[{at}] {each}" for at, each in enumerate(NUMERIC, 1))
    assert texts_of(text) == NUMERIC


@pytest.mark.parametrize(("first", "other"), [("", ""), ("", "    "), ("   ", "")])
def test_an_unlabelled_list_of_wrapped_lines_is_divided(first, other):
    text = "References\n" + "\n".join(wrap(each, 68, first, other) for each in REFERENCES)
    assert texts_of(text) == REFERENCES


def test_pages_between_and_inside_entries_leave_no_trace():
    lines = [line for each in REFERENCES for line in wrap(each, 56).split("\n")]
    heads = ["\n12\n\nShore Studies in Brief\n", "\n13\n\nShore Studies in Brief\n", "\n14\n\nShore Studies in Brief\n"]
    for at, head in zip((17, 11, 4), reversed(heads), strict=True):
        lines.insert(at, head)
    assert texts_of("Shore Studies in Brief\n\nReferences\n" + "\n".join(lines)) == REFERENCES


def test_a_running_head_of_the_whole_document_is_no_part_of_an_entry():
    head = "\n\nA. Heron / Shore Studies in Brief\n\n{}\n\n"
    entries = [f"[{at}] {each}" for at, each in enumerate(NUMERIC, 1)]
    list_text = "\n\n".join(entries[:3]) + head.format(2) + "\n\n".join(entries[3:])
    assert texts_of(f"{BODY}{head.format(1)}{BODY}\n\n# References\n\n{list_text}") == NUMERIC


def test_names_and_year_are_not_apart_from_the_title_behind_them():
    entries = [each for each in REFERENCES for _ in range(4)]
    lines = [line for each in entries[5:] for line in wrap(each, 119).split("\n")]
    found = texts_of("# References\n\n" + "\n\n".join([" ".join(entries[:5]), *lines]))
    assert not [each for each in found if each.endswith("Okonkwo, A. (2003).")]


def test_broken_words_dois_and_ranges_are_joined():
    text = (
        "References\n[1] A. Heron, Sedi-\nmentation of har-\nbours, 2001, 12–\n19, https://doi.org/10.71234/\nslow.2001.77\n"
        "[2] B. Stork, Low tides, 2002, doi:10.71234/long-identifier-of-a-\n20020101.9\n[3] C. Crane, Foot\u00ad\nprints, 2003.\n"
    )  # fmt: skip
    assert texts_of(text) == [
        "A. Heron, Sedimentation of harbours, 2001, 12–19, https://doi.org/10.71234/slow.2001.77",
        "B. Stork, Low tides, 2002, doi:10.71234/long-identifier-of-a-20020101.9",
        "C. Crane, Footprints, 2003.",
    ]


@pytest.mark.parametrize(
    "after",
    [
        "Appendix A. Proofs\n\nLet x be 2010.",
        "Acknowledgements\n\nWe thank the harbour master in 2019.",
        "## Supplementary tables\n\nRows of 2012.",
        "Figure 3. Limpets in 2012, seen from the quay.",
        "Danksagung\nDem Hafenmeister, 2019.",
        "Author contributions\nA.H. wrote it in 2020.",
        "Received: 12 March 2020; accepted 3 May 2021",
    ],
)
@pytest.mark.parametrize("labelled", [True, False])
def test_the_list_ends_where_something_else_begins(after, labelled):
    entries = [f"[{at}] {each}" for at, each in enumerate(NUMERIC, 1)] if labelled else REFERENCES
    text = "References\n" + "\n".join(entries) + f"\n\n{after}\n"
    found = find_reference_list(text)
    assert [entry.text for entry in found.entries] == (NUMERIC if labelled else REFERENCES)
    assert found.end < text.index(after)


def test_a_caption_between_entries_is_no_part_of_them():
    lines = [f"[{at}] {wrap(each, 60)}" for at, each in enumerate(NUMERIC, 1)]
    lines.insert(3, "\nTable 2. Limpets by year.\n2010 2011 2012\n\n")
    assert texts_of("References\n" + "\n".join(lines)) == NUMERIC


def test_the_last_list_counts_and_supplementary_ones_continue_it():
    chapter = (
        "References\n[1] A. Heron, An earlier chapter, 1999.\n[2] B. Stork, Another one, 1998.\n\n# Chapter 2\nText.\n"
    )
    main = "References\n" + "\n".join(f"[{at}] {each}" for at, each in enumerate(NUMERIC[:3], 1))
    rest = "\n".join(f"[{at}] {each}" for at, each in enumerate(NUMERIC[3:], 4))
    text = f"{chapter}{main}\n\n# Methods\nWe count.\n\nReferences\n{rest}"
    assert texts_of(text) == NUMERIC
    [(_, end), (start, _)] = find_reference_list(text).sections
    assert text[end:start].strip() == "# Methods\nWe count."
    own = "\n".join(f"[{at}] {each}" for at, each in enumerate(NUMERIC[3:], 1))
    assert texts_of(f"{chapter}{main}\n\nAcknowledgements\nThanks.\n\nSupplementary References\n{own}") == NUMERIC


def test_a_document_without_a_list_has_none():
    for text in (
        "",
        BODY,
        "References\n",
        "References\n\nThe word alone, and no entry below it.",
        "See the references of 2010.",
    ):
        found = find_reference_list(text)
        assert (found.entries, found.start, found.end, found.heading) == ((), 0, 0, "")


def test_entries_tell_their_places():
    text = f"{BODY}\n# References\n\n" + "\n".join(f"- {each}" for each in REFERENCES) + "\n\n# Appendix\n"
    for entry, reference in zip(find_reference_list(text).entries, REFERENCES, strict=True):
        assert text[entry.start : entry.end] == f"- {reference}"


def test_lists_in_other_scripts_are_divided():
    chinese = [
        "王小明, 李华. 潮汐观测研究[J]. 海岸科学, 2015, 12(3): 45-52.",
        "张伟. 港口史[M]. 青岛: 海洋出版社, 2008.",
        "陈静, 刘洋. 盐沼的变化[J]. 地理评论, 2019, 4(1): 9-18.",
    ]
    russian = [
        "Соколов, А. В. Приливы северных морей. Москва: Причал, 2004. 212 с.",
        "Тихонова, М. И. Лишайники гаваней // Вестник берега. 2012. Т. 7. С. 33–41.",
    ]
    assert texts_of("参考文献\n" + "\n".join(chinese)) == chinese
    assert texts_of("Литература\n" + "\n".join(russian)) == russian


HOSTILE = {
    "references": lambda n: "References\n" + "".join(wrap(each, 70) + "\n" for each in REFERENCES) * (n // 4),
    "numbered": lambda n: "References\n" + "".join(f"[{at}] {NUMERIC[at % 5]}\n" for at in range(n * 2)),
    "headings": lambda n: "References\n2019\n\n" * n * 8,
    "numbers": lambda n: "References 2010\nReferences\n2010\n" + "1\n" * n * 40,
    "one line": lambda n: "References\n2010 " + "Smith, J. (2010). Title here. " * n * 4,
    "spaces": lambda n: "References\n2010" + " " * n * 400 + "x",
    "hyphens": lambda n: "References\n2010\n" + "abc-\n" * n * 10,
    "brackets": lambda n: "References\n2010 " + "[1] a" * n * 10,
    "form feeds": lambda n: "References\n2010\n" + "\f\nhead\n" * n * 10,
    "addresses": lambda n: "References\n2010\nhttps://" + "a/" * n * 200,
}


@pytest.mark.parametrize("shape", HOSTILE)
def test_the_time_grows_with_the_length_of_the_text(shape):
    assert_linear(lambda text: (find_reference_list(text), split_entries(text)), HOSTILE[shape], first=100, largest=800)


def test_five_thousand_references_are_all_found():
    text = "References\n" + "\n".join(
        wrap(re.sub(r"\d{4}", str(1900 + at % 120), REFERENCES[at % 8], count=1), 70, "", "   ") for at in range(5_000)
    )
    assert len(find_reference_list(text).entries) == 5_000


def test_a_range_of_pages_keeps_its_dash_where_a_line_broke():
    printed = "[1] Abelung R. Tidal clocks. J. Shore Stud. 14(2):101– 119, 2011.\n[2] Birkenau O. Weathervanes. Sea 9:3–\n17, 1998.\n"
    assert [text.rpartition(":")[2] for text in texts_of(f"{BODY}\n# References\n\n{printed}")] == [
        "101–119, 2011.",
        "3–17, 1998.",
    ]


@pytest.mark.parametrize(
    ("broken", "doi"),
    [("10.71234/ref.\n0790", "10.71234/ref.0790"), ("10.71234/ref/\n79", "10.71234/ref/79"),
     ("10.71234/ref.\n17", "10.71234/ref.")],
)  # fmt: skip
def test_a_doi_goes_on_in_a_line_of_digits_that_is_no_page_number(broken, doi):
    printed = f"[1] Abelung R. Tidal clocks of the common limpet. J. Shore Stud. 2011. https://doi.org/{broken}\n[2] Birkenau O. Weathervanes. Sea 9:3–17, 1998.\n"
    assert texts_of(f"{BODY}\n# References\n\n{printed}")[0].endswith(f"/{doi}")
