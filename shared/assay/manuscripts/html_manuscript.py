"""Reads a manuscript in HTML into a draft: visible text, lists of references, and links to their entries."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

from assay.bibliography import doi as dois
from assay.bibliography.person_names import Name, parse_name
from assay.bibliography.reference_headings import is_list_heading
from assay.bibliography.reference_list import EVIDENCE
from assay.bibliography.work import CitedWork, collapse_spaces
from assay.html.css.inherited_visibility import INITIAL_STATE
from assay.html.css.visibility import VisibilityResolver
from assay.html.parser.html_element import HtmlElement, HtmlRoot
from assay.html.parser.html_tree import open_html
from assay.html.reader.element_kinds import BLOCK_TAGS, SKIPPED_TAGS
from assay.manuscripts.manuscript_draft import Draft, DraftReference
from assay.manuscripts.markup_reader import MarkupReader, Role, keep_known_anchors
from assay.manuscripts.reference_section import add_linked_doi

NO_TEXT = SKIPPED_TAGS | frozenset(("nav", "footer", "aside", "form", "button", "dialog", "code", "pre", "kbd", "samp"))
LINES = ("summary", "strong", "b", "dt")  # that may head a list
DATED_SHARE = 0.4  # of the items below a heading that must have a year, a DOI or an address
LOWEST, LONGEST_HEADING = 7, 100
LIST_TAGS = ("ol", "ul", "div", "section", "dl")
HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
LIST_CLASS = re.compile(
    r"(?:^|[\s_-])(?:references|reflist|refbegin|ref-list|reference-list|bibliography|biblio|csl-bib-body|"
    r"citation-list)"
    r"(?:$|[\s_-])",
    re.IGNORECASE,
)
NOTE_CLASS = re.compile(r"(?:^|\s)(?:footnotes?|endnotes?|fn-group)(?:$|\s)", re.IGNORECASE)
ENTRY_CLASS = re.compile(r"(?:^|\s)(?:csl-entry|reference-item|ref-item|bib-entry|c-article-references__item)(?:$|\s)")
CONTROL_CLASS = re.compile(
    r"(?:^|\s)(?:mw-editsection|mw-cite-backlink|footnote-back|footnote-backref|reversefootnote)(?:\s|$)"
)
CONTROL_TEXT = re.compile(
    r"\s*(?:[↑↩^]|(?:go to |back to )?(?:google scholar|crossref|pubmed(?: central)?|view article|article|cas|"
    r"web of science|scopus|full text|abstract|download(?: citation| references)?|find this article online|openurl|ads|"
    r"medline)\s*)\s*",
    re.IGNORECASE,
)
LABEL = re.compile(r"\s*(?:[\[(]\s?(\d{1,4})\s?[\])]|(\d{1,4})\.(?=\s))\s*")
ALIAS_LENGTH = 120  # characters of an entry that only leads to another one
PARTS = re.compile(r";\s*(?=citation_)")
CONTAINERS = ("journal_title", "conference_title", "inbook_title")
YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")


def read_html(text: str) -> Draft:
    """Read a page. References that its readers do not see are marked as hidden."""
    with open_html(text) as root:
        return _read_tree(root)


def _read_tree(root: HtmlRoot) -> Draft:
    roles = HtmlRoles(root)
    reader = MarkupReader(roles)
    body = root.find("body")
    reader.read(root if body is None else body, INITIAL_STATE)
    draft = Draft("html", blocks=reader.blocks, links=reader.links)
    draft.title, draft.authors = read_meta(root, "citation_title"), tuple(_list_authors(root))
    if not draft.title:
        draft.title = next((block.text for block in draft.blocks if block.kind == "heading"), "")
    known = _add_entries(draft, reader.entries)
    if not draft.references:
        draft.references = [DraftReference(work=work) for work in _list_declared(root)]
    notes = {block.label for block in draft.blocks if block.kind == "note"}
    keep_known_anchors(draft.blocks, known, find_note=lambda name: name if name in notes else "")
    hidden = sum(each.hidden for each in draft.references)
    if hidden:
        draft.notes.append(f"{hidden} reference(s) are hidden from readers of the page.")
    return draft


class HtmlRoles:
    """What the elements of a page mean. Entries of lists of references and notes are found before the walk."""

    def __init__(self, root: HtmlRoot) -> None:
        self._resolver = VisibilityResolver(root)
        self._found: dict[HtmlElement, Role] = {}
        self.numbers: dict[HtmlElement, int] = {}  # of list items
        for items, role in _list_parts(root):
            self._add(items, role)

    def _add(self, items: list[HtmlElement], role: Role) -> None:
        for item in items:
            if not any(outer in self._found for outer in item.iterancestors()):
                self._found.setdefault(item, role)
                parent = item.getparent()
                if parent is not None and parent.tag == "ol" and item.tag == "li":
                    first = parent.get("start", "")
                    before = item.getprevious()
                    known = self.numbers.get(before) if before is not None else None
                    start = int(first) if first.isascii() and first.isdecimal() and len(first) < 6 else 1
                    self.numbers[item] = known + 1 if known is not None else start

    def find_role(self, element: HtmlElement) -> Role:
        found = self._found.get(element)
        if found:
            return found
        tag = element.tag
        if tag in NO_TEXT or CONTROL_CLASS.search(element.get("class") or ""):
            return "skip"
        if tag == "a":
            return "skip" if CONTROL_TEXT.fullmatch((element.text or "x")[:60]) and not len(element) else "anchor"
        if tag in TAG_ROLES:
            return TAG_ROLES[tag]
        return "block" if tag in BLOCK_TAGS else "inline"

    def is_hidden(self, element: HtmlElement, parent: Any) -> tuple[bool, Any]:
        state = self._resolver.resolve(element, parent, element.get("class"))
        is_hidden = state is None or not state.shows
        return (False, parent) if is_hidden and element.tag in ("html", "body") else (is_hidden, state)

    def find_targets(self, element: HtmlElement) -> tuple[str, ...]:
        target = (element.get("href") or "").strip()
        return (target,) if target.startswith(("http://", "https://")) or (target[:1] == "#" and target[1:]) else ()

    def build_reference(self, element: HtmlElement, text: str) -> DraftReference | None:
        label = LABEL.match(text)
        number = (label[1] or label[2]) if label else str(self.numbers.get(element, ""))
        text = collapse_spaces(text[label.end() :] if label else text).strip("^ ")
        text = add_linked_doi(text, [each.get("href") or "" for each in element.iter("a")])
        return DraftReference(number, text) if any(map(str.isalnum, text)) else None


TAG_ROLES: dict[str, Role] = {
    **dict.fromkeys(HEADINGS, "heading"), "blockquote": "quote", "q": "quoted", "sup": "raised", "br": "space",
    "td": "block", "th": "block",
}  # fmt: skip


def _list_parts(root: HtmlRoot) -> Iterator[tuple[list[HtmlElement], Role]]:
    """Yield the items of each list of references and of notes, by class, by role, and by the heading above it."""
    yield root.list_matching({"role": ("doc-biblioentry",)}), "entry"
    known = set[HtmlElement]()  # the outermost lists
    for element in root.iter():
        role = _find_list_role(element)
        if role and not any(outer in known for outer in element.iterancestors()):
            known.add(element)
            items = list(element.iter("li")) or [element]
            yield (items, role) if role == "note" else (_select_items(list(element.iter())), role)
    for section in _list_sections(root):
        items = _select_items(section)
        dated = sum(bool(EVIDENCE.search(item.text_content())) for item in items)
        if dated >= DATED_SHARE * len(items):
            yield items, "entry"


def _find_list_role(element: HtmlElement) -> Literal["entry", "note"] | None:
    """Return what the items of a list are by its class, id or role; None if it is no list of these."""
    name, role = f"{element.get('class') or ''} {element.get('id') or ''}", element.get("role") or ""
    if role in ("doc-endnotes", "doc-footnote") or NOTE_CLASS.search(name):
        is_headed = any(is_list_heading(_read_heading(each)) for each in element.iter(*HEADINGS))
        return "entry" if is_headed else "note"
    if element.tag in LIST_TAGS and (role == "doc-bibliography" or LIST_CLASS.search(name)):
        return "entry"
    return None


def _list_sections(root: HtmlElement) -> Iterator[list[HtmlElement]]:
    """Yield the elements below each heading of references, up to the next heading of its level."""
    level, section = 0, list[HtmlElement]()
    for element in root.iter():
        own = _measure_level(element)
        if own and own <= (level or own):
            yield section
            is_list = is_list_heading(_read_heading(element))
            level, section = own if is_list else 0, []
        elif level:
            section.append(element)
    yield section


def _measure_level(element: HtmlElement) -> int:
    """Return the level of a heading; below all others, that of a line in bold that heads a list; 0 for other text."""
    if element.tag in HEADINGS:
        return int(element.tag[1])
    if element.tag in LINES or element.get("role") == "heading":
        return LOWEST if is_list_heading(_read_heading(element)) else 0
    return 0


def _read_heading(element: HtmlElement) -> str:
    return " ".join(element.text_content()[:LONGEST_HEADING].split())


def _select_items(elements: list[HtmlElement]) -> list[HtmlElement]:
    """Return the entries among the elements of a list of references."""
    by_class = [each for each in elements if ENTRY_CLASS.search(each.get("class") or "")]
    for tags in (("li",), ("dd",), ("tr",), ("p",)):
        items = by_class or [each for each in elements if each.tag in tags]
        if items:
            return items
    return []


def _add_entries(draft: Draft, entries: list[tuple[DraftReference, tuple[str, ...]]]) -> dict[str, int]:
    """Add the entries to the list; return their places by the ids that links lead to."""
    known: dict[str, int] = {}
    for reference, ids in entries:
        for name in ids:
            known.setdefault(name, len(draft.references))
        draft.references.append(reference)
    return known


def read_meta(root: HtmlElement, name: str) -> str:
    return next(
        (collapse_spaces(each.get("content") or "") for each in root.iter("meta") if each.get("name") == name), ""
    )


def _list_authors(root: HtmlElement) -> Iterator[Name]:
    for each in root.iter("meta"):
        if each.get("name") in ("citation_author", "author") and (
            content := collapse_spaces(each.get("content") or "")
        ):
            yield parse_name(content)


def _list_declared(root: HtmlElement) -> Iterator[CitedWork]:
    """Yield the references of `<meta name="citation_reference">`: `citation_title=…; citation_author=…`."""
    for each in root.iter("meta"):
        if each.get("name") != "citation_reference":
            continue
        values: dict[str, list[str]] = {}
        for part in PARTS.split((each.get("content") or "")[:5_000]):
            name, _, value = part.partition("=")
            values.setdefault(name.strip().removeprefix("citation_"), []).append(collapse_spaces(value))
        yield _build_declared({name: found[0] for name, found in values.items()}, values.get("author", []))


def _build_declared(values: Mapping[str, str], authors: Sequence[str]) -> CitedWork:
    year = YEAR.search(values.get("publication_date", "") or values.get("year", ""))
    return CitedWork(
        title=values.get("title", ""),
        authors=tuple(parse_name(author) for author in authors if author),
        date=year[0] if year else "",
        container=next((values[name] for name in CONTAINERS if values.get(name)), ""),
        publisher=values.get("publisher", ""),
        volume=values.get("volume", ""),
        issue=values.get("issue", ""),
        doi=dois.normalize(values.get("doi", "")) or "",
    )
