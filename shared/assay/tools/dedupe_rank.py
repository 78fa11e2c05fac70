"""Group near-duplicate documents and name the best of each group."""

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

from pydantic import ConfigDict, Field

from assay.context import Context
from assay.errors import ConfigError, InvalidInput
from assay.state.event_loop import run_blocking
from assay.text.url_parts import split_url
from assay.toolkit.json_tools import JsonContract, JsonToolInput, JsonToolOutput, JsonToolPart, never
from assay.toolkit.tool import tool

if TYPE_CHECKING:
    from assay.text.tfidf import TfidfWeights

MAX_DOCUMENTS = 5_000
HINTS = "AUTHORITY_HINTS_JSON"
SHAPE = "provide docs: [{id,title?,text?,url?,published_at?}]"
PLAIN = JsonContract(prefix="", strict=True, hint="invalid JSON input for dedupe_rank", waits=never)


class DedupeRankDoc(JsonToolPart):
    id: Annotated[str, Field(description="Your identifier of the document, used in the answer.")] = ""
    url: Annotated[str, Field(description="URL of the document; its host weighs in the ranking.")] = ""
    title: Annotated[str, Field(description="Title; compared together with text.")] = ""
    text: Annotated[str, Field(description="Text to compare, as plain text.")] = ""
    published_at: Annotated[str, Field(description="Date of publication; accepted but not used.")] = ""


class DedupeRankInput(JsonToolInput):
    model_config = ConfigDict(json_schema_extra={"required": ["docs"]})  # the tool's message is fixed

    docs: list[DedupeRankDoc] = Field(
        default_factory=list, description="Documents to compare, up to 5000.", json_schema_extra={"minItems": 1}
    )


class DedupeRankGroup(JsonToolOutput):
    representative_id: Annotated[str, Field(description="id of the document to keep.")]
    members: Annotated[list[str], Field(description="ids of all documents of the group.")]
    score: Annotated[
        float, Field(description="How much the representative says that others do not; 0 for a group of one.")
    ]


class DedupeRankOutput(JsonToolOutput):
    groups: Annotated[
        list[DedupeRankGroup], Field(description="Groups of near-duplicates, ordered by representative_id.")
    ]


@tool(title="Deduplicate and rank", open_world=False, toolsets=("json",), plain=PLAIN)
async def dedupe_rank(ask: DedupeRankInput, ctx: Context) -> DedupeRankOutput:
    """Group near-duplicate documents (by title and text, any script) and pick the most informative one of each
    group.

    Deterministic; groups are ordered by representative."""
    if not ask.docs:
        raise InvalidInput("missing docs", hint=SHAPE, field="docs")
    if len(ask.docs) > MAX_DOCUMENTS:
        raise InvalidInput(f"too many docs: limit {MAX_DOCUMENTS}", field="docs")
    hints = parse_domain_weights(ctx.services.settings.key(HINTS))
    return DedupeRankOutput(groups=await run_blocking(rank_groups, ask.docs, hints))


def parse_domain_weights(text: str) -> list[tuple[str, float]]:
    """Parse weights of domains, such as `{"who.int": 2.0}`. Raises ConfigError for anything else."""
    wrong = ConfigError(
        f"{HINTS} must be a JSON object of domains and positive numbers",
        hint='{"who.int": 2.0}',
        field=HINTS,
        action="inform_user",
    )
    try:
        hints = json.loads(text or "{}")
        found = [(domain.lower().strip("."), float(weight)) for domain, weight in hints.items()]
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise wrong from None
    if not all(domain and 0 < weight < math.inf for domain, weight in found):
        raise wrong
    return found


def rank_groups(docs: Sequence[DedupeRankDoc], hints: Sequence[tuple[str, float]]) -> list[DedupeRankGroup]:
    """Group the documents; groups are ordered by the id of their representative."""
    from assay.text.near_duplicates import group_texts
    from assay.text.tfidf import TfidfWeights
    from assay.text.tokenize import extract_terms

    texts = [
        extract_terms(text) or ([text] if text else []) for doc in docs for text in [f"{doc.title} {doc.text}".strip()]
    ]
    weights = TfidfWeights(texts)
    groups = [_group(docs, members, weights, hints) for members in group_texts(texts)]
    return sorted(groups, key=lambda group: (group.representative_id, group.members))


def _group(
    docs: Sequence[DedupeRankDoc], members: list[int], weights: "TfidfWeights", hints: Sequence[tuple[str, float]]
) -> DedupeRankGroup:
    """Pick the most informative document; ties go to the host with more weight, then to the smaller id."""
    from assay.text.tfidf import host_weight

    if len(members) == 1:
        only = docs[members[0]].id
        return DedupeRankGroup(representative_id=only, members=[only], score=0)
    candidates = []
    for index in members:
        trust = host_weight(_host(docs[index].url), hints)
        candidates.append((-weights.of(index) * trust, -trust, docs[index].id))
    score, _, best = min(candidates)
    return DedupeRankGroup(
        representative_id=best, members=sorted(docs[index].id for index in members), score=round(-score, 6)
    )


def _host(url: str) -> str:
    try:
        return (split_url(url).hostname or "").lower()
    except ValueError:
        return ""
