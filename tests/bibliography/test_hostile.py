"""Bibliographies made to hurt: they end, in little memory, and nothing in them runs, expands or reaches out."""

import dataclasses
import json
import re
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.bibliography.field_labels import load_model
from assay.bibliography.notation import parse_bibliography

MILLION, MUCH = 1_000_000, 50_000
FEW = 50  # entries that are read
BOMB = (
    '@string{a = "' + "x" * 1000 + '"}\n'
    + "".join(f"@string{{{chr(98 + n)} = {chr(97 + n)} # {chr(97 + n)}}}\n" for n in range(24))
    + "@article{k, title = y # y, author = y, journal = y # y # y}\n" * 2000
)  # fmt: skip
LARGE = {
    "open entries": ("@article{" * (MUCH), 1),
    "open braces": ("@a{k,title=" + "{" * 2 * MUCH, 1),
    "quotes": ('@a{k,title="' + '{"}' * MUCH, 1),
    "fields": ("@a{k," + ",".join(f"f{n}={{x}}" for n in range(MUCH // 5)) + "}", 1),
    "joined": ("@a{k,title=" + "1#" * MUCH + "1}", 1),
    "accents": (r"@a{k,title={" + r"\'" * MUCH + "}}", 1),
    "nested commands": (r"@a{k,title={" + r"\emph{" * MUCH + "}" * MUCH + "}}", 1),
    "authors": ("@a{k,author={" + "A B and " * MUCH + "C D}}", 1),
    "spaces": ("@a{k,author={" + " " * MUCH + "and" + " " * MUCH + "}}", 1),
    "long lines": ("TY  - JOUR\nTI  - " + "x" * 5 * MUCH + "\nER  - ", 1),
    "continued": ("TY  - JOUR\nTI  - x\n" + "y\n" * MUCH + "ER  - ", 1),
    "tags": ("TY  - JOUR\n" + "AU  - x\n" * MUCH + "ER  - ", 1),
    "deep": ("[" * MUCH, 0),
    "deep items": ('[{"a":' * MUCH, 0),
    "nested items": ('[{"a":[{"b":1},' * MUCH, 0),
    "names": ('[{"author":[' + '{"family":"x"},' * MUCH + '{"family":"y"}]}]', 1),
    "bad items": ("[{x}," + "{x}," * MUCH + "{}]", 0),
    "open lists of yaml": ("k:\n  type: " + "[" * MUCH, 0),
    "nested maps of yaml": ("k:\n  type: " + "{a: " * MUCH, 0),
    "keys of yaml": ("".join(f"k{n}:\n  type: book\n" for n in range(MUCH // 10)), 1),
    "tags of medline": ("PMID- 1\nTI  - x\n" + "AU  - Otter A\n" * MUCH, 1),
    "continued medline": ("PMID- 1\nTI  - x\n" + "      y\n" * MUCH, 1),
    "records of medline": ("PMID- 1\n" * MUCH, 1),
    "open records": ("<xml><records>" + "<record>" * 200 + "<titles>" * 200, 0),
    "authors of endnote": (
        "<xml><records><record>" + "<authors><author>x</author></authors>" * (MUCH // 10) + "</record></records></xml>",
        1,
    ),
    "open items": ("\\bibitem[" * MUCH, 0),
    "items": ("\\bibitem{k} A. Otter, On stones, 2001.\n" * (MUCH // 100), 1),
    "commas": ("[" + "," * 3 * MUCH + "]", 0),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_and_broken_documents_end_in_little_memory(name):
    text, entries = LARGE[name]
    load_model("reference_model.json.gz")  # it is kept, and loading it takes seconds while memory is traced
    tracemalloc.start()
    result = parse_bibliography(text, limit=FEW)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(result.entries) >= entries
    assert len(result.entries) <= FEW
    assert peak < 3 * MILLION + 20 * len(text)


def test_macros_do_not_expand_without_bound():
    result = parse_bibliography(BOMB)
    assert result.total == 2000
    assert sum(len(entry.title) + len(entry.container) for entry in result.entries) < 4 * MILLION
    assert any("expand beyond the size limit" in note for entry in result.entries for note in entry.unread)


def test_ten_megabytes_of_entries_are_counted_and_the_first_read():
    text = "@article{k, author = {Jos{\\'e} Garc{\\'\\i}a}, title = {The {RNA} world}, year = 2001}\n" * 120_000
    assert len(text) > 10 * MILLION
    result = parse_bibliography(text, limit=200)
    assert (len(result.entries), result.total) == (200, 120_000)
    assert result.entries[199].authors[0].family == "García"


@pytest.mark.parametrize(
    "text",
    [
        r"@misc{k, title = {\input{/etc/passwd}}}",
        r"@misc{k, title = {\write18{touch /tmp/assay-was-here}}}",
        r"@misc{k, title = {\csname end\endcsname \def\a{\a\a}\a}}",
        r"@misc{k, title = {\include{secret} \openin\x=secret \read\x to \y}}",
    ],
)
def test_no_command_of_tex_is_obeyed(text, tmp_path):
    [entry] = parse_bibliography(text).entries
    assert "root:" not in entry.title
    assert len(entry.title) < 60


@pytest.mark.parametrize(
    "item",
    [
        '{"title": "<script>alert(1)</script>", "URL": "javascript:alert(1)"}',
        '{"title": "<img src=x onerror=alert(1)>", "URL": "data:text/html,x"}',
        '{"title": "x", "URL": "file:///etc/passwd"}',
        '{"title": "x", "URL": " \\u0001javascript:alert(1)"}',
        '{"title": "x", "__proto__": {"polluted": 1}, "constructor": {"prototype": 1}}',
    ],
)
def test_scripts_in_csl_are_text_and_no_address(item):
    [entry] = parse_bibliography(f"[{item}]").entries
    assert entry.url == ""
    assert entry.title


def test_an_address_inside_a_script_is_not_taken_for_one():
    [entry] = parse_bibliography('[{"title": "x", "URL": "javascript:fetch(\'https://evil.example/\')"}]').entries
    assert entry.url == ""


@pytest.mark.parametrize(
    "text",
    [
        "a: &a [x, x]\nb: &b [*a, *a]\nk:\n  type: book\n  title: *b\n",
        "k: &k\n  <<: *k\n  type: book\n",
        "k:\n  type: " + "[" * 60 + "]" * 60 + "\n",
    ],
)
def test_yaml_that_multiplies_itself_is_refused_with_a_reason(text):
    result = parse_bibliography(text, "hayagriva")
    assert result.entries == ()
    assert "refused" in result.unread[0].reason or "levels deep" in result.unread[0].reason


def test_tags_of_yaml_make_no_objects():
    text = "k:\n  type: book\n  title: !!python/object/apply:os.system ['true']\n"
    [entry] = parse_bibliography(text).entries
    assert entry.title == ""
    [entry] = parse_bibliography("k:\n  type: book\n  title: !!python/name:os.system Otters\n").entries
    assert entry.title == "Otters"


@pytest.mark.parametrize("head", ['<!DOCTYPE xml [<!ENTITY b "x">]>', '<!DOCTYPE xml SYSTEM "file:///etc/passwd">'])
def test_a_doctype_of_endnote_is_refused(head):
    record = "<xml><records><record><titles><title>&b;</title></titles></record></records></xml>"
    result = parse_bibliography(head + record, "endnote-xml")
    assert result.entries == ()
    assert "DOCTYPE" in result.unread[0].reason


def test_a_record_does_not_hide_in_the_value_of_another():
    result = parse_bibliography('[{"title": "A\\nER  - \\nTY  - JOUR\\nTI  - B"}]')
    assert [entry.title for entry in result.entries] == ["A ER - TY - JOUR TI - B"]


def test_control_characters_end_no_line():
    [entry] = parse_bibliography("TY  - JOUR\nTI  - A\x0bER  - \x0cTY  - B\x85C\u2028D\nER  - ").entries
    assert entry.title == "A ER - TY - B C D"


PIECES = st.lists(
    st.sampled_from(
        [
            *(
                "@article",
                "@string",
                "@comment",
                "{",
                "}",
                "(",
                ")",
                '"',
                "#",
                "=",
                ",",
                "\\",
                "\\'",
                "$",
                "%",
                "\\u00",
            ),
            *("TY  - JOUR", "TI  - x", "ER  - ", "AU  - A, B, C", "DO  - 10.1000/x", "\n", "\r", " ", "\ufeff", "\x00"),
            *(
                "[",
                "]",
                ":",
                "1",
                "null",
                '"title"',
                '"author"',
                '{"title": "x"}',
                "title",
                "author",
                "and",
                " and ",
                "é",
            ),
            *("a", "2020", "10.1000/x", "https://a.example/"),
        ]
    ),
    max_size=40,
).map("".join)


@settings(max_examples=500, deadline=None)
@given(
    PIECES | st.text(max_size=60),
    st.sampled_from(["bibtex", "ris", "csl-json", "nbib", "endnote-xml", "hayagriva", "bbl", "text"]),
)
def test_whatever_it_is_it_is_read_or_told(text, told):
    result = parse_bibliography(text, told, limit=5)
    assert len(result.entries) == min(result.total, 5)
    assert [entry.number for entry in result.entries] == list(range(1, len(result.entries) + 1))
    lines = len(re.split("\r\n?|\n", text))
    assert all(1 <= each.line <= lines for each in (*result.entries, *result.unread))
    for entry in result.entries:
        for value in (entry.title, entry.container, entry.doi, entry.url, *(name.family for name in entry.authors)):
            assert "\n" not in value
            assert value == value.strip()


@pytest.mark.parametrize("odd", ["NaN", "Infinity", "-Infinity", "1e999", '"\\ud800x"', "99999999999999999999", "[[]]"])
@pytest.mark.parametrize("field", ["title", "issued", "volume", "author", "DOI", "URL", "id", "type"])
def test_an_item_with_what_no_text_can_hold_is_read_and_can_be_sent(field, odd):
    read = parse_bibliography(f'[{{"title": "Otters", "{field}": {odd}}}, {{"title": "Stones"}}]', "csl-json")
    assert read.total == 2
    assert read.entries[1].title == "Stones"
    output = json.dumps([dataclasses.asdict(work) for work in read.entries], ensure_ascii=False)
    output.encode()
    assert "nan" not in output.lower()
