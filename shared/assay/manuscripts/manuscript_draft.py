"""What a format's reader hands to the common part: blocks of text with markers, and the list of references."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from assay.bibliography.person_names import Name
from assay.bibliography.work import CitedWork
from assay.manuscripts.manuscript import CitationStyle

type BlockKind = Literal["paragraph", "heading", "quote", "note"]


class AuthorYear(NamedTuple):
    """What an author-year marker says of a work. `year` may be "n.d."; `letter` tells works of a year apart.

    `is_certain` is False if the passage may be something else, so that only a listed reference shows that it cites.
    """

    names: tuple[str, ...]
    year: str
    letter: str = ""
    has_more_authors: bool = False  # "et al."
    initials: str = ""  # of the first author
    is_certain: bool = True

    def format_label(self) -> str:
        names = " & ".join(self.names[:2]) + (" et al." if self.has_more_authors or len(self.names) > 2 else "")
        return f"{names} {self.year}{self.letter}"


type Label = str | int | AuthorYear


class Marker(NamedTuple):
    """A place in the text of a block, from `start` to before `end`, that cites what `labels` name.

    Labels are keys, numbers, web addresses or names of notes, as `style` says, or places in the list, from 0.
    `is_certain` as in `AuthorYear`.
    """

    start: int
    end: int
    style: CitationStyle
    labels: tuple[Label, ...]
    is_certain: bool = True


@dataclass
class Block:
    """A paragraph, a heading, a block quotation or a note, whose `label` the markers of notes name."""

    kind: BlockKind
    text: str
    markers: tuple[Marker, ...] = ()
    page: int | None = None
    label: str = ""
    chapter: int = 0  # from 0, where chapters have lists of references of their own


class DraftReference(NamedTuple):
    """A reference before it is parsed: its fields if the format has them, otherwise its printed text.

    `origin` is "link" or the name of a note (`note 3`) for one that stands in the text instead of the list.
    """

    label: str = ""
    text: str = ""
    work: CitedWork | None = None
    hidden: bool = False
    origin: str = ""
    chapter: int = 0


@dataclass
class Draft:
    """A manuscript as its format's reader found it. `links` are the web addresses in the running text."""

    format: str
    title: str = ""
    authors: tuple[Name, ...] = ()
    blocks: list[Block] = field(default_factory=list)
    references: list[DraftReference] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    is_truncated: bool = False
