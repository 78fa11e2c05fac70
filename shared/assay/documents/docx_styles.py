"""Word styles and numbering (ECMA-376 part 1 clause 17.7): heading levels, lists and formatting."""

import re
from dataclasses import dataclass

from assay.documents.docx_blocks import CODE_STYLE, QUOTE_STYLE, find_style_depth
from assay.documents.docx_formatting import INHERITED, RunFormat, read_int, read_run_format, read_shading
from assay.documents.docx_numbering import DEEPEST, ListPlace, find_list_place, inherit_place
from assay.documents.ooxml import find_child
from assay.text.safe_xml import Element, get_attribute, local_name

CHAIN = 20  # maximum length of a `basedOn` chain
HEADING = re.compile(r"heading (\d)", re.IGNORECASE)


@dataclass
class DocxStyle:
    """The properties of a style that affect the Markdown."""

    name: str = ""
    based_on: str = ""
    level: int = 0  # heading level; 0 for none
    run: RunFormat = INHERITED
    numbering: ListPlace | None = None
    is_code: bool = False
    is_quote: bool = False
    depth: int = 0  # list level by the name of the style


UNSTYLED = DocxStyle()


class DocxStyles:
    """Styles by id, including the properties they inherit through `basedOn`."""

    def __init__(self, root: Element) -> None:
        items = () if root is None else root
        styles = [item for item in items if local_name(item) == "style"]
        self._items = {_read_id(item): item for item in styles}
        self._read: dict[str, DocxStyle] = {}  # parsed on demand: most files use few of their many styles
        self._combined: dict[str, DocxStyle] = {}
        self._default = next((_read_id(item) for item in styles if _is_default_paragraph(item)), "")
        defaults = None if root is None else find_child(root, "docDefaults", "rPrDefault", "rPr")
        self.document_format = read_run_format(defaults)

    def _find_style(self, style_id: str) -> DocxStyle | None:
        if style_id not in self._read and style_id in self._items:
            self._read[style_id] = _read_style(self._items[style_id])
        return self._read.get(style_id)

    def _list_chain(self, style_id: str) -> list[DocxStyle]:
        chain: list[DocxStyle] = []
        while (style := self._find_style(style_id)) and len(chain) < CHAIN:
            chain.append(style)
            style_id = style.based_on
        return chain

    def combine(self, style_id: str) -> DocxStyle:
        """The style with what it inherits through `basedOn`; an empty style if there is none of this id."""
        if style_id not in self._items:
            return UNSTYLED
        if style_id not in self._combined:
            chain = self._list_chain(style_id)
            run, numbering = INHERITED, None
            for style in reversed(chain):
                run = run.override(style.run)
                numbering = inherit_place(style.numbering, numbering)
            self._combined[style_id] = DocxStyle(
                level=next((style.level for style in chain if style.level), 0),
                run=run,
                numbering=numbering,
                is_code=any(style.is_code for style in chain),
                is_quote=any(style.is_quote for style in chain),
                depth=chain[0].depth,
            )
        return self._combined[style_id]

    def combine_paragraph_format(self, style_id: str) -> RunFormat:
        """The formatting of text in a paragraph of this style, or of the default style for ""."""
        return self.document_format.override(self.combine(style_id or self._default).run)


def _read_id(item: Element) -> str:
    """The id of a style. Report servers write styles with a name only; as "", one would be that of all other text."""
    name = find_child(item, "name")
    return get_attribute(item, "styleId") or ("" if name is None else get_attribute(name, "val"))


def _is_default_paragraph(item: Element) -> bool:
    return get_attribute(item, "type") == "paragraph" and get_attribute(item, "default") in {"1", "true", "on"}


def _read_style(item: Element) -> DocxStyle:
    name, based = find_child(item, "name"), find_child(item, "basedOn")
    properties = find_child(item, "pPr")
    shaded = RunFormat(background=read_shading(properties))
    written = "" if name is None else get_attribute(name, "val")
    is_paragraph = get_attribute(item, "type") == "paragraph"
    return DocxStyle(
        written,
        "" if based is None else get_attribute(based, "val"),
        _read_level(written, properties),
        shaded.override(read_run_format(find_child(item, "rPr"))),
        find_list_place(properties),
        is_paragraph and CODE_STYLE.fullmatch(written) is not None,
        is_paragraph and QUOTE_STYLE.fullmatch(written) is not None,
        find_style_depth(written),
    )


def _read_level(name: str, properties: Element) -> int:
    """The heading level from the built-in style name (English in every language of Word) or the outline level."""
    if name.lower() == "title":
        return 1
    match = HEADING.fullmatch(name)
    if match:
        return int(match[1])
    return read_outline_level(properties)


def read_outline_level(properties: Element) -> int:
    """The heading level from a paragraph's `outlineLvl` (0 to 8; 9 is body text); 0 for none."""
    match = None if properties is None else find_child(properties, "outlineLvl")
    return 0 if match is None or read_int(match, 9) > DEEPEST else read_int(match) + 1
