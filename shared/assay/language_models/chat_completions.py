"""Client for language models with an OpenAI-compatible chat completions API."""

from collections.abc import Sequence
from typing import Any

from assay.errors import ConfigError, Refused, ToolError, UpstreamFailed
from assay.language_models.compatible_endpoint import CompatibleEndpoint
from assay.net.provider_client import ProviderClient, ProviderResponse
from assay.provider_base.results import as_count, get_path
from assay.settings import Settings
from assay.state.budget import to_micro_dollars
from assay.state.ports import Completion, Model

PROVIDER = "llm"
MAX_RESPONSE_BYTES = 4 * 1024 * 1024
# Parameters that some models reject by name, with the replacement; None drops the parameter.
REPLACEMENTS = {"max_tokens": "max_completion_tokens", "temperature": None}


def create_model(settings: Settings, http: ProviderClient, configured: Model | None) -> Model | None:
    """Return the model of LLM_BASE_URL, else `configured`. Raises ConfigError for LLM_BASE_URL without LLM_MODEL."""
    if not settings.key("LLM_BASE_URL"):
        return configured
    if not settings.key("LLM_MODEL"):
        raise ConfigError("LLM_BASE_URL is set and LLM_MODEL is not; name the model.", field="LLM_MODEL")
    return CompatibleModel(http, settings)


class _ParameterRejected(Exception):
    """Raised if the endpoint rejects a request parameter by name."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class CompatibleModel:
    """Client for an OpenAI-compatible endpoint: OpenAI, vLLM, Ollama, llama.cpp or a gateway."""

    def __init__(self, http: ProviderClient, settings: Settings) -> None:
        self.name = settings.key("LLM_MODEL")
        self._endpoint = CompatibleEndpoint(http, settings, PROVIDER, "LLM_API_KEY", cap=MAX_RESPONSE_BYTES)

    async def complete(self, system: str, turns: Sequence[str], *, tokens: int, seconds: float) -> Completion:
        roles = ("user", "assistant")
        messages = [{"role": roles[at % 2], "content": turn} for at, turn in enumerate(turns)]
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [{"role": "system", "content": system}, *messages],
            "temperature": 0,
            "max_tokens": tokens,
            "stream": False,
        }
        for _ in range(len(REPLACEMENTS) + 1):
            try:
                return _to_completion((await self._post(body, seconds)).body)
            except _ParameterRejected as refused:
                value, name = body.pop(refused.name), REPLACEMENTS[refused.name]
                body |= {name: value} if name else {}
        raise AssertionError("each parameter is refused once at most")

    async def close(self) -> None:
        pass  # the connection pool is shared

    async def _post(self, body: dict[str, Any], seconds: float) -> ProviderResponse:
        path = "/chat/completions"
        return await self._endpoint.post(path, body, seconds=seconds, refusal=lambda got: _to_error(got, body))


def _to_error(got: ProviderResponse, body: dict[str, Any]) -> ToolError | None:
    """Map a 400 or 422 response to an error. Raises _ParameterRejected for a parameter that can be replaced."""
    if got.status not in (400, 422):
        return None
    message = get_path(got.body, "error", "message")
    name = get_path(got.body, "error", "param")
    rejected = [
        parameter
        for parameter in REPLACEMENTS
        if parameter in body and (parameter == name or (isinstance(message, str) and f"'{parameter}'" in message))
    ]
    if rejected:
        raise _ParameterRejected(rejected[0])
    too_long = isinstance(message, str) and ("context" in message.lower() or "too long" in message.lower())
    advice = " The page and the question do not fit it: lower LLM_ROOM_TOKENS." if too_long else ""
    return Refused(f"{PROVIDER} rejected the request (HTTP {got.status}).{advice}", provider=PROVIDER)


def _to_completion(answer: Any) -> Completion:
    text = get_path(answer, "choices", 0, "message", "content")
    if isinstance(text, list):  # some endpoints send a list of content parts
        text = "".join(text_part for part in text if isinstance(text_part := get_path(part, "text"), str))
    if not isinstance(text, str):
        raise UpstreamFailed(f"{PROVIDER} answered in a shape that cannot be read.", provider=PROVIDER)
    return Completion(
        text,
        as_count(get_path(answer, "usage", "prompt_tokens")) or 0,
        as_count(get_path(answer, "usage", "completion_tokens")) or 0,
        to_micro_dollars(get_path(answer, "usage", "cost")),
        get_path(answer, "choices", 0, "finish_reason") == "length",
    )
