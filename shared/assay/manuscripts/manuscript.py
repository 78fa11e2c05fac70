"""A manuscript as an audit sees it: paragraphs, the list of references, and the places that cite them."""

from dataclasses import dataclass
from typing import Literal

from assay.bibliography.person_names import Name
from assay.bibliography.work import CitedWork

type CitationStyle = Literal["numeric", "author-year", "footnote", "key", "link"]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of running text without markup. `number` counts from 1; `page` is None where the format has none."""

    number: int
    text: str
    section: str = ""  # heading above it
    page: int | None = None


@dataclass(frozen=True)
class ListedReference:
    """An entry of the list of references. `index` counts from 1; `label` is its number or key, "" if it has none.

    `hidden`: readers of the document do not see it, such as text in the colour of the page.
    """

    index: int
    work: CitedWork
    label: str = ""
    hidden: bool = False


@dataclass(frozen=True)
class InTextCitation:
    """A place in the text that cites references.

    `marker` is as printed, such as `[3, 5]`; `sentence` contains it. `references` holds indices of listed references,
    `unlisted` the labels of the marker that no listed reference has.
    """

    marker: str
    style: CitationStyle
    sentence: str
    paragraph: int
    references: tuple[int, ...] = ()
    unlisted: tuple[str, ...] = ()


@dataclass(frozen=True)
class Quotation:
    """A passage in quotation marks or a block quotation, and the references that its sentence cites."""

    text: str
    paragraph: int
    references: tuple[int, ...] = ()


@dataclass(frozen=True)
class Manuscript:
    """`format` is a key of the supported formats; `notes` are sentences about parts that could not be read.

    `total_references` also counts references beyond the limit. `links` are the web addresses in the running text.
    """

    format: str
    title: str = ""
    authors: tuple[Name, ...] = ()
    paragraphs: tuple[Paragraph, ...] = ()
    references: tuple[ListedReference, ...] = ()
    citations: tuple[InTextCitation, ...] = ()
    quotations: tuple[Quotation, ...] = ()
    links: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    total_references: int = 0
    is_truncated: bool = False
