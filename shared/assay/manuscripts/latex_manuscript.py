"""Reads a manuscript in LaTeX into a draft: its text, and the references of `thebibliography` and BibTeX."""

import re
from collections.abc import Sequence

from assay.bibliography.bibitems import find_items, read_item
from assay.bibliography.bibtex_fields import parse_bibtex
from assay.bibliography.notation import MAX_WORKS
from assay.bibliography.person_names import Name, parse_name
from assay.bibliography.work import CitedWork
from assay.manuscripts.latex_blocks import LatexBlockReader
from assay.manuscripts.latex_source import LatexGroups, clean_latex
from assay.manuscripts.manuscript_draft import Draft, DraftReference

BEGIN, END = "\\begin{document}", "\\end{document}"
LIST = re.compile(r"\\begin\{thebibliography\}")
LIST_END = "\\end{thebibliography}"
SHORT = re.compile(r"(.{2,100}?)\s?\(((?:1[5-9]|20)\d\d[a-z]?)\)")  # a label of natbib: `Smith et al.(2020)`
INPUTS = re.compile(r"\\(?:input|include|subfile|import)\s{0,5}\{([^{}\n]{1,200})\}")
BIBLIOGRAPHIES = re.compile(r"\\(?:bibliography|addbibresource)\s{0,5}(?:\[[^\]\n]{0,100}\])?\{([^{}\n]{1,500})\}")
NOCITE = re.compile(r"\\nocite\s{0,5}\{([^{}]{1,20000})\}")
THANKS = re.compile(
    r"\\(?:thanks|inst|textsuperscript|orcid(?:link|ID)?|email|affil|footnotemark)\*?(?:\[[^\]]{0,100}\])?\{[^{}]{0,1000}\}|\$[^$]{0,100}\$"
)
BETWEEN = re.compile(r"\\(?:and|And|AND)\b|\\\\|,(?=\s)|\\quad\b|\\qquad\b")
CITE_MACRO = re.compile(
    r"\\(?:re|provide)?newcommand\*?\s{0,5}\{?\\([A-Za-z]{1,40})\}?\s{0,5}\[1\]\s{0,5}"
    r"\{[^{}\\]{0,40}\\([A-Za-z]{0,20}cite[A-Za-z]{0,20})\*?(?:\[[^\[\]]{0,40}\]){0,2}\{#1\}[^{}]{0,40}\}"
)
MOST_MACROS = 50
MOST_AUTHORS = 500


def read_latex(text: str, listed: Sequence[DraftReference] = ()) -> Draft:
    """Read a LaTeX document, or the text of a `.bbl` file. `listed` are references from a bibliography beside it."""
    text, files = clean_latex(text)
    text = _replace_cite_macros(text)
    draft = Draft("latex")
    references = list(listed)
    for name, content in files.items():
        if name.endswith(".bib"):
            references += [DraftReference(work.key, "", work) for work in parse_bibtex(content, MAX_WORKS)[0]]
    text, items, printed = _split_list(text)
    references = references or items
    groups = LatexGroups(text)
    begin = text.find(BEGIN)
    end = text.find(END, max(begin, 0))
    reader = LatexBlockReader(text, groups, {each.label: each.work for each in references if each.work} | printed)
    reader.read(begin + len(BEGIN) if begin >= 0 else 0, end if end >= 0 else len(text))
    draft.blocks, draft.links, draft.references = reader.blocks, reader.links, references
    draft.title = next((read_item(THANKS.sub("", title)) for title in _read_fields(text, groups, "title")), "")
    draft.authors = _read_authors(text, groups)
    draft.notes = _list_missing_files(text, bool(references), files)
    return draft


def _replace_cite_macros(text: str) -> str:
    """Replace macros that the document defines as nothing but a citation of their argument."""
    macros = dict(CITE_MACRO.findall(text)[:MOST_MACROS])
    if not macros:
        return text
    text = CITE_MACRO.sub("", text)
    names = "|".join(sorted(map(re.escape, macros), key=len, reverse=True))
    return re.sub(rf"\\({names})(?=\s{{0,5}}\{{)", lambda found: "\\" + macros[found[1]], text)


def _split_list(text: str) -> tuple[str, list[DraftReference], dict[str, CitedWork]]:
    """Return the text without lists of references, their entries, and the authors and years that labels state."""
    pieces: list[str] = []
    references: list[DraftReference] = []
    printed: dict[str, CitedWork] = {}
    done = 0
    while (found := LIST.search(text, done)) and (end := text.find(LIST_END, found.end())) >= 0:
        pieces.append(text[done : found.start()])
        _read_items(text[found.end() : end], references, printed)
        done = end + len(LIST_END)
    rest = text[done:]
    if not references and "\\bibitem" in rest and BEGIN not in text:  # the text of a .bbl file without its environment
        _read_items(rest, references, printed)
        rest = ""
    return "".join([*pieces, rest]), references, printed


def _read_items(text: str, references: list[DraftReference], printed: dict[str, CitedWork]) -> None:
    for item in find_items(text):
        references.append(DraftReference(item.key, read_item(item.latex)))
        label = SHORT.match(read_item(item.label))
        if label:
            printed[item.key] = CitedWork(authors=(Name(label[1]),), date=label[2][:4])


def _read_fields(text: str, groups: LatexGroups, name: str) -> list[str]:
    """Return the LaTeX of the arguments of a macro such as `\\title`."""
    found = re.finditer(rf"\\{name}\*?(?![A-Za-z])", text)
    spans = (groups.find_group(groups.skip_options(each.end())) for each in found)
    return [text[start : min(end, start + 20_000)] for start, end in (span for span in spans if span)]


def _read_authors(text: str, groups: LatexGroups) -> tuple[Name, ...]:
    fields = [THANKS.sub("", field) for field in _read_fields(text, groups, "author")[:MOST_AUTHORS]]
    names = [read_item(name).strip(" ,;*†‡") for field in fields for name in BETWEEN.split(field)]
    people = [name for name in names if 1 < len(name) <= 80 and "@" not in name and not any(map(str.isdigit, name))]
    return tuple(parse_name(name) for name in people[:MOST_AUTHORS])


def _list_missing_files(text: str, has_references: bool, files: dict[str, str]) -> list[str]:
    """Return a note for what the document takes from other files, and one for `\\nocite`."""
    notes = []
    inputs = [name for name in dict.fromkeys(INPUTS.findall(text)) if name not in files]
    if inputs:
        notes.append(f"{len(inputs)} file(s) that the document inputs were not read, such as {inputs[0][:80]!r}.")
    names = [name.strip() for group in BIBLIOGRAPHIES.findall(text) for name in group.split(",")]
    if names and not has_references:
        notes.append(f"The bibliography {names[0][:80]!r} was not given, so that the citations have no references.")
    keys = {key.strip() for group in NOCITE.findall(text) for key in group.split(",")} - {""}
    if keys:
        shown = "all references" if "*" in keys else f"{len(keys)} reference(s)"
        notes.append(f"\\nocite lists {shown} that need no citation in the text.")
    return notes
