"""`assay admin`: the endpoints of administration as subcommands, on the stores of the settings or at a server."""

import argparse
import asyncio
import json
import sys
from contextlib import redirect_stdout
from typing import Any

from assay.administration.admin_call import AdminCall, Administrator
from assay.administration.admin_endpoints import ENDPOINTS, AdminEndpoint, run_endpoint
from assay.bootstrap import build_services
from assay.entrypoints.cli.option_parser import OptionParser
from assay.errors import Unauthenticated
from assay.net.provider_client import ProviderClient
from assay.net.server_errors import refusal_of
from assay.oauth.device_login import get_access_token, parse_server
from assay.settings import Settings

OPERATOR = "cli"
PROVIDER = "assay"  # in errors: the server
SECONDS = 60.0
ANSWER_BYTES = 16 * 1024 * 1024


def build_admin_parser() -> argparse.ArgumentParser:
    """Build the parser: a subcommand for each endpoint, an option for each of its inputs."""
    parser = OptionParser(
        prog="assay admin",
        description="Administer the data of people, keys, sessions and jobs. Prints JSON; every action is audited. "
        "Without --server it works on the stores that the settings select, as the operator.",
    )
    parser.add_argument(
        "--server",
        metavar="URL",
        help="send it to this server, with ADMIN_API_KEY or else the login of `assay login URL --scope admin`",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="ACTION")
    for endpoint in ENDPOINTS:
        _add_command(commands, endpoint)
    return parser


def _add_command(commands: Any, endpoint: AdminEndpoint) -> None:
    summary = endpoint.tool.description.replace("%", "%%")
    command = commands.add_parser(
        endpoint.command,
        help=summary.partition(". ")[0].rstrip("."),
        description=f"{summary} Over HTTP: {endpoint.method} {endpoint.path}.",
    )
    schema = endpoint.tool.input_schema
    for name, each in schema["properties"].items():
        is_list = each.get("type") == "array"
        command.add_argument(
            f"--{name.replace('_', '-')}",
            dest=name,
            metavar=name.rpartition("_")[2].upper() if each.get("type") != "boolean" else "true|false",
            action="append" if is_list else "store",
            required=name in schema.get("required", ()) or (name == "tenant_id" and endpoint.reach == "tenant"),
            default=argparse.SUPPRESS,
            help=each.get("description", "").replace("%", "%%") + (" Repeatable." if is_list else ""),
        )
    command.set_defaults(endpoint=endpoint)


def administer(words: list[str]) -> int:
    """Run one subcommand; print its answer."""
    options = vars(build_admin_parser().parse_args(words))
    endpoint: AdminEndpoint = options.pop("endpoint")
    server = options.pop("server")
    del options["command"]
    print(asyncio.run(_ask_server(server, endpoint, options) if server else _run(endpoint, options)))
    return 0


async def _ask_server(address: str, endpoint: AdminEndpoint, arguments: dict[str, Any]) -> str:
    """The answer of a server. Raises ToolError, which may be the server's own."""
    server, settings = parse_server(address), Settings.read()
    sent: dict[str, Any] = {"json": arguments} if endpoint.method == "POST" else {"params": arguments}
    http = ProviderClient()
    try:
        key = settings.key("ADMIN_API_KEY")
        token = None if key else await get_access_token(http, settings.home, server)
        if not key and not token:
            raise Unauthenticated(f"Set ADMIN_API_KEY, or log in: `assay login {server} --scope admin`.")
        got = await http.request(
            PROVIDER,
            endpoint.method,
            server + endpoint.path,
            headers={"X-Admin-Key": key} if key else {"Authorization": f"Bearer {token}"},
            seconds=SECONDS,
            cap=ANSWER_BYTES,
            expect="text" if endpoint.media_type else "json",
            refusal=refusal_of,
            **sent,
        )
    finally:
        await http.close()
    return str(got.body).rstrip() if endpoint.media_type else json.dumps(got.body, ensure_ascii=False)


async def _run(endpoint: AdminEndpoint, arguments: dict[str, Any]) -> str:
    services = build_services()
    try:
        with redirect_stdout(sys.stderr):  # on AWS, audit events are log lines; standard output has the result alone
            call = AdminCall(services, Administrator(OPERATOR), entrypoint="cli")
            answer = await run_endpoint(endpoint, arguments, call)
    finally:
        await services.close()
    return (answer.markdown() or "").rstrip() if endpoint.media_type else json.dumps(answer.wire(), ensure_ascii=False)
