"""What the resources about the service show, as JSON: figures of the caller's tenant, each from one query at most."""

import json
from typing import Any

from assay.context import Context


def _encode(document: Any) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


async def read_tool_statistics(_: str, ctx: Context) -> str:
    from assay.statistics import overview

    return _encode(await overview.describe_tools(ctx.services.table, ctx.caller.tenant))


async def read_session_statistics(_: str, ctx: Context) -> str:
    from assay.statistics import overview

    return _encode(await overview.describe_sessions(ctx.services.table, ctx.caller.tenant))


async def read_limits(_: str, ctx: Context) -> str:
    """The limits as the read itself has counted them, so that it costs nothing more."""
    from assay.statistics import overview

    return _encode(overview.describe_limits(ctx.services.settings, ctx.caller.tenant, ctx.quotas))


async def read_providers(_: str, ctx: Context) -> str:
    from assay.statistics import overview

    return _encode(overview.describe_configured(ctx.services.settings))


async def read_lenses(_: str, ctx: Context) -> str:
    from assay.statistics import overview

    return _encode(overview.describe_lenses(ctx.search.lenses))


async def read_recent_errors(_: str, ctx: Context) -> str:
    from assay.statistics.recent_errors import read_errors

    errors = await read_errors(ctx.services.table, ctx.caller.tenant, ctx.caller.user)
    return _encode({"count": len(errors), "errors": errors})


async def read_health(_: str, ctx: Context) -> str:
    from assay.statistics import overview

    return _encode(await overview.describe_health(ctx.search))
