"""Answer a question in one paragraph with the pages that support it."""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.evaluation.claim_sentences import extract_terms
from assay.models.common import TRUST, CitedSource, Cleared, Output, Question, SessionId, Source, Trust
from assay.search import paid_provider
from assay.toolkit.tool import tool

MIN_COVERAGE = 0.5  # share of the question's terms; an answer with fewer may be off topic


class AnswerInput(Question):
    provider: Annotated[Cleared[str], Field(description="exa or tavily; required if both have API keys.")] = None
    session_id: SessionId = None


class Hints(Output):
    """Reasons to doubt an answer."""

    confidence: Annotated[str, Field(description="low, since hints are present only for doubtful answers.")] = "low"
    reason: Annotated[str, Field(description="Why the answer is doubtful, as a code.")]
    message: Annotated[str, Field(description="Why the answer is doubtful, as a sentence.")]
    terms_matched: Annotated[int, Field(description="Terms of the question that the answer contains.")]
    terms_total: Annotated[int, Field(description="Terms of the question.")]


class AnswerOutput(Output):
    answer: Annotated[str, Field(description="Empty if the provider has no answer.")]
    citations: Annotated[list[CitedSource], Field(description="Pages that the answer is based on.")]
    provider: Annotated[str, Field(description="Name of the provider that answered.")]
    cost_usd: Annotated[float | None, Field(description="Estimate.")] = None
    hints: Annotated[Hints | None, Field(description="Present if the answer may be wrong: why to check it.")] = None
    warnings: list[str] | None = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        lines = [self.answer or "The provider has no answer.", ""]
        for number, cited in enumerate(self.citations, 1):
            dated = f" ({cited.published_date[:10]})" if cited.published_date else ""
            lines.append(f"{number}. {cited.title or cited.url}{dated}\n   {cited.url}")
        lines += [f"Hint: {self.hints.message}"] if self.hints else []
        lines += [f"Warning: {warning}" for warning in self.warnings or ()]
        cost = f" · cost: ${self.cost_usd:g}" if self.cost_usd else ""
        return "\n".join([*lines, f"provider: {self.provider}{cost} · trust: {self.trust}"])

    def sources(self) -> list[Source]:
        return [
            Source(url=cited.url, title=cited.title, date=cited.published_date, relevance="cited")
            for cited in self.citations
        ]

    def is_empty(self) -> bool:
        return not self.answer


@tool(operation="answer", cache=timedelta(hours=1), limit=timedelta(seconds=60), toolsets=("research",))
async def answer(ask: AnswerInput, ctx: Context) -> AnswerOutput:
    """Answer a factual question in one paragraph with citations, written by a paid provider (Exa, Tavily).

    Use web_search for links and scrape_page to check what the cited pages say: the answer is outside data."""
    found = await paid_provider.run_query(
        ctx.search, ctx.services.settings, "answer", Question(query=ask.query), ask.provider
    )
    result = found.hits[0]
    return AnswerOutput(
        answer=result.answer,
        citations=result.citations,
        provider=found.provider,
        cost_usd=ctx.budget.dollars,
        hints=hints(ask.query, result.answer),
        warnings=found.warnings or None,
    )


def hints(query: str, text: str) -> Hints | None:
    """Return a warning if the answer contains fewer than half of the question's terms."""
    question_terms = extract_terms(query)
    matched = len(question_terms & extract_terms(text))
    if not text:
        reason, message = "no_answer", "Nothing was found; that does not mean that nothing exists. Try web_search."
    elif question_terms and matched / len(question_terms) < MIN_COVERAGE:
        reason = "weak_query_result_overlap"
        message = f"The answer holds {matched} of the question's {len(question_terms)} terms; check what it is about."
    else:
        return None
    return Hints(reason=reason, message=message, terms_matched=matched, terms_total=len(question_terms))
