"""The options of the `assay` command line."""

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay import __version__
from assay.entrypoints.cli.option_parser import OptionParser

if TYPE_CHECKING:
    type Commands = argparse._SubParsersAction[OptionParser]  # noqa: SLF001  it has no public name


def build_parser(tools: Sequence[str] | None = None) -> argparse.ArgumentParser:
    """Build the parser of the command line. `tools` are the tool names for shell completion."""
    parser = OptionParser(prog="assay", description="Research tools that return their sources.")
    parser.add_argument("--version", action="version", version=f"assay {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_tool_commands(commands, parser, tools)
    _add_servers(commands)
    _add_crawl(commands)
    _add_audit(commands)
    _add_maintenance(commands)
    _add_logins(commands)
    _add_jobs(commands)
    _add_consent(commands)
    _add_personal_data(commands)
    _add_workspace(commands)
    return parser


def _add_tool_commands(commands: "Commands", parser: argparse.ArgumentParser, tools: Sequence[str] | None) -> None:
    call = commands.add_parser(
        "call", help="call a tool with JSON or name=value arguments; prints JSON", add_help=False
    )
    call.add_argument("tool", nargs="?", choices=tools)
    call.add_argument(
        "arguments",
        nargs="*",
        help="a JSON object, or name=value words; name=@path reads a file (default: read from standard input)",
    )
    call.add_argument("--text", action="store_true", help="print the text that a model receives instead of JSON")
    call.add_argument(
        "-h", "--help", action="store_true", help="show this help; with a tool, its inputs and their meaning"
    )
    call.set_defaults(usage=call)
    explain = commands.add_parser("help", help="explain a tool: its inputs with types, defaults and meaning")
    explain.add_argument("tool", nargs="?", choices=tools)
    explain.set_defaults(usage=parser)
    listing = commands.add_parser("tools", help="list the tools")
    listing.add_argument("--json", action="store_true", help="print JSON with the tools' schemas")
    listing.add_argument("--all", action="store_true", help="include unconfigured tools, with the reason")


def _add_servers(commands: "Commands") -> None:
    serve = commands.add_parser("serve", help="start the local server")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    serve.add_argument("--port", type=int, default=8787, help="port to listen on (default: %(default)s)")
    mcp = commands.add_parser("mcp", help="serve MCP on standard input and output")
    mcp.add_argument(
        "--tools", default="", metavar="NAMES", help="tools and toolsets to serve (default: ASSAY_TOOLSET)"
    )
    mcp.add_argument("--exclude", default="", metavar="NAMES", help="tools and toolsets to leave out")
    mcp.add_argument("--read-only", action="store_true", help="serve only tools that change nothing")
    mcp.add_argument("--search-only", action="store_true", help="serve the six tools of /mcp/search")


def _add_crawl(commands: "Commands") -> None:
    crawl = commands.add_parser("crawl", help="crawl a site; shows a progress bar, then a table of pages")
    crawl.add_argument("url", nargs="?", help="the start page; the crawl stays on its site")
    crawl.add_argument("--max-pages", type=int, metavar="N", help="maximum number of pages to request (default: 100)")
    crawl.add_argument(
        "--max-depth", type=int, metavar="N", help="maximum link depth; 1 is the start page alone (default: 2)"
    )
    crawl.add_argument(
        "--include", action="append", metavar="PATTERN", help="only crawl URLs that match; RE2 syntax, repeatable"
    )
    crawl.add_argument(
        "--exclude", action="append", metavar="PATTERN", help="skip URLs that match; overrides --include, repeatable"
    )
    crawl.add_argument("--render", action="store_true", help="render pages with JavaScript in a browser")
    crawl.add_argument("--sitemaps", action="store_true", help="also crawl the URLs in the site's sitemaps")
    crawl.add_argument("--resume", metavar="ID", help="resume an interrupted crawl")
    crawl.add_argument("--json", action="store_true", help="print all pages with their content as JSON")


def _add_audit(commands: "Commands") -> None:
    audit = commands.add_parser(
        "audit", help="audit a manuscript or bibliography: its references, citations, claims and quotations"
    )
    audit.add_argument(
        "source",
        nargs="?",
        help="a file, a URL, - for standard input; `verify` checks the audit trail, `deliver` sends it to the webhook",
    )
    audit.add_argument("--bibliography", metavar="FILE", help="the file with its references, such as refs.bib")
    audit.add_argument(
        "--format",
        choices=("markdown", "html", "bibtex", "json"),
        default="markdown",
        help="form of the report (default: %(default)s)",
    )
    audit.add_argument("--output", metavar="FILE", help="write the report to this file")
    audit.add_argument("--claims", type=int, metavar="N", help="citing sentences to compare with their sources")
    audit.add_argument("--quotations", type=int, metavar="N", help="quotations to look up in their sources")
    audit.add_argument("--resume", metavar="ID", help="resume an interrupted audit")


def _add_maintenance(commands: "Commands") -> None:
    doctor = commands.add_parser("doctor", help="check the installation and its configuration")
    doctor.add_argument("--json", action="store_true", help="print JSON")
    doctor.add_argument(
        "--reach", action="store_true", help="also send one inexpensive request to each configured provider"
    )
    cache = commands.add_parser("cache", help="manage the local cache of answers")
    cache.add_argument("action", choices=["clear"], help="delete all cached answers")
    completion = commands.add_parser("completion", help="print the completion script for a shell")
    completion.add_argument("shell", choices=["bash", "zsh", "tcsh"])
    _add_key(commands)
    commands.add_parser("admin", help="administer people's data, keys, sessions and jobs; `assay admin --help`")


def _add_key(commands: "Commands") -> None:
    key = commands.add_parser(
        "key",
        help="create, list and revoke API keys",
        usage="%(prog)s create NAME [options] | list | revoke ID | NAME [options]",
        description="`create`, `list` and `revoke` manage the keys of the table, which servers accept and refuse at "
        "once. With a name alone, print a key and its entry for ASSAY_API_KEYS, and store nothing.",
    )
    key.add_argument("action", metavar="create | list | revoke | NAME")
    key.add_argument("target", nargs="?", metavar="NAME | ID", help="name of the new key; id of the key to revoke")
    key.add_argument("--tenant", help="whose data, quotas and budgets the key uses (default: its name)")
    key.add_argument("--user", help="the person of the tenant (default: the name of the key)")
    key.add_argument("--scope", action="append", help="* (default), tool:<name>, a toolset, or admin; repeatable")
    key.add_argument("--read-only", action="store_true", help="allow only tools that change nothing")
    key.add_argument("--expires", type=_duration, metavar="TIME", help="life of a created key, for example 90d")


def _add_logins(commands: "Commands") -> None:
    login = commands.add_parser("login", help="log in at a server, for programs that use assay.Client without a key")
    login.add_argument("server", help="address of the server, such as https://assay.example")
    login.add_argument(
        "--scope", action="append", help="tool:* (default), tool:<name>, a toolset, or admin; repeatable"
    )
    logout = commands.add_parser("logout", help="revoke the login at a server")
    logout.add_argument("server")


def _add_jobs(commands: "Commands") -> None:
    job = commands.add_parser("job", help="run the checks that are due, once or repeatedly")
    job.add_argument("jobs", nargs="+", metavar="NAME", help="link_check, archive, query_watch")
    job.add_argument(
        "--every", type=_duration, metavar="TIME", help="repeat at this interval until stopped, for example 1h"
    )
    watch = commands.add_parser(
        "watch", help="watch URLs for dead links, or queries and pages for what is new; without arguments, list watches"
    )
    watch.add_argument("urls", nargs="*", metavar="URL")
    watch.add_argument(
        "--session",
        help="watch the sources of a research session until it expires; with --query, send new results to it",
    )
    watch.add_argument("--archive", action="store_true", help="also save public copies at the Internet Archive")
    watch.add_argument("--every", type=_duration, metavar="TIME", help="interval between two checks (default: 1d)")
    watch.add_argument("--stop", action="store_true", help="stop watching these URLs")
    _add_queries(watch)
    watch.add_argument("--report", action="store_true", help="print the latest report of each job")
    watch.add_argument("--tenant", default="local")
    watch.add_argument("--user", default="local")


def _add_queries(watch: argparse.ArgumentParser) -> None:
    watch.add_argument("--query", help="watch this query, author or page; with the options of a search below")
    watch.add_argument(
        "--kind", help="web (default), news, academic, patent, filing, case, trial, author, or page with a URL as query"
    )
    watch.add_argument("--provider", help="one provider to use")
    watch.add_argument("--filter", action="append", metavar="NAME=VALUE", help="argument of the search; repeatable")
    watch.add_argument("--days", type=int, metavar="N", help="days until the watch of a query ends (default: 30)")
    watch.add_argument("--feed", choices=["new", "none"], help="give it a new secret feed address, or end its address")
    watch.add_argument("--webhook", metavar="URL", help="post new results of a query there, signed; none ends it")
    watch.add_argument("--check", metavar="ID", help="check a watched query now and print what is new")
    watch.add_argument("--delete", action="append", metavar="ID", help="delete a watched query; repeatable")


def _add_consent(commands: "Commands") -> None:
    consent = commands.add_parser(
        "consent", help="grant or withdraw consent to the storage of personal data; without arguments, list consents"
    )
    consent.add_argument("action", nargs="?", choices=["list", "grant", "withdraw", "history"], default="list")
    consent.add_argument("purposes", nargs="*", metavar="PURPOSE", help="memory, analytics, workspace, monitoring")
    consent.add_argument("--terms", default="", metavar="VERSION", help="version of the terms that the person accepted")
    consent.add_argument("--tenant", default="local")
    consent.add_argument("--user", default="local")


def _add_personal_data(commands: "Commands") -> None:
    me = commands.add_parser(
        "me", help="export or erase everything that is stored about a person, or verify the receipt of an erasure"
    )
    me.add_argument("action", choices=["export", "erase", "verify"])
    me.add_argument("file", nargs="?", metavar="FILE", help="the archive to write; the receipt to verify, or -")
    me.add_argument("--yes", action="store_true", help="erase; without it, only count what would be erased")
    me.add_argument("--tenant", default="local")
    me.add_argument("--user", default="local")


def _add_workspace(commands: "Commands") -> None:
    workspace = commands.add_parser("workspace", help="add, remove or list the members of a workspace")
    workspace.add_argument("action", choices=["add", "remove", "list"])
    workspace.add_argument("workspace", metavar="WORKSPACE")
    workspace.add_argument("--tenant", default="local")
    workspace.add_argument("--user", default="local")


def _duration(text: str) -> int:
    from assay.settings.parsers import parse_duration

    if not (seconds := parse_duration(text)):
        raise argparse.ArgumentTypeError(f"{text!r} is not a duration; use a form such as 90m, 1h or 7d")
    return seconds
