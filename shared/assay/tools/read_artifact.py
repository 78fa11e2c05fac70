"""Read a stored answer in parts."""

from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.models.common import TRUST, Input, Output, Trust
from assay.state import artifacts
from assay.toolkit.tool import tool

ENVELOPE_BYTES = 2_000  # of the answer, besides the part


class ReadArtifactInput(Input):
    id: Annotated[str, Field(min_length=1, max_length=100, description="Artifact id or its research://artifact/ URI.")]
    offset: Annotated[int, Field(ge=0, description="Number of characters to skip; pass nextOffset to read on.")] = 0
    length: Annotated[int, Field(ge=1, le=200_000, description="Maximum number of characters to return.")] = 20_000


class ReadArtifactOutput(Output):
    id: str
    content: str
    offset: Annotated[int, Field(description="Characters skipped.")]
    length: Annotated[int, Field(description="Characters returned.")]
    total: Annotated[int, Field(description="Characters of the whole artifact.")]
    next_offset: Annotated[int | None, Field(description="Offset of the next part; absent at the end.")] = None
    trust: Trust = TRUST

    def markdown(self) -> str:
        if self.offset >= self.total > 0:
            return f"[Nothing from offset {self.offset}: the artifact ends after {self.total} characters.]"
        onward, left = self.next_offset, self.total - (self.next_offset or 0)
        rest = "end of the artifact" if onward is None else f"{left} characters more from offset {onward}"
        return f"{self.content}\n\n[{rest}; trust: {self.trust}]"


def fit(part: str, limit: int | None) -> str:
    """Cut the part so that an answer of `room` bytes can carry it twice: as text and in JSON."""
    while limit is not None and (size := 2 * artifacts.measure_json(part)) > limit - ENVELOPE_BYTES:
        part = part[: len(part) * (limit - ENVELOPE_BYTES) // size - 1]
    return part


@tool(open_world=False, toolsets=("core", "research"))
async def read_artifact(ask: ReadArtifactInput, ctx: Context) -> ReadArtifactOutput:
    """Read a part of a large answer that another tool stored (a `resource` link), by offset and length.
    Artifacts expire after 30 minutes."""
    text = await artifacts.read(ctx.services.bucket, ctx.caller.tenant, ask.id)
    part = fit(text[ask.offset : ask.offset + ask.length], ctx.answer_bytes)
    end = ask.offset + len(part)
    return ReadArtifactOutput(
        id=ask.id.removeprefix(artifacts.SCHEME),
        content=part,
        offset=ask.offset,
        length=len(part),
        total=len(text),
        next_offset=end if end < len(text) else None,
    )
