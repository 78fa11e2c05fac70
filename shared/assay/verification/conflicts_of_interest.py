"""Finds conflicts of interest that an author's bio states."""

import re
from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import Field

from assay.models.common import Output
from assay.verification.title_matching import fold

type Stake = Literal["employment", "founding", "funding", "equity", "advisory"]

NAME = r"(?:the\s+)?(?P<entity>[A-Z0-9][\w.&'’+-]*(?:\s+(?:of|for|and|&|[A-Z0-9][\w.&'’+-]*)){0,4})"
ROLES = r"""
    employee|engineer|developer|manager|evangelist|advocate|director|executive|editor|designer|marketer|analyst
    |strategist|head|vp|vice\s president|c[a-z]o|president|lead|specialist|officer|partner|representative
    |salesperson|copywriter|mitarbeiter\w*|geschäftsführer\w*|employée?|emplead[oa]
"""
TIES: Sequence[tuple[Stake, str, str]] = (  # stake, words for the role, words between role and organisation
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
GENERIC_WORDS = """
    the and for with best top new most great good free cheap tool tools software platform platforms app apps service
    services solution solutions product products company inc ltd llc gmbh corp co group online cloud review reviews
    guide list small business businesses pro plus one university college news media press blog labs lab home
"""
COMMON_WORDS = frozenset(GENERIC_WORDS.split())
MIN_NAME, MAX_BIO = 3, 4_000  # minimum characters of a name; maximum characters of a bio


class ConflictOfInterest(Output):
    """The words of the author's bio that tie the author to the recommended product or company."""

    kind: Annotated[Stake, Field(description="Kind of tie.")]
    entity: Annotated[str, Field(description="Company that the author is tied to.")]
    evidence: Annotated[str, Field(description="Words of the biography that state the tie.")]


def find_conflict(bio: str, recommended: str, brand: str = "") -> ConflictOfInterest | None:
    """Return a current stake stated in the bio in something that the recommendation names; `brand` is its site's name.

    Past stakes and unstated ones return None.
    """
    bio = " ".join(bio.split())[:MAX_BIO]
    names = _names(recommended) | ({fold(brand)} if len(brand) >= MIN_NAME else set())
    for stake, pattern in STAKES:
        for match in pattern.finditer(bio):
            entity = _names(match["entity"])
            if entity & names and not PAST.search(bio[: match.start()]):
                start = bio[max(0, match.start() - 40) : match.start()].rpartition(". ")[2].lstrip()
                return ConflictOfInterest(kind=stake, entity=match["entity"], evidence=start + match[0])
    return None


def _names(text: str) -> set[str]:
    """Return the words of a text that may be a name, without words common in recommendations."""
    words = re.findall(r"[^\W_]+", fold(re.sub(r"['’]s\b", "", text)))
    return {word for word in words if len(word) >= MIN_NAME and word not in COMMON_WORDS and not word.isdigit()}
