"""Embedding models in Amazon Bedrock: Titan and Cohere."""

import json
from collections.abc import Sequence
from typing import Any

from assay.aws.bedrock import PROVIDER, run_request
from assay.aws.service_calls import ServiceCalls
from assay.errors import Network, UpstreamFailed
from assay.language_models.embeddings import check_vectors
from assay.provider_base.results import get_path
from assay.state.concurrent_map import map_concurrently

VARIABLE = "EMBEDDING_MODEL"
AT_ONCE = 8  # requests of a model that takes one text at a time
COHERE_TEXT = 2_048  # characters that Cohere's models accept


class BedrockEmbeddings:
    """ports.EmbeddingModel for a Bedrock model id.

    See https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.html and
    https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed.html.
    """

    def __init__(self, model: str, client: Any = None) -> None:
        self.name = model
        self._remote: ServiceCalls[Any] = ServiceCalls("bedrock-runtime", client, seconds=20, attempts=1)

    async def embed(self, texts: Sequence[str], *, seconds: float, is_query: bool = False) -> list[list[float]]:
        import asyncio

        try:
            async with asyncio.timeout(seconds):
                if "cohere." in self.name:
                    kind = "search_query" if is_query else "search_document"
                    cut = [text[:COHERE_TEXT] for text in texts]
                    answer = await self._invoke({"texts": cut, "input_type": kind, "truncate": "END"})
                    found = get_path(answer, "embeddings")
                    vectors = get_path(found, "float") if isinstance(found, dict) else found
                else:
                    answers = await map_concurrently(
                        lambda text: self._invoke({"inputText": text}), texts, limit=AT_ONCE
                    )
                    vectors = [get_path(answer, "embedding") for answer in answers]
        except TimeoutError:
            raise Network(
                f"bedrock did not answer within {seconds:.0f} seconds.", provider=PROVIDER, retry_after=5
            ) from None
        if not isinstance(vectors, list) or len(vectors) != len(texts):
            raise UpstreamFailed("bedrock answered without a vector for each text.", provider=PROVIDER)
        return check_vectors(vectors, PROVIDER)

    async def close(self) -> None:
        await self._remote.close()

    async def _invoke(self, body: dict[str, Any]) -> Any:
        def invoke(client: Any) -> Any:
            answer = client.invoke_model(modelId=self.name, body=json.dumps(body), contentType="application/json")
            return json.loads(answer["body"].read())

        return await self._remote.ask(lambda client: run_request(lambda: invoke(client), VARIABLE))
