"""The `assay` command line, for example `assay call web_search query=cats`. Results are JSON."""

import argparse
import atexit
import gc
import json
import sys
from typing import TYPE_CHECKING, cast

from assay.entrypoints.cli.command_parser import build_parser
from assay.entrypoints.cli.standard_streams import describe_failed_file, drop_output, prepare_streams

if TYPE_CHECKING:
    from assay.errors import ToolError
    from assay.state.cache import KeyDeleter

USAGE, FAILED, INTERRUPTED = 2, 1, 130


def main(arguments: list[str] | None = None) -> int:
    """Run one command. Exit codes: 0 success, 1 failure, 2 invalid arguments, 130 interrupted."""
    from assay.errors import ToolError

    # The end of the process frees its memory: a last collection would take a fifth of a short command's time.
    atexit.register(gc.freeze)
    prepare_streams()
    words = sys.argv[1:] if arguments is None else arguments
    try:
        code = run(words)
        sys.stdout.flush()
    except ToolError as failure:
        return print_failure(failure)
    except BrokenPipeError:  # the reader has closed the pipe
        drop_output()
        return 0
    except OSError as failure:
        return print_failure(describe_failed_file(failure))
    except KeyboardInterrupt:  # before a command installs its own signal handler
        return INTERRUPTED
    return code


def run(words: list[str]) -> int:
    if words[:1] == ["admin"]:  # its own parser is made from the table of endpoints, which other commands never load
        from assay.entrypoints.cli import admin_command

        return admin_command.administer(words[1:])
    options = build_parser().parse_args(words)
    code: int = COMMANDS[options.command](options)
    return code


def print_failure(failure: "ToolError") -> int:
    """Print the failure to standard error, as JSON unless it is a terminal. Returns the exit code."""
    from assay.entrypoints.cli.terminal import print_failure

    print_failure(failure)
    return USAGE if failure.kind == "validation" else FAILED


def call(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import json_command
    from assay.entrypoints.cli.arguments import read_words
    from assay.entrypoints.cli.input_files import read_arguments
    from assay.entrypoints.cli.tool_call import call_tool
    from assay.entrypoints.http.apigateway_event import json_of
    from assay.toolkit import tool_registry

    if options.tool is None or options.help:
        return explain(options)
    words = read_words(options.arguments, tool_registry.find_tool(options.tool)) if options.arguments else None
    if not options.text and (tool := json_command.json_tool(options.tool)):
        return json_command.call(
            tool,
            words,
            print_error=json_command.print_sentence if sys.stderr.isatty() else json_command.print_failure,
        )
    given = words.encode(errors="surrogateescape") if words is not None else read_arguments()
    reply = call_tool(options.tool, json_of(given, "arguments"))
    if reply.error is not None:
        return print_failure(reply.error)
    print(reply.text if options.text else json.dumps(reply.body(), ensure_ascii=False, separators=(",", ":")))
    return 0


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
    from assay.entrypoints.mcp.tool_selection import ALL_TOOLS
    from assay.settings import Settings

    settings = Settings.read()
    catalogue = load_cached(settings.home)
    shown = replace(settings, unconfigured_tools="show") if options.all else settings
    cards = name_lenses(catalogue.list_tools(ALL_TOOLS, shown), settings)
    if options.json:
        print(json.dumps({"tools": cards}, ensure_ascii=False))
        return 0
    print("\n".join(f"{card['name']:20} {' '.join(card['description'].split())}" for card in cards))
    unconfigured = [entry.card["name"] for entry in catalogue.entries() if not settings.meets(entry.requirements)]
    if unconfigured and not options.all:
        print(f"Not configured: {', '.join(unconfigured)}. `assay tools --all` shows what each needs.", file=sys.stderr)
    return 0


def serve(options: argparse.Namespace) -> int:
    from assay.entrypoints.http.local_server import serve as listen

    listen(options.host, options.port)
    return 0


def crawl(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import crawl_command

    return crawl_command.crawl(options)


def audit(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import audit_command

    return audit_command.audit(options)


def mcp(options: argparse.Namespace) -> int:
    from assay.bootstrap import build_services
    from assay.entrypoints.mcp.stdio import run_stdio
    from assay.entrypoints.mcp.tool_selection import SEARCH_SELECTION, select_tools
    from assay.errors import InvalidInput
    from assay.toolkit import tool_registry

    if options.search_only and (options.tools or options.exclude or options.read_only):
        raise InvalidInput("The tools of --search-only are fixed; leave out the other options.", field="search-only")
    services = build_services()
    services.reads_apart = True
    selection = select_tools(
        options.tools or services.settings.toolset,
        exclude=options.exclude,
        readonly="1" if options.read_only else "",
        known=tool_registry.tool_names(),
    )
    run_stdio(services, selection=SEARCH_SELECTION if options.search_only else selection)
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

    print(shtab.complete(build_parser(tool_registry.tool_names()), shell=options.shell))
    return 0


def key(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import key_commands

    return key_commands.manage_keys(options)


def login(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import login_command

    return login_command.login(options)


def logout(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import login_command

    return login_command.logout(options)


def job(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import job_commands

    return job_commands.job(options)


def watch(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import job_commands

    return job_commands.manage_watches(options)


def consent(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import consent_command

    return consent_command.manage_consents(options)


def me(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import me_command

    return me_command.manage_personal_data(options)


def workspace(options: argparse.Namespace) -> int:
    from assay.entrypoints.cli import workspace_command

    return workspace_command.manage_members(options)


COMMANDS = {
    "call": call,
    "help": explain,
    "cache": cache,
    "completion": completion,
    "tools": list_tools,
    "serve": serve,
    "crawl": crawl,
    "audit": audit,
    "mcp": mcp,
    "doctor": doctor,
    "key": key,
    "login": login,
    "logout": logout,
    "job": job,
    "watch": watch,
    "consent": consent,
    "me": me,
    "workspace": workspace,
}

if __name__ == "__main__":
    sys.exit(main())
