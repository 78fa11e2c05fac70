"""The command line: `assay call web_search query=cats`, or JSON in; JSON out."""

import argparse
import json
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from assay import __version__

if TYPE_CHECKING:
    from assay.errors import ToolError
    from assay.state.cache import KeyDeleter

USAGE, FAILED, INTERRUPTED = 2, 1, 130


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 is success, 1 a tool's failure, 2 a wrong question."""
    from assay.errors import ToolError

    asked = parser().parse_args(arguments)
    try:
        code: int = COMMANDS[asked.command](asked)
    except ToolError as failure:
        return print_failure(failure)
    except BrokenPipeError:  # the reader had enough
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:  # before there was anything to stop
        return INTERRUPTED
    return code


def parser(tools: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """The command line's parser. `tools` are the names that a shell completes."""
    top = argparse.ArgumentParser(prog="assay", description="Research tools that show their sources.")
    top.add_argument("--version", action="version", version=f"assay {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    call = commands.add_parser("call", help="call a tool: JSON or name=value in, JSON out", add_help=False)
    call.add_argument("tool", nargs="?", choices=tools)
    call.add_argument(
        "arguments", nargs="*", help="a JSON object, or name=value words; from standard input when absent"
    )
    call.add_argument("--text", action="store_true", help="print what a model reads instead of JSON")
    call.add_argument("-h", "--help", action="store_true", help="with a tool: its inputs and what they mean")
    call.set_defaults(usage=call)
    helping = commands.add_parser("help", help="explain a tool: its inputs with types, defaults and meaning")
    helping.add_argument("tool", nargs="?", choices=tools)
    helping.set_defaults(usage=top)
    listing = commands.add_parser("tools", help="list the tools")
    listing.add_argument("--json", action="store_true", help="with their schemas")
    listing.add_argument("--all", action="store_true", help="also those that lack configuration, with the reason")
    serving = commands.add_parser("serve", help="start the local server")
    serving.add_argument("--host", default="127.0.0.1")
    serving.add_argument("--port", type=int, default=8787)
    crawling = commands.add_parser("crawl", help="crawl a site, with a bar while it lasts and a table at its end")
    crawl_options(crawling)
    commands.add_parser("mcp", help="serve MCP on standard input and output")
    doctor = commands.add_parser("doctor", help="say what works here and what is missing")
    doctor.add_argument("--json", action="store_true")
    doctor.add_argument("--reach", action="store_true", help="ask each configured provider one real, cheap question")
    caching = commands.add_parser("cache", help="delete the answers that this machine keeps")
    caching.add_argument("action", choices=["clear"])
    completing = commands.add_parser("completion", help="print the completion script of a shell")
    completing.add_argument("shell", choices=["bash", "zsh", "tcsh"])
    job = commands.add_parser("job", help="see to what is due: one pass of each job, or a pass now and then")
    job.add_argument("jobs", nargs="+", metavar="NAME", help="link_check, archive")
    job.add_argument("--every", type=_span, metavar="TIME", help="go on until told to stop, such as every 1h")
    watch = commands.add_parser("watch", help="put addresses under watch; without any, list what is watched")
    watch.add_argument("urls", nargs="*", metavar="URL")
    watch.add_argument("--session", help="a research session whose sources are watched for as long as it lives")
    watch.add_argument("--archive", action="store_true", help="have public copies made, too, by the Internet Archive")
    watch.add_argument("--every", type=_span, metavar="TIME", help="between two looks at a link, 1d unless told")
    watch.add_argument("--stop", action="store_true", help="watch these no more")
    watch.add_argument("--report", action="store_true", help="print the latest reports")
    watch.add_argument("--tenant", default="local")
    watch.add_argument("--user", default="local")
    key = commands.add_parser("key", help="make a key and the entry of ASSAY_API_KEYS that accepts it")
    key.add_argument("name")
    key.add_argument("--tenant")
    key.add_argument("--user")
    key.add_argument("--scope", action="append", help="* (default), tool:<name>, or a toolset")
    return top


def crawl_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("url", nargs="?", help="the start page; the crawl stays on its site")
    command.add_argument("--max-pages", type=int, metavar="N", help="pages tried (100)")
    command.add_argument("--max-depth", type=int, metavar="N", help="1 is the start page alone (2)")
    command.add_argument("--include", action="append", metavar="PATTERN", help="only what it is found in; RE2")
    command.add_argument("--exclude", action="append", metavar="PATTERN", help="not what it is found in; it wins")
    command.add_argument("--render", action="store_true", help="run the pages' scripts in a browser")
    command.add_argument("--sitemaps", action="store_true", help="also read what the site's sitemaps name")
    command.add_argument("--resume", metavar="ID", help="go on with a crawl that was left")
    command.add_argument("--json", action="store_true", help="print all pages with their content as JSON")


def _span(text: str) -> int:
    from assay.settings import parse_duration

    if not (seconds := parse_duration(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is no time such as 90m, 1h or 7d")
    return seconds


def print_failure(failure: "ToolError") -> int:
    """Print the failure on standard error, as JSON unless that is a terminal; the exit code."""
    from assay.entrypoints.cli.terminal import print_failure

    print_failure(failure)
    return USAGE if failure.kind == "validation" else FAILED


def call(asked: argparse.Namespace) -> int:
    from assay.entrypoints.cli import json_command
    from assay.entrypoints.cli.arguments import read_words
    from assay.entrypoints.cli.tool_call import call_tool
    from assay.entrypoints.http.apigateway_event import json_of
    from assay.toolkit import tool_registry

    if asked.tool is None or asked.help:
        return explain(asked)
    words = read_words(asked.arguments, tool_registry.find_tool(asked.tool)) if asked.arguments else None
    if not asked.text and (tool := json_command.plain_tool(asked.tool)):
        return json_command.call(
            tool, words, tell=json_command.in_words if sys.stderr.isatty() else json_command.print_failure
        )
    reply = call_tool(
        asked.tool, json_of(words.encode(errors="surrogateescape") if words is not None else read_stdin())
    )
    if reply.error is not None:
        return print_failure(reply.error)
    print(reply.text if asked.text else json.dumps(reply.body(), ensure_ascii=False, separators=(",", ":")))
    return 0


def read_stdin() -> bytes:
    """Standard input to its end. Nobody types JSON into a terminal that shows no prompt, so there it is empty."""
    return b"" if sys.stdin.isatty() else sys.stdin.buffer.read()


def explain(asked: argparse.Namespace) -> int:
    """Print the help of the tool that is named, or of the command where none is."""
    from assay.entrypoints.cli.help_text import format_help
    from assay.toolkit import tool_registry

    if asked.tool is None:
        if asked.command == "call" and not asked.help:
            asked.usage.error("name a tool; `assay tools` lists them")
        asked.usage.print_help()
        return 0
    print(format_help(tool_registry.find_tool(asked.tool)))
    return 0


def list_tools(asked: argparse.Namespace) -> int:
    from dataclasses import replace

    from assay.entrypoints.listing import name_lenses
    from assay.entrypoints.mcp.list_cache import load_cached
    from assay.entrypoints.mcp.tool_catalogue import toolsets_of
    from assay.settings import Settings

    settings = Settings.read()
    catalogue = load_cached(settings.home)
    shown = replace(settings, unconfigured_tools="show") if asked.all else settings
    found = name_lenses(catalogue.list_tools(toolsets_of("all"), shown), settings)
    if asked.json:
        print(json.dumps({"tools": found}, ensure_ascii=False))
        return 0
    print("\n".join(f"{card['name']:20} {' '.join(card['description'].split())}" for card in found))
    lacking = [entry.card["name"] for entry in catalogue.entries() if not settings.meets(entry.requirements)]
    if lacking and not asked.all:
        print(f"Not configured: {', '.join(lacking)}. `assay tools --all` says what each lacks.", file=sys.stderr)
    return 0


def serve(asked: argparse.Namespace) -> int:
    from assay.entrypoints.http.local_server import serve as listen

    listen(asked.host, asked.port)
    return 0


def crawl(asked: argparse.Namespace) -> int:
    from assay.entrypoints.cli import crawl_command

    return crawl_command.crawl(asked)


def mcp(_: argparse.Namespace) -> int:
    from assay.bootstrap import build_services
    from assay.entrypoints.mcp.stdio import run_stdio

    services = build_services()
    services.reads_apart = True
    run_stdio(services)
    return 0


def doctor(asked: argparse.Namespace) -> int:
    import asyncio

    from assay.entrypoints.cli.doctor import format_findings, run_checks

    findings = asyncio.run(run_checks(reach=asked.reach))
    print(
        json.dumps([finding.wire() for finding in findings], ensure_ascii=False)
        if asked.json
        else format_findings(findings)
    )
    return FAILED if any(finding.state == "broken" for finding in findings) else 0


def cache(_: argparse.Namespace) -> int:
    import asyncio

    from assay.bootstrap import build_services
    from assay.errors import ConfigError
    from assay.state.cache import clear

    async def clear_all() -> int:
        services = build_services()
        try:
            if services.settings.table_name:
                raise ConfigError("The cache of a deployment on AWS is not cleared from here; it expires by itself.")
            return await clear(cast("KeyDeleter", services.table), services.bucket)
        finally:
            await services.close()

    print(
        f"{asyncio.run(clear_all())} kept answers deleted. A running server may have some in memory until it restarts."
    )
    return 0


def completion(asked: argparse.Namespace) -> int:
    import shtab

    from assay.toolkit import tool_registry

    print(shtab.complete(parser(tool_registry.tool_names()), shell=asked.shell))
    return 0


def key(asked: argparse.Namespace) -> int:
    import hashlib
    import secrets

    from assay.entrypoints.auth import ring

    shown = "assay_" + secrets.token_urlsafe(32)
    entry = {
        "name": asked.name,
        "sha256": hashlib.sha256(shown.encode()).hexdigest(),
        "tenant": asked.tenant or asked.name,
        "user": asked.user or asked.name,
        "scopes": asked.scope or ["*"],
    }
    ring(json.dumps([entry]))  # an entry that the server would refuse is refused here
    print(json.dumps({"key": shown, "entry": entry}))
    print("The key is shown this once. Put the entry into the list ASSAY_API_KEYS.", file=sys.stderr)
    return 0


def job(asked: argparse.Namespace) -> int:
    from assay.entrypoints.cli import job_commands

    return job_commands.job(asked)


def watch(asked: argparse.Namespace) -> int:
    from assay.entrypoints.cli import job_commands

    return job_commands.manage_watches(asked)


COMMANDS = {
    "call": call,
    "help": explain,
    "cache": cache,
    "completion": completion,
    "tools": list_tools,
    "serve": serve,
    "crawl": crawl,
    "mcp": mcp,
    "doctor": doctor,
    "key": key,
    "job": job,
    "watch": watch,
}

if __name__ == "__main__":
    sys.exit(main())
