"""Small tools that stand for the real ones, and the servers over them. Run as a program it is a child process."""

import asyncio
import sys
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from assay.context import Context
from assay.entrypoints.mcp.prompt_base import Prompt, PromptArgument
from assay.entrypoints.mcp.tool_catalogue import ToolCatalogue
from assay.errors import ContentEmpty, NotFound, RateLimited, ToolError
from assay.invoke import Reply, execute
from assay.models.common import Input, Output
from assay.toolkit.tool import tool

STOPPED: list[str] = []  # who was cancelled
IN_FLIGHT: dict[object, set[object]] = {}  # calls that wait for others, with those they were in flight beside


class Text(Input):
    query: Annotated[str, Field(min_length=1, max_length=500, description="What to say.")]
    times: Annotated[int, Field(ge=1, le=10, description="How often.")] = 1


class Said(Output):
    text: str
    tenant: str


class Nothing(Input):
    pass


class Size(Input):
    size: Annotated[int, Field(ge=0, description="Characters.")] = 40_000


class Wait(Input):
    seconds: Annotated[float, Field(ge=0, le=60, description="How long.")] = 0.05
    others: Annotated[
        int, Field(ge=0, description="How many calls to wait for, which must be in flight beside it.")
    ] = 0


class Stuck(Input):
    how: Literal["loop", "thread"]


class Large(Output):
    text: str

    def summarize(self) -> tuple[str, dict[str, Any]]:
        return "Many letters.", {"letters": len(self.text)}


@tool(open_world=False, toolsets=("core",))
async def echo(ask: Text, ctx: Context) -> Said:
    """Say it again."""
    return Said(text=" ".join([ask.query] * ask.times), tenant=ctx.caller.tenant)


@tool(open_world=False, toolsets=("core",), cache=timedelta(minutes=5), fresh_meta=True)
async def kept(ask: Text, ctx: Context) -> Said:
    """Say it again, from memory."""
    return Said(text=ask.query, tenant=ctx.caller.tenant)


@tool(open_world=False, toolsets=("research",), heavy=True)
async def large(ask: Size, ctx: Context) -> Large:
    """Say very much."""
    return Large(text="ä" * ask.size)


async def meet(others: int) -> None:
    """Wait until so many other calls have been in flight beside this one."""
    call = object()
    for beside in IN_FLIGHT.values():
        beside.add(call)
    IN_FLIGHT[call] = met = set(IN_FLIGHT)
    try:
        while len(met) < others:
            await asyncio.sleep(0.01)
    finally:
        del IN_FLIGHT[call]


@tool(open_world=False, toolsets=("research",))
async def wait(ask: Wait, ctx: Context) -> Said:
    """Wait and tell how far it is."""
    try:
        for step in range(3):
            if ctx.report is not None:
                await ctx.report(step, 3, f"step {step}")
            await asyncio.sleep(ask.seconds / 3)
        await meet(ask.others)
    except asyncio.CancelledError:
        STOPPED.append(ctx.request_id)
        sys.stderr.write("cancelled\n")
        raise
    return Said(text="waited", tenant=ctx.caller.tenant)


@tool(open_world=False, toolsets=("research",))
async def stuck(ask: Stuck, ctx: Context) -> Said:
    """Take a minute that nothing can cut short."""
    sys.stderr.write("stuck\n")
    sys.stderr.flush()
    if ask.how == "thread":
        await asyncio.to_thread(time.sleep, 60)
    until = time.monotonic() + 60
    while time.monotonic() < until:
        pass
    return Said(text="done", tenant=ctx.caller.tenant)


@tool(open_world=False, read_only=False, toolsets=("json",))
async def limited(ask: Nothing, ctx: Context) -> Said:
    """Refuse for now."""
    raise RateLimited("Too many questions. Wait a little.", retry_after=7, provider="example")


@tool(open_world=False, toolsets=("json",))
async def empty(ask: Nothing, ctx: Context) -> Said:
    """Find nothing at all."""
    raise ContentEmpty("The page has no text.")


@tool(open_world=False, toolsets=("json",))
async def noisy(ask: Nothing, ctx: Context) -> Said:
    """Print where only messages belong."""
    sys.stdout.write("not a message\n")
    sys.stdout.flush()
    return Said(text="printed", tenant=ctx.caller.tenant)


TOOLS = {one.name: one for one in (echo, kept, large, wait, stuck, limited, empty, noisy)}


def find(name: str) -> Any:
    if name not in TOOLS:
        raise NotFound(f"There is no tool called {name[:60]!r}. List the tools to see what there is.")
    return TOOLS[name]


async def run(name: str, arguments: Any, ctx: Context) -> Reply:
    """The path every call takes, over these tools."""
    try:
        return await execute(find(name), arguments, ctx)
    except ToolError as failure:
        return Reply(error=failure)


GREET = Prompt(
    "greet",
    "Greet",
    "Greet somebody.",
    (
        PromptArgument("who", "Whom to greet.", required=True),
        PromptArgument("tone", "How.", kind="choice", choices=("warm", "wry", "cold")),
    ),
    lambda: "Greet in a $tone voice.",
)


def catalogue(**more: Any) -> ToolCatalogue:
    parts: dict[str, Any] = {"prompts": (GREET,)} | more
    return ToolCatalogue(names=lambda: tuple(sorted(TOOLS)), find=find, run=run, **parts)


def main() -> None:
    serve(sys.argv[1])


def serve(kind: str, create_app: Callable[[], ToolCatalogue] = catalogue) -> None:
    from assay.bootstrap import local_services
    from assay.settings import Settings

    services = local_services(Settings.read())
    if kind == "stdio":
        from assay.entrypoints.mcp.stdio import run_stdio

        run_stdio(services, create_app(), grace=60)  # the settings of a test say how soon it ends
        return
    import uvicorn

    from assay.entrypoints.http.host_origin_guard import HostOriginMiddleware
    from assay.entrypoints.http.http_protocol import LimitedHttpProtocol
    from assay.entrypoints.mcp.local_http import LocalMcp

    class Served(uvicorn.Server):
        async def startup(self, sockets: Any = None) -> None:
            await super().startup(sockets)
            sys.stdout.write(f"{self.servers[0].sockets[0].getsockname()[1]}\n")
            sys.stdout.flush()

    local = LocalMcp(services, create_app())

    async def main() -> None:
        app = HostOriginMiddleware(local.app, any_host=False)
        port = int(sys.argv[2]) if len(sys.argv) > 2 else 0
        protocol = LimitedHttpProtocol  # the one of the local server
        await Served(uvicorn.Config(app, http=protocol, port=port, lifespan="off", log_level="warning")).serve()
        await services.close()

    asyncio.run(main())


if __name__ == "__main__":
    main()
