"""Hostile manuscripts: any text is read without an internal error, in linear time and within the limits."""

import asyncio
import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.processor_time import assert_linear

from assay.errors import ContentEmpty, InvalidInput, ToolError
from assay.manuscripts.manuscript_reader import read_manuscript

WORDS = """[ ] ( ) [1] [^1] ^3^ @key [@key] “ ” " « > ``` {. } { $$ % <p> </p> <sup> <blockquote> <q> <li> 。 王伟等（2020） a
\\cite{a} \\footnote{ \\bibitem{a} \\begin{document} \\begin{thebibliography} \\end{thebibliography} https://doi.org/10.1/x"""
LINES = ["\n", "\n\n", "# ", "[^1]: ", "# References\n", "1. ", "Smith, J. (2020). Title. ", "Smith et al. (2020)", " "]
MORE = [
    "(Doe, 2019a, b)",
    "---\ntitle: ",
    "<a href='#x'>",
    "<li id=x>",
    "<ol class=references>",
    "\u202e",
    "\u200b",
    "\x00",
]
PIECES = st.sampled_from([*WORDS.split(), *LINES, *MORE, "\ue000", "\ud800"])


@pytest.mark.parametrize(
    "name", ["markdown", "text", "latex", "html", "reference-list", "bibtex", "ris", "csl-json", None]
)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(text=st.lists(PIECES | st.text(max_size=8), max_size=40).map("".join))
async def test_no_text_causes_an_internal_error(name: str | None, text: str) -> None:
    try:
        manuscript = await read_manuscript(text, format=name, max_references=3, bibliography="@book{key, title={x}}")
    except (ContentEmpty, InvalidInput):
        return
    assert all(0 < index <= len(manuscript.references) for each in manuscript.citations for index in each.references)
    assert all(0 < each.paragraph <= len(manuscript.paragraphs) for each in manuscript.citations)
    assert all(each.marker in each.sentence for each in manuscript.citations)


def write_long(size: int) -> str:
    sentence = (
        "Otters eat urchins [{}, {}] and Smith et al. (2020) saw “a cascade that nobody had expected” (Doe, 2019).\n\n"
    )
    text = "".join(sentence.format(at % 5_000 + 1, at * 7 % 5_000 + 1) for at in range(size))
    listed = (
        f"{at}. Name{at}, A. ({1950 + at % 70}). Title number {at}. Journal, {at}(1), 1–9." for at in range(1, size)
    )
    return text + "# References\n\n" + "\n".join(listed)


GROWING: dict[str, tuple[str, Callable[[int], str]]] = {
    "a long manuscript": ("markdown", write_long),
    "a note of markers and spaces": ("markdown", lambda size: "[^1]:" + " [^2]" * 20 * size),
    "spaces in a heading": ("markdown", lambda size: "#" + " " * size + "a" * 600 + " b" * 10 * size),
    "brackets": ("markdown", lambda size: "[" * 10 * size),
    "open quotations": ("markdown", lambda size: "“abc " * 10 * size),
    "names before years": ("markdown", lambda size: "Aa Bb Cc, Dd and Ee Ff (2020) " * size),
    "open macros": ("latex", lambda size: "\\footnote{\\cite{a}" * 5 * size),
    "open environments": ("latex", lambda size: "\\begin{verbatim}\\begin{equation}$$" * 5 * size),
    "lists in lists": ("html", lambda size: "<div class=references>" * 200 + "<p>x" * 5 * size),
}


@pytest.mark.parametrize("case", GROWING)
def test_the_time_grows_with_the_length(case: str) -> None:
    name, write = GROWING[case]
    assert_linear(
        lambda text: asyncio.run(read_manuscript(text, format=name, max_references=1)),
        write,
        first=250,
        largest=1_000,
        all_threads=True,
    )


async def test_references_beyond_the_limit_are_counted_and_paired_with_nothing() -> None:
    manuscript = await read_manuscript(write_long(1_000), max_references=2)

    assert (len(manuscript.references), manuscript.total_references, manuscript.is_truncated) == (2, 999, True)
    assert not [
        label for each in manuscript.citations for label in each.unlisted if label != "Doe 2019" and int(label) < 1_000
    ]


async def test_a_manuscript_above_the_limit_of_bytes_is_refused() -> None:
    with pytest.raises(InvalidInput, match="limit is 10 bytes"):
        await read_manuscript("Otters eat urchins.", max_bytes=10)


async def test_an_unknown_format_is_refused_and_an_empty_manuscript_too() -> None:
    with pytest.raises(InvalidInput, match="is not a format of manuscripts"):
        await read_manuscript("Otters", format="wordstar")
    with pytest.raises(ContentEmpty):
        await read_manuscript("\u200b \x00")


async def test_invisible_characters_do_not_change_a_marker() -> None:
    text = "Otters eat [\u200b1]. They \u202erest\u202c [2\u2060].\n\n# References\n\n1. Smith, J. (2020). Otters.\n2. Doe, A. (2019). Kelp.\n"

    manuscript = await read_manuscript(text)

    assert [(each.marker, each.references) for each in manuscript.citations] == [("[1]", (1,)), ("[2]", (2,))]


@pytest.mark.parametrize(
    "code", ["{}", "[]", "{not json", json.dumps({"citationItems": [{"itemData": {"title": 7}}, 3]}), '{"a":' * 2_000]
)
async def test_a_field_with_damaged_records_does_not_stop_the_document(word_xml, sandbox, code: str) -> None:
    escaped = code.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
    body = word_xml(
        f'<w:p><w:fldSimple w:instr="ADDIN CSL_CITATION {escaped}"><w:r><w:t>(Smith, 2020)</w:t></w:r></w:fldSimple></w:p>'
    )

    manuscript = await read_manuscript(body, sandbox=sandbox)

    assert [each.text for each in manuscript.paragraphs] == ["(Smith, 2020)"]


async def test_a_decompression_bomb_is_refused(a_zip, sandbox) -> None:
    with pytest.raises(ToolError):
        await read_manuscript(a_zip({"word/document.xml": b"<w:p>" + bytes(60 << 20)}), sandbox=sandbox)
