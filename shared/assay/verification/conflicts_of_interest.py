"""What stake an author has in what is recommended, as far as the author's own words tell."""

import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from assay.models.common import Output
from assay.verification.title_matching import plain

type Stake = Literal["employment", "founding", "funding", "equity", "advisory"]

NAME = r"(?:the\s+)?(?P<entity>[A-Z0-9][\w.&'’+-]*(?:\s+(?:of|for|and|&|[A-Z0-9][\w.&'’+-]*)){0,4})"
ROLES = r"""
    employee|engineer|developer|manager|evangelist|advocate|director|executive|editor|designer|marketer|analyst
    |strategist|head|vp|vice\s president|c[a-z]o|president|lead|specialist|officer|partner|representative
    |salesperson|copywriter|mitarbeiter\w*|geschäftsführer\w*|employée?|emplead[oa]
"""
TIES: Sequence[tuple[Stake, str, str]] = (  # what ties, and the words between that and whom to
    ("founding", r"(?:co-?)?founder|(?:co-?)?founded|gründer(?:in)?|fondat(?:eur|rice)|fundador(?:a)?",
     r"(?:(?:and|und|et|y)\s+\w+\s+)?(?:of|at|von|de|du)?"),
    ("equity", r"(?:share|stock)holder|(?:owns?|holds?)\s(?:shares|stock|options|equity|a\sstake)|owner|equity|stake",
     r"(?:in|of|at|von|de)"),
    ("funding", r"investor|invest(?:ed|s)|funded|sponsored|paid|backed|commissioned|commission|affiliate(?:\spartner)?",
     r"(?:in|by|from|of)"),
    ("advisory", r"advis(?:er|or|es|ing)|board\smember|on\sthe\sboard|consult(?:ant|s|ing)", r"(?:to|of|for|at|with)?"),
    ("employment", r"work(?:s|ing)?|employed|arbeitet|travaille|trabaja", r"(?:for|at|by|bei|für|chez|para|en)"),
    ("employment", rf"(?:{ROLES})(?:\sof\s[\w\s&-]{{1,40}}?)?", r"(?:,|at|for|of|with|bei|chez|de|@)"),
    ("employment", r"", r"(?:at|bei|chez|@)"),
)  # fmt: skip
STAKES = [
    (stake, re.compile(rf"(?<!\w)(?i:(?:{''.join(words.split())})\s*{between})\s*{NAME}"))
    for stake, words, between in TIES
]
PAST = re.compile(
    r"\b(?:former(?:ly)?|ex|previous(?:ly)?|past|once|used to|until (?:19|20)\d\d|ehemals|früher|ancien(?:ne)?"
    r"|stud(?:ied|ies)|graduated|degree|alumn\w+|spoke|speaker|attended|featured|published)\b[^.;|]{0,60}$",
    re.IGNORECASE,
)
GENERIC = """
    the and for with best top new most great good free cheap tool tools software platform platforms app apps service
    services solution solutions product products company inc ltd llc gmbh corp co group online cloud review reviews
    guide list small business businesses pro plus one university college news media press blog labs lab home
"""
COMMON = frozenset(GENERIC.split())
SHORT, LONGEST = 3, 4_000  # characters of a name, and of a bio


class ConflictOfInterest(Output):
    """The words of the author's bio that tie the author to what is recommended."""

    kind: Annotated[Stake, Field(description="Kind of tie.")]
    entity: Annotated[str, Field(description="Company that the author is tied to.")]
    evidence: Annotated[str, Field(description="Words of the biography that state the tie.")]


def conflict(bio: str, recommended: str, brand: str = "") -> ConflictOfInterest | None:
    """A present stake that the bio states in something that the recommendation names; `brand` is its site's name.

    Cautious: who is not known to have one, or had one once, has none here.
    """
    bio = " ".join(bio.split())[:LONGEST]
    named = _names(recommended) | ({plain(brand)} if len(brand) >= SHORT else set())
    for stake, pattern in STAKES:
        for found in pattern.finditer(bio):
            entity = _names(found["entity"])
            if entity & named and not PAST.search(bio[: found.start()]):
                start = bio[max(0, found.start() - 40) : found.start()].rpartition(". ")[2].lstrip()
                return ConflictOfInterest(kind=stake, entity=found["entity"], evidence=start + found[0])
    return None


def _names(text: str) -> set[str]:
    """The words of a text that may be a name: not those that stand in any recommendation."""
    words = re.findall(r"[^\W_]+", plain(re.sub(r"['’]s\b", "", text)))
    return {word for word in words if len(word) >= SHORT and word not in COMMON and not word.isdigit()}
