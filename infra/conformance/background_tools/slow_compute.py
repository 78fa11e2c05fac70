"""Wait, as work that takes long does."""

import asyncio

from assay.context import Context
from assay.models.common import Input, Output
from assay.toolkit.tool import tool


class SlowComputeInput(Input):
    seconds: float = 0
    label: str = ""


class SlowComputeOutput(Output):
    text: str

    def markdown(self) -> str:
        return self.text


@tool(open_world=False, background=True)
async def slow_compute(ask: SlowComputeInput, ctx: Context) -> SlowComputeOutput:  # noqa: ARG001
    """Wait for some seconds."""
    await asyncio.sleep(ask.seconds)
    return SlowComputeOutput(text=f"{ask.label}: waited {ask.seconds:g} seconds")
