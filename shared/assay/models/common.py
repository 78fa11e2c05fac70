"""The nouns that tools, providers and doors share."""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from assay.toolkit.base import AlsoNamed as AlsoNamed
from assay.toolkit.base import Input as Input
from assay.toolkit.base import NotKeyed as NotKeyed
from assay.toolkit.base import Output as Output
from assay.toolkit.base import Pattern as Pattern
from assay.toolkit.base import Source as Source
from assay.toolkit.base import clean as clean

TRUST: Literal["untrusted-external-content"] = "untrusted-external-content"

type Trust = Literal["untrusted-external-content"]
type TimeRange = Literal["day", "week", "month", "year"]
type Safe = Literal["off", "medium", "high"]


def _blank(value: Any) -> Any:
    return None if value == "" else value


# "" from a form or a model means unset. Constraints go inside: Cleared[Annotated[str, Field(…)]] leaves None alone.
type Cleared[T] = Annotated[T | None, BeforeValidator(_blank)]
type Country = Cleared[Annotated[str, Pattern(r"^[A-Za-z]{2}$", "a country's two letters, such as DE")]]  # ISO 3166-1
type Language = Cleared[  # BCP 47
    Annotated[str, Pattern(r"^[A-Za-z]{2}(-[A-Za-z]{2,4})?$", "a language's two letters, such as de or pt-BR")]
]
type Query = Annotated[str, Field(min_length=1, max_length=500)]
SessionId = Annotated[
    str | None,
    NotKeyed(),
    Field(alias="sessionId", max_length=128, description="Research session that records the sources."),
]
ProviderName = Annotated[Cleared[str], Field(description="One provider to use; otherwise the configured order.")]


class WebQuery(Input):
    """What a web-family provider may be asked. A provider's `honours` says which of these it can honour."""

    query: Annotated[Query, Field(description="Search words, in any language.")]
    num_results: Annotated[int, Field(ge=1, le=10, description="Maximum number of results to return.")] = 5
    time_range: Annotated[Cleared[TimeRange], Field(description="Maximum age; any if unset.")] = None
    safe: Annotated[Safe, Field(description="Filter for adult content.")] = "medium"
    language: Annotated[Language, Field(description="Language of results, such as de; any if unset.")] = None
    site: Annotated[
        Cleared[Annotated[str, Field(max_length=253)]], Field(description="Search this domain only. Not with lens.")
    ] = None
    exact_terms: Annotated[
        Cleared[Annotated[str, Field(max_length=200)]], Field(description="Phrase that results must contain.")
    ] = None
    exclude_terms: Annotated[
        Cleared[Annotated[str, Field(max_length=200)]], Field(description="Phrases to exclude, comma-separated.")
    ] = None
    country: Annotated[Country, Field(description="Country of results, such as DE.")] = None


class Engagement(Output):
    """How a platform's people reacted to a hit."""

    score: float | None = None
    points: int | None = None
    comment_count: int | None = None
    reply_count: int | None = None
    like_count: int | None = None
    repost_count: int | None = None
    view_count: int | None = None


class DomainReputation(Output):
    """A host's known reliability: a signal with its basis, never a verdict."""

    tier: Literal["high", "mixed", "low"]
    basis: str
    note: str | None = None


class WebHit(Output):
    """One result: plain text, an http(s) URL, its host."""

    title: str
    url: str
    snippet: str = ""
    display_link: str = ""
    published_at: Annotated[str | None, Field(description="RFC 3339, UTC.")] = None
    extra_snippets: list[str] | None = None
    engagement: Engagement | None = None
    source_reputation: DomainReputation | None = None
    claim_signal: str | None = None


class Question(Input):
    """What an answering provider may be asked."""

    query: Annotated[str, Field(min_length=1, max_length=2_000, description="Question to answer, as a full sentence.")]


class CitedSource(Output):
    """A page that an answer rests on."""

    title: str | None = None
    url: str
    published_date: Annotated[str | None, Field(description="RFC 3339, UTC.")] = None


class GroundedAnswer(Output):
    """A provider's own answer; empty where it has none."""

    answer: str
    citations: list[CitedSource]


class StructuredQuery(Input):
    """What a provider that reads fields off pages may be asked. `fields_schema` is `schema` on the wire."""

    query: Annotated[Query, Field(description="Search words, in any language.")]
    category: Annotated[Cleared[str], Field(description="Kind of page to find.")] = None
    num_results: Annotated[int, Field(ge=1, le=10, description="Maximum number of results to return.")] = 5
    fields_schema: Annotated[
        dict[str, Any] | None, Field(alias="schema", description="JSON Schema of the fields to read.")
    ] = None


class StructuredItem(Output):
    """A result with what was read off its page. `highlights` are its own words, the rest is derived."""

    title: str | None = None
    url: str
    published_date: str | None = None
    author: str | None = None
    summary: Any = None
    highlights: list[str] | None = None
    entities: Any = None


class DomainQuery(Input):
    """Whose brand is meant: a registrable domain."""

    domain: Annotated[
        str, Field(min_length=1, max_length=253, description="Registrable domain of the company, such as example.com.")
    ]


class NameQuery(Input):
    """Whose domain is looked for."""

    name: Annotated[str, Field(min_length=1, max_length=200, description="Company name to find the domain of.")]


class SuggestedAction(Output):
    action: Literal["remove_filter", "try_different_provider", "switch_provider"]
    parameter: str | None = None
    value: str | None = None
    detail: str | None = None


class ZeroResultHints(Output):
    """Why nothing matched and how to go on. Nothing found does not mean that it does not exist."""

    reason: str
    providers_attempted: list[str] = Field(default_factory=list)
    filters_applied: dict[str, str] = Field(default_factory=dict)
    suggested_actions: list[SuggestedAction] = Field(default_factory=list)
    epistemic_warning: str = "Nothing found does not mean that nothing exists: index, filters or wording may miss it."


class CitationMetadata(Output):
    title: str = ""
    author: str = ""
    site: str = ""
    date: str = ""


class CitationFormats(Output):
    apa: str
    mla: str
    bibtex: str | None = None


class Citation(Output):
    url: str
    accessed_date: str
    metadata: CitationMetadata
    formatted: CitationFormats


class RetractionStatus(Output):
    """What Crossref records against a DOI; only a formal retraction, withdrawal or removal is `retracted`."""

    retracted: bool
    kind: Literal["retraction", "expression_of_concern", "correction"]
    date: str | None = None
    notice_doi: str | None = None
    source: Literal["retraction-watch", "publisher"] | None = None
