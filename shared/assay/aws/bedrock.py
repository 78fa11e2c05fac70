"""Language models in Amazon Bedrock, called through the Converse API."""

from collections.abc import Callable, Sequence
from typing import Any

from assay.aws.service_calls import ServiceCalls
from assay.aws.signed_http import THROTTLES
from assay.errors import AuthRequired, ConfigError, Network, RateLimited, Refused, UpstreamFailed
from assay.provider_base.results import as_count, get_path
from assay.state.ports import Completion

PROVIDER = "bedrock"
READ_SECONDS = 110  # Converse does not stream: a long answer arrives in one response


class Bedrock:
    """ports.Model for a Bedrock model or inference profile id.

    See https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html.
    """

    def __init__(self, model: str, client: Any = None) -> None:
        self.name = model
        self._remote: ServiceCalls[Any] = ServiceCalls("bedrock-runtime", client, seconds=READ_SECONDS, attempts=1)

    async def complete(self, system: str, turns: Sequence[str], *, tokens: int, seconds: float) -> Completion:
        import asyncio

        roles = ("user", "assistant")
        request = {
            "modelId": self.name,
            "system": [{"text": system}],
            "messages": [{"role": roles[at % 2], "content": [{"text": turn}]} for at, turn in enumerate(turns)],
            "inferenceConfig": {"temperature": 0, "maxTokens": tokens},
        }
        try:
            async with asyncio.timeout(seconds):
                answer = await self._remote.ask(
                    lambda client: run_request(lambda: client.converse(**request), "LLM_MODEL")
                )
        except TimeoutError:
            raise Network(
                f"bedrock did not answer within {seconds:.0f} seconds.", provider=PROVIDER, retry_after=5
            ) from None
        return _to_completion(answer)

    async def close(self) -> None:
        await self._remote.close()


def run_request(request: Callable[[], Any], variable: str) -> Any:
    """Send the request. Raises a ToolError subclass for each of Bedrock's error codes; `variable` names the model."""
    from botocore.exceptions import ClientError

    try:
        return request()
    except ClientError as refusal:
        code = str(refusal.response.get("Error", {}).get("Code", ""))
        if code in THROTTLES:
            raise RateLimited(
                "bedrock limits the request rate. Wait 5 seconds, then call again.", provider=PROVIDER, retry_after=5
            ) from None
        if code in ("AccessDeniedException", "UnrecognizedClientException", "ExpiredTokenException"):
            raise AuthRequired(
                f"bedrock refused access: allow bedrock:InvokeModel for {variable} and enable the model.",
                provider=PROVIDER,
            ) from None
        if code == "ResourceNotFoundException":
            raise ConfigError(
                f"bedrock does not have the model that {variable} names in this region.", field=variable
            ) from None
        if code == "ValidationException":
            raise Refused("bedrock rejected the request (ValidationException).", provider=PROVIDER) from None
        if code in ("ModelTimeoutException", "ServiceUnavailableException", "ModelNotReadyException"):
            raise Network(f"bedrock is busy ({code}).", provider=PROVIDER, retry_after=5) from None
        raise UpstreamFailed(f"bedrock failed ({code or 'no code'}).", provider=PROVIDER) from None


def _to_completion(answer: Any) -> Completion:
    parts = get_path(answer, "output", "message", "content")
    texts = (
        [text for part in parts if isinstance(text := get_path(part, "text"), str)] if isinstance(parts, list) else []
    )
    if not texts:
        raise UpstreamFailed("bedrock returned no text.", provider=PROVIDER)
    return Completion(
        "".join(texts),
        as_count(get_path(answer, "usage", "inputTokens")) or 0,
        as_count(get_path(answer, "usage", "outputTokens")) or 0,
        cut=get_path(answer, "stopReason") == "max_tokens",
    )
