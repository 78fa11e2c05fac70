"""Group near-duplicate documents and name the best of each group."""

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import ConfigDict, Field

from assay.alone import aside
from assay.context import Context
from assay.errors import ConfigError, InvalidInput
from assay.plain import Plain, PlainInput, PlainOutput, PlainPart, never
from assay.tool import tool
from assay.url_parts import split_url

if TYPE_CHECKING:
    from assay.text.weight import Weights

DOCUMENTS = 5_000
HINTS = "AUTHORITY_HINTS_JSON"
SHAPE = "provide docs: [{id,title?,text?,url?,published_at?}]"
PLAIN = Plain(prefix="", strict=True, hint="invalid JSON input for dedupe_rank", waits=never)


class Doc(PlainPart):
    id: str = ""
    url: str = ""
    title: str = ""
    text: str = ""
    published_at: str = ""


class Ask(PlainInput):
    model_config = ConfigDict(json_schema_extra={"required": ["docs"]})  # told in words of its own where it is missing

    docs: list[Doc] = Field(default_factory=list, description="At most 5000.", json_schema_extra={"minItems": 1})


class Group(PlainOutput):
    representative_id: str
    members: list[str]
    score: Annotated[float, Field(description="What the representative says that others do not; 0 when alone.")]


class Answer(PlainOutput):
    groups: list[Group]


@tool(title="Deduplicate and rank", open_world=False, toolsets=("json",), plain=PLAIN)
async def dedupe_rank(ask: Ask, ctx: Context) -> Answer:
    """Group near-duplicate documents (by title and text, any script) and name the one of each group that says most.

    Deterministic; groups are ordered by representative."""
    if not ask.docs:
        raise InvalidInput("missing docs", hint=SHAPE, field="docs")
    if len(ask.docs) > DOCUMENTS:
        raise InvalidInput(f"too many docs: limit {DOCUMENTS}", field="docs")
    hints = hints_of(ctx.services.settings.key(HINTS))
    return Answer(groups=await aside(ranked, ask.docs, hints))


def hints_of(said: str) -> list[tuple[str, float]]:
    """`{"who.int": 2.0}`: how much more the word of a domain weighs. Raises ConfigError for anything else."""
    wrong = ConfigError(
        f"{HINTS} must be a JSON object of domains and positive numbers",
        hint='{"who.int": 2.0}',
        field=HINTS,
        action="inform_user",
    )
    try:
        hints = json.loads(said or "{}")
        found = [(domain.lower().strip("."), float(weight)) for domain, weight in hints.items()]
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise wrong from None
    if not all(domain and 0 < weight < math.inf for domain, weight in found):
        raise wrong
    return found


def ranked(docs: Sequence[Doc], hints: Sequence[tuple[str, float]]) -> list[Group]:
    """The groups, ordered by the id of their representative."""
    from assay.text.kin import grouped
    from assay.text.terms import terms
    from assay.text.weight import Weights

    texts = [terms(said) or ([said] if said else []) for doc in docs for said in [f"{doc.title} {doc.text}".strip()]]
    weights = Weights(texts)
    groups = [_group(docs, members, weights, hints) for members in grouped(texts)]
    return sorted(groups, key=lambda group: (group.representative_id, group.members))


def _group(docs: Sequence[Doc], members: list[int], weights: "Weights", hints: Sequence[tuple[str, float]]) -> Group:
    """The one that says most stands for all; between equals the weightier host, then the smaller id."""
    from assay.text.weight import authority

    if len(members) == 1:
        alone = docs[members[0]].id
        return Group(representative_id=alone, members=[alone], score=0)
    standing = []
    for index in members:
        trust = authority(_host(docs[index].url), hints)
        standing.append((-weights.of(index) * trust, -trust, docs[index].id))
    score, _, best = min(standing)
    return Group(representative_id=best, members=sorted(docs[index].id for index in members), score=round(-score, 6))


def _host(url: str) -> str:
    try:
        return (split_url(url).hostname or "").lower()
    except ValueError:
        return ""
