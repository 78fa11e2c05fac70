"""Check a list of recommendations."""

from datetime import timedelta
from typing import Annotated

from pydantic import AfterValidator, Field, ValidationInfo, field_validator

from assay.context import Context
from assay.models.common import TRUST, Cleared, DetailLevel, HostReputation, Input, Output, Trust
from assay.text.user_info import remove_url_user_info
from assay.toolkit.tool import tool
from assay.verification.conflicts_of_interest import ConflictOfInterest
from assay.verification.corroboration import Corroboration
from assay.verification.recommendation import ItemEvidence
from assay.verification.self_promotion import SelfPromotion

MAX_FIELD_CHARS = {"title": 500, "url": 8_192, "author": 300, "authorBio": 4_000}


class Recommended(Input):
    """A recommended item."""

    title: Annotated[str, Field(min_length=1, description="Name of what is recommended.")]
    url: Annotated[
        str, AfterValidator(remove_url_user_info), Field(description="URL of the recommended product or page.")
    ] = ""
    author: Annotated[str, Field(description="Author of the recommendation.")] = ""
    author_bio: Annotated[
        str, Field(alias="authorBio", description="Author's biography as published, to find ties to the product.")
    ] = ""

    @field_validator("*")
    @classmethod
    def _is_within_limit(cls, text: str, info: ValidationInfo) -> str:
        name = "authorBio" if info.field_name == "author_bio" else info.field_name or ""
        if len(text) > MAX_FIELD_CHARS[name]:
            raise ValueError(f"is longer than {MAX_FIELD_CHARS[name]} characters")
        return text


class VerifyRecommendationInput(Input):
    recommendations: Annotated[
        list[Recommended],
        Field(min_length=1, max_length=100, description="Recommended items, in the order of the list."),
    ]
    claim: Annotated[
        Cleared[Annotated[str, Field(max_length=2_000)]],
        Field(description="What the list claims; searches independent press for each item. Unset skips this check."),
    ] = None
    detail: DetailLevel = "full"
    results: Annotated[
        int,
        Field(
            alias="numCorroborationResults",
            ge=1,
            le=10,
            description="Maximum number of results per search, one search per item and lens.",
        ),
    ] = 5


class VerifyRecommendationAudited(Output):
    title: str
    url: str | None = None
    author: str | None = None
    self_promotion_signal: Annotated[SelfPromotion | None, Field(description="The publisher ranks itself first.")] = (
        None
    )
    conflict_of_interest: Annotated[
        ConflictOfInterest | None, Field(description="The author's ties to what is recommended.")
    ] = None
    domain_reputation: HostReputation = None
    link_live: Annotated[bool | None, Field(description="Absent if not known.")] = None
    link_outcome: Annotated[
        str | None, Field(description="live, dead, soft_404, blocked, redirected_to_root or unreachable.")
    ] = None
    http_status: Annotated[
        int | None, Field(description="HTTP status of the link; absent if there was no response.")
    ] = None
    corroboration_searches: Annotated[
        list[Corroboration] | None, Field(description="Searches in independent press, by lens.")
    ] = None
    corroboration_notes: Annotated[list[str] | None, Field(description="Searches that could not be made.")] = None
    flags: Annotated[list[str], Field(description="Concerns as codes.")]
    reasons: Annotated[list[str], Field(description="Concerns as sentences, in the order of flags.")]


class VerifyRecommendationOutput(Output):
    item_count: int
    recommendations: Annotated[
        list[VerifyRecommendationAudited], Field(description="Findings for each item, in the order sent.")
    ]
    aggregate_flags: Annotated[
        list[str] | None, Field(description="Concerns about the whole list; only with a claim.")
    ] = None
    trust: Trust = TRUST


@tool(limit=timedelta(seconds=120), background=True)
async def verify_recommendation(ask: VerifyRecommendationInput, ctx: Context) -> VerifyRecommendationOutput:
    """Check recommendations (a listicle, a ranking, a comparison): the author's conflicts of interest, lists
    that rank their publisher first, reputation, dead links and, with a claim, what independent press says.
    Evidence, never a verdict."""
    from assay.verification.recommendation import RecommendedItem, check_recommendations

    items = [
        RecommendedItem(index, each.title, each.url, each.author, each.author_bio)
        for index, each in enumerate(ask.recommendations)
    ]
    found = await check_recommendations(ctx, items, ask.claim or "", ask.results)
    return VerifyRecommendationOutput(
        item_count=len(items),
        recommendations=[_to_output(each) for each in found],
        aggregate_flags=_aggregate(found) if ask.claim else None,
    )


def _to_output(each: ItemEvidence) -> VerifyRecommendationAudited:
    flags, link = each.flags(), each.link
    return VerifyRecommendationAudited(
        title=each.item.title,
        url=each.item.url or None,
        author=each.item.author or None,
        self_promotion_signal=each.promotion,
        conflict_of_interest=each.conflict,
        domain_reputation=each.reputation,
        link_live=None if link is None else True if link.is_live else False if link.is_dead else None,
        link_outcome=link.outcome if link else None,
        http_status=link.status if link else None,
        corroboration_searches=each.searches,
        corroboration_notes=each.notes or None,
        flags=[flag for flag, _ in flags],
        reasons=[reason for _, reason in flags],
    )


def _aggregate(found: list[ItemEvidence]) -> list[str]:
    """Flags of the whole list. No available search is a different flag from no agreeing result."""
    searches = [search for each in found for search in each.searches or ()]
    if not searches:
        return ["corroboration_unavailable"]
    return [] if any(search.agree_count for search in searches) else ["no_independent_corroboration"]
