"""The `assay` command line, for example `assay call web_search query=cats`. Results are JSON."""

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
    """Run one command. Exit codes: 0 success, 1 failure, 2 invalid arguments, 130 interrupted."""
    from assay.errors import ToolError

    options = parser().parse_args(arguments)
    try:
        code: int = COMMANDS[options.command](options)
    except ToolError as failure:
        return print_failure(failure)
    except BrokenPipeError:  # the reader has closed the pipe
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:  # before a command installs its own signal handler
        return INTERRUPTED
    return code


def parser(tools: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Build the parser of the command line. `tools` are the tool names for shell completion."""
    top = argparse.ArgumentParser(prog="assay", description="Research tools that return their sources.")
    top.add_argument("--version", action="version", version=f"assay {__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    call = commands.add_parser(
        "call", help="call a tool with JSON or name=value arguments; prints JSON", add_help=False
    )
    call.add_argument("tool", nargs="?", choices=tools)
    call.add_argument(
        "arguments", nargs="*", help="a JSON object, or name=value words (default: read from standard input)"
    )
    call.add_argument("--text", action="store_true", help="print the text that a model receives instead of JSON")
    call.add_argument(
        "-h", "--help", action="store_true", help="show this help; with a tool, its inputs and their meaning"
    )
    call.set_defaults(usage=call)
    helping = commands.add_parser("help", help="explain a tool: its inputs with types, defaults and meaning")
    helping.add_argument("tool", nargs="?", choices=tools)
    helping.set_defaults(usage=top)
    listing = commands.add_parser("tools", help="list the tools")
    listing.add_argument("--json", action="store_true", help="print JSON with the tools' schemas")
    listing.add_argument("--all", action="store_true", help="include unconfigured tools, with the reason")
    serving = commands.add_parser("serve", help="start the local server")
    serving.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    serving.add_argument("--port", type=int, default=8787, help="port to listen on (default: %(default)s)")
    crawling = commands.add_parser("crawl", help="crawl a site; shows a progress bar, then a table of pages")
    crawl_options(crawling)
    commands.add_parser("mcp", help="serve MCP on standard input and output")
    doctor = commands.add_parser("doctor", help="check the installation and its configuration")
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.add_argument(
        "--reach", action="store_true", help="also send one inexpensive request to each configured provider"
    )
    caching = commands.add_parser("cache", help="manage the local cache of answers")
    caching.add_argument("action", choices=["clear"], help="delete all cached answers")
    completing = commands.add_parser("completion", help="print the completion script for a shell")
    completing.add_argument("shell", choices=["bash", "zsh", "tcsh"])
    job = commands.add_parser("job", help="run the checks that are due, once or repeatedly")
    job.add_argument("jobs", nargs="+", metavar="NAME", help="link_check, archive")
    job.add_argument(
        "--every", type=_span, metavar="TIME", help="repeat at this interval until stopped, for example 1h"
    )
    watch = commands.add_parser("watch", help="watch URLs for dead links; without arguments, list watched URLs")
    watch.add_argument("urls", nargs="*", metavar="URL")
    watch.add_argument("--session", help="watch the sources of a research session until it expires")
    watch.add_argument("--archive", action="store_true", help="also save public copies at the Internet Archive")
    watch.add_argument(
        "--every", type=_span, metavar="TIME", help="interval between two checks of a link (default: 1d)"
    )
    watch.add_argument("--stop", action="store_true", help="stop watching these URLs")
    watch.add_argument("--report", action="store_true", help="print the latest report of each job")
    watch.add_argument("--tenant", default="local")
    watch.add_argument("--user", default="local")
    key = commands.add_parser("key", help="create an API key and its entry for ASSAY_API_KEYS")
    key.add_argument("name")
    key.add_argument("--tenant")
    key.add_argument("--user")
    key.add_argument("--scope", action="append", help="* (default), tool:<name>, or a toolset; repeatable")
    return top


def crawl_options(command: argparse.ArgumentParser) -> None:
    """Add the options of `assay crawl`."""
    command.add_argument("url", nargs="?", help="the start page; the crawl stays on its site")
    command.add_argument("--max-pages", type=int, metavar="N", help="maximum number of pages to request (default: 100)")
    command.add_argument(
        "--max-depth", type=int, metavar="N", help="maximum link depth; 1 is the start page alone (default: 2)"
    )
    command.add_argument(
        "--include", action="append", metavar="PATTERN", help="only crawl URLs that match; RE2 syntax, repeatable"
    )
    command.add_argument(
        "--exclude", action="append", metavar="PATTERN", help="skip URLs that match; overrides --include, repeatable"
    )
    command.add_argument("--render", action="store_true", help="render pages with JavaScript in a browser")
    command.add_argument("--sitemaps", action="store_true", help="also crawl the URLs in the site's sitemaps")
    command.add_argument("--resume", metavar="ID", help="resume an interrupted crawl")
    command.add_argument("--json", action="store_true", help="print all pages with their content as JSON")


def _span(text: str) -> int:
    from assay.settings.parsers import parse_duration

    if not (seconds := parse_duration(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a duration; use a form such as 90m, 1h or 7d")
    return seconds


def print_failure(failure: "ToolError") -> int:
    """Print the failure to standard error, as JSON unless it is a terminal. Returns the exit code."""
    from assay.entrypoints.cli.terminal import print_failure

    print_failure(failure)
    return USAGE if failure.kind == "validation" else FAILED


def call(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import json_command
    from assay.entrypoints.cli.arguments import read_words
    from assay.entrypoints.cli.tool_call import call_tool
    from assay.entrypoints.http.apigateway_event import json_of
    from assay.toolkit import tool_registry

    if options.tool is None or options.help:
        return explain(options)
    words = read_words(options.arguments, tool_registry.find_tool(options.tool)) if options.arguments else None
    if not options.text and (tool := json_command.plain_tool(options.tool)):
        return json_command.call(
            tool, words, tell=json_command.in_words if sys.stderr.isatty() else json_command.print_failure
        )
    reply = call_tool(
        options.tool, json_of(words.encode(errors="surrogateescape") if words is not None else read_stdin())
    )
    if reply.error is not None:
        return print_failure(reply.error)
    print(reply.text if options.text else json.dumps(reply.body(), ensure_ascii=False, separators=(",", ":")))
    return 0


def read_stdin() -> bytes:
    """Read standard input to its end. On a terminal return nothing, because waiting there would look like a hang."""
    return b"" if sys.stdin.isatty() else sys.stdin.buffer.read()


def explain(options: argparse.Namespace) -> int:
    """Print the help of the named tool, or of the command without a tool."""
    from assay.entrypoints.cli.help_text import format_help
    from assay.toolkit import tool_registry

    if options.tool is None:
        if options.command == "call" and not options.help:
            options.usage.error("name a tool; `assay tools` lists them")
        options.usage.print_help()
        return 0
    print(format_help(tool_registry.find_tool(options.tool)))
    return 0


def list_tools(options: argparse.Namespace) -> int:
    from dataclasses import replace

    from assay.entrypoints.listing import name_lenses
    from assay.entrypoints.mcp.list_cache import load_cached
    from assay.entrypoints.mcp.tool_catalogue import toolsets_of
    from assay.settings import Settings

    settings = Settings.read()
    catalogue = load_cached(settings.home)
    shown = replace(settings, unconfigured_tools="show") if options.all else settings
    found = name_lenses(catalogue.list_tools(toolsets_of("all"), shown), settings)
    if options.json:
        print(json.dumps({"tools": found}, ensure_ascii=False))
        return 0
    print("\n".join(f"{card['name']:20} {' '.join(card['description'].split())}" for card in found))
    lacking = [entry.card["name"] for entry in catalogue.entries() if not settings.meets(entry.requirements)]
    if lacking and not options.all:
        print(f"Not configured: {', '.join(lacking)}. `assay tools --all` shows what each needs.", file=sys.stderr)
    return 0


def serve(options: argparse.Namespace) -> int:
    from assay.entrypoints.http.local_server import serve as listen

    listen(options.host, options.port)
    return 0


def crawl(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import crawl_command

    return crawl_command.crawl(options)


def mcp(_: argparse.Namespace) -> int:
    from assay.bootstrap import build_services
    from assay.entrypoints.mcp.stdio import run_stdio

    services = build_services()
    services.reads_apart = True
    run_stdio(services)
    return 0


def doctor(options: argparse.Namespace) -> int:
    import asyncio

    from assay.entrypoints.cli.doctor import format_findings, run_checks

    findings = asyncio.run(run_checks(reach=options.reach))
    print(
        json.dumps([finding.wire() for finding in findings], ensure_ascii=False)
        if options.json
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
                raise ConfigError(
                    "`assay cache clear` cannot clear the cache of an AWS deployment; its entries expire by themselves."
                )
            return await clear(cast("KeyDeleter", services.table), services.bucket)
        finally:
            await services.close()

    print(
        f"{asyncio.run(clear_all())} kept answers deleted. Running servers may hold copies in memory until restarted."
    )
    return 0


def completion(options: argparse.Namespace) -> int:
    import shtab

    from assay.toolkit import tool_registry

    print(shtab.complete(parser(tool_registry.tool_names()), shell=options.shell))
    return 0


def key(options: argparse.Namespace) -> int:
    import hashlib
    import secrets

    from assay.entrypoints.auth import ring

    shown = "assay_" + secrets.token_urlsafe(32)
    entry = {
        "name": options.name,
        "sha256": hashlib.sha256(shown.encode()).hexdigest(),
        "tenant": options.tenant or options.name,
        "user": options.user or options.name,
        "scopes": options.scope or ["*"],
    }
    ring(json.dumps([entry]))  # raises for an entry that the server would refuse
    print(json.dumps({"key": shown, "entry": entry}))
    print("The key is not shown again. Add the entry to the list in ASSAY_API_KEYS.", file=sys.stderr)
    return 0


def job(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import job_commands

    return job_commands.job(options)


def watch(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import job_commands

    return job_commands.manage_watches(options)


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
