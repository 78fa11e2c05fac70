"""Compares a claim with a source by a model, if one is configured: natural-language inference, or a language model.

Each tier is optional above the words of `claim_coverage`. A tier that cannot be reached, or whose answer cannot be
used, has not answered: the next lower one is asked, and the reason is reported.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from assay.errors import ConfigError, ToolError
from assay.state.budget import CostLimitExceeded
from assay.verification.tier_answer import Tier, TierAnswer

if TYPE_CHECKING:
    from assay.context import Context

MAX_PASSAGES = 12  # compared with one claim
SECONDS, TIME_SHARE = 40.0, 0.6  # for all tiers; share of the remaining time that they may take


class ModelTier(Protocol):
    """A tier that a model serves."""

    async def compare(self, claim: str, passages: Sequence[str], *, seconds: float) -> TierAnswer:
        """Compare the claim with the passages. Raises a ToolError if there is no answer."""
        ...


class AskedTiers(NamedTuple):
    """The answer of the highest tier that gave one, and why higher ones did not."""

    answer: TierAnswer | None = None
    failures: tuple[str, ...] = ()


async def ask_tiers(ctx: "Context", claim: str, text: str, highest: Tier | None) -> AskedTiers:
    """Ask the configured tiers from `highest` (any, if None) down to the first that answers.

    Raises ConfigError if a configured model cannot be used as configured.
    """
    tiers = _list_tiers(ctx, highest)
    if not tiers:
        return AskedTiers()
    from assay.text.surrogates import replace_surrogates
    from assay.verification.claim_passages import select_passages

    claim, text = replace_surrogates(claim), replace_surrogates(text)  # no model takes half a character
    passages = await asyncio.to_thread(select_passages, claim, text, MAX_PASSAGES)
    failures: list[str] = []
    loop = asyncio.get_running_loop()
    until = loop.time() + min(SECONDS, ctx.time_left() * TIME_SHARE)
    for tier in tiers if passages else ():
        try:
            answer = await tier.compare(claim, passages, seconds=max(0.0, until - loop.time()))
        except CostLimitExceeded as failure:
            failures.append(failure.sentence())
        except ConfigError:
            raise
        except ToolError as failure:
            failures.append(failure.sentence())
        else:
            return AskedTiers(answer, tuple(failures))
    return AskedTiers(None, tuple(failures))


def _list_tiers(ctx: "Context", highest: Tier | None) -> list[ModelTier]:
    """Return the configured tiers, the highest first. Only they are imported."""
    settings = ctx.services.settings
    tiers: list[ModelTier] = []
    has_model = settings.key("LLM_BASE_URL") or ctx.services.model is not None
    if highest in (None, "llm") and has_model:
        from assay.verification.llm_tier import LlmTier

        tiers.append(LlmTier(ctx))
    has_inference = settings.key("NLI_BASE_URL") or ctx.services.inference is not None
    if highest in (None, "llm", "nli") and has_inference:
        from assay.verification.nli_tier import NliTier

        tiers.append(NliTier(ctx))
    return tiers
