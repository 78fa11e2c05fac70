"""Embeds memories and queries. An endpoint that fails costs the search by meaning, never a memory."""

from collections.abc import Callable, Sequence

from assay.errors import Refused, ToolError
from assay.memory.memory_records import Memory
from assay.memory.memory_vectors import VectorSnapshot, compute_cosine, pack_vector, unpack_vector
from assay.state.concurrent_map import gather_all
from assay.state.ports import EmbeddingModel, NearestVectors, VectorIndex

SECONDS = 5.0  # of one request to the endpoint


class MemoryMeaning:
    """What makes and compares the vectors of one person's memories; without a model it only forgets them.

    `failure` is the reason why the last request to the model failed, "" if it did not.
    """

    def __init__(self, model: EmbeddingModel | None, vectors: VectorIndex, clock: Callable[[], float]) -> None:
        self._model, self._vectors, self._clock = model, vectors, clock
        self.name = model.name if model else ""
        self.failure = ""

    def is_current(self, memory: Memory) -> bool:
        """Whether the memory has a vector of this model."""
        return bool(memory.vector) and memory.model == self.name

    async def embed(self, text: str) -> str:
        """The vector of a memory, as it is stored; "" without a model, or if the model fails."""
        return next(iter(await self.embed_all([text])), "")

    async def embed_all(self, texts: Sequence[str]) -> list[str]:
        """The vectors of memories, as they are stored; "" for one that the model refuses, [] if it fails."""
        return [pack_vector(vector) if vector else "" for vector in await self._ask(texts, is_query=False)]

    async def embed_query(self, text: str) -> list[float]:
        """The vector of a query; [] if the model fails."""
        return next(iter(await self._ask([text], is_query=True)), [])

    async def load(self) -> NearestVectors:
        return await self._vectors.load(self.name) if self.name else VectorSnapshot({})

    async def index(self, memories: Sequence[Memory]) -> None:
        """Bring the index up to date with these memories."""
        if self.name and memories:
            entries = {
                memory.id: (unpack_vector(memory.vector), memory.until) if self.is_current(memory) else None
                for memory in memories
            }
            await self._vectors.replace(self.name, entries, self._clock())

    async def forget(self, identities: Sequence[str]) -> None:
        await self._vectors.replace(self.name, dict.fromkeys(identities), self._clock())

    def compare(self, vector: Sequence[float], memories: Sequence[Memory]) -> dict[str, float]:
        """The similarity of the memories to the vector by id, the most similar first."""
        found = {
            memory.id: round(compute_cosine(vector, unpack_vector(memory.vector)), 3)
            for memory in memories
            if self.is_current(memory)
        }
        return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))

    async def _ask(self, texts: Sequence[str], *, is_query: bool) -> list[list[float]]:
        if self._model is None or not texts:
            return []
        self.failure = ""
        try:
            return await self._embed_accepted(self._model, texts, is_query=is_query)
        except ToolError as failure:
            self.failure = failure.sentence()
            return []

    async def _embed_accepted(
        self, model: EmbeddingModel, texts: Sequence[str], *, is_query: bool
    ) -> list[list[float]]:
        """The vectors of the texts; [] for a text that the model refuses, such as one that is too long for it.

        One such text makes the model refuse a whole request, so the halves are sent again.
        """
        try:
            return await model.embed(texts, seconds=SECONDS, is_query=is_query)
        except Refused as refused:
            if len(texts) == 1:
                self.failure = refused.sentence()
                return [[]]
        middle = len(texts) // 2
        halves = (self._embed_accepted(model, half, is_query=is_query) for half in (texts[:middle], texts[middle:]))
        return [vector for vectors in await gather_all(*halves) for vector in vectors]
