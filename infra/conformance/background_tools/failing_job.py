"""Fail after a while."""

import asyncio

from assay.context import Context
from assay.errors import ToolError
from assay.models.common import Input, Output
from assay.toolkit.tool import tool


class FailingJobInput(Input):
    pass


class FailingJobOutput(Output):
    pass


@tool(open_world=False, background=True)
async def failing_job(ask: FailingJobInput, ctx: Context) -> FailingJobOutput:  # noqa: ARG001
    """Fail after a second."""
    await asyncio.sleep(1)
    raise ToolError("This job fails, as it should.")
