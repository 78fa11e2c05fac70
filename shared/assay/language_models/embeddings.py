"""Client for embedding models with an OpenAI-compatible embeddings API."""

from collections.abc import Sequence
from typing import Any

from assay.errors import ConfigError, UpstreamFailed
from assay.language_models.compatible_endpoint import CompatibleEndpoint
from assay.net.provider_client import ProviderClient
from assay.provider_base.results import get_path
from assay.settings import Settings
from assay.state.ports import EmbeddingModel

PROVIDER = "embedding"
MAX_RESPONSE_BYTES = 16 * 1024 * 1024
MAX_DIMENSIONS = 8_192
MAX_VALUE = 1e6  # of one component; models answer with values around 1, and their squares have to stay finite


def create_embedding_model(
    settings: Settings, http: ProviderClient, configured: EmbeddingModel | None
) -> EmbeddingModel | None:
    """Return the model of EMBEDDING_BASE_URL, else `configured`. Raises ConfigError without EMBEDDING_MODEL."""
    if not settings.key("EMBEDDING_BASE_URL"):
        return configured
    if not settings.key("EMBEDDING_MODEL"):
        raise ConfigError(
            "EMBEDDING_BASE_URL is set and EMBEDDING_MODEL is not; name the model.", field="EMBEDDING_MODEL"
        )
    return CompatibleEmbeddings(http, settings)


class CompatibleEmbeddings:
    """ports.EmbeddingModel for an OpenAI-compatible endpoint: OpenAI, vLLM, Ollama, llama.cpp or a gateway."""

    def __init__(self, http: ProviderClient, settings: Settings) -> None:
        self.name = settings.key("EMBEDDING_MODEL")
        self._endpoint = CompatibleEndpoint(http, settings, PROVIDER, "EMBEDDING_API_KEY", cap=MAX_RESPONSE_BYTES)

    async def embed(self, texts: Sequence[str], *, seconds: float, is_query: bool = False) -> list[list[float]]:  # noqa: ARG002  such endpoints do not tell queries from documents
        body = {"model": self.name, "input": list(texts), "encoding_format": "float"}
        got = await self._endpoint.post("/embeddings", body, seconds=seconds)
        rows = get_path(got.body, "data")
        vectors: list[Any] = [None] * len(body["input"])
        for place, row in enumerate(rows if isinstance(rows, list) else []):
            at = get_path(row, "index")
            at = at if isinstance(at, int) else place
            if 0 <= at < len(vectors):
                vectors[at] = get_path(row, "embedding")
        return check_vectors(vectors, PROVIDER)

    async def close(self) -> None:
        pass  # the connection pool is shared


def check_vectors(vectors: Sequence[Any], provider: str) -> list[list[float]]:
    """Return the vectors of an answer. Raises UpstreamFailed unless they are small numbers of one dimension."""
    sizes = {len(vector) if isinstance(vector, list) else 0 for vector in vectors}
    if len(sizes) > 1 or not all(0 < size <= MAX_DIMENSIONS for size in sizes):
        raise UpstreamFailed(f"{provider} answered without a vector for each text.", provider=provider)
    for vector in vectors:
        if not all(isinstance(value, int | float) and abs(value) <= MAX_VALUE for value in vector) or not any(vector):
            raise UpstreamFailed(
                f"{provider} answered with a vector that is all zeros or has values that are too large.",
                provider=provider,
            )
    return [[float(value) for value in vector] for vector in vectors]
