"""Natural-language inference at an endpoint of the operator's: whether passages entail or contradict a claim.

Documentation: https://huggingface.co/docs/api-inference/tasks/text-classification, for pairs of texts: the request is
`{"inputs": [{"text": passage, "text_pair": claim}, …], "parameters": {"top_k": 3}}`, the response one list of
`{"label": "entailment" | "neutral" | "contradiction", "score": probability}` for each pair, in the same order.
Authentication: NLI_API_KEY as a bearer token, if set. NLI_BASE_URL is the whole address of the model.
Limits: those of the endpoint.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.models.entailment import Entailment, to_entailment
from assay.provider_base.provider import Provider

LABELS = 3


class Nli(Provider):
    """Sends the passages of one claim in one request."""

    name = "nli"
    key_name = "NLI_API_KEY"
    variables = (("NLI_BASE_URL",),)
    seconds = 30.0

    def headers(self) -> Mapping[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    async def classify(self, premises: Sequence[str], hypothesis: str, *, seconds: float = seconds) -> list[Entailment]:
        """Return the probabilities for each premise, in the order of `premises`."""
        pairs = [{"text": premise, "text_pair": hypothesis} for premise in premises]
        body = {"inputs": pairs, "parameters": {"top_k": LABELS}}
        rows = await self.post("", body, seconds=min(seconds, self.seconds))
        if len(rows) != len(premises):
            raise ValueError("the number of results is not that of the passages")
        return [_parse_scores(row) for row in rows]


def _parse_scores(row: Any) -> Entailment:
    if not isinstance(row, list):
        raise TypeError("a result is not a list of labels")
    scores = {str(each["label"]): each["score"] for each in row}
    if len(scores) != len(row) or not all(type(score) in (int, float) for score in scores.values()):
        raise TypeError("a label occurs twice, or a score is not a number")
    return to_entailment(scores)
