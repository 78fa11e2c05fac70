"""`assay admin`: the endpoints of administration as subcommands, on the stores that the settings select."""

import argparse
import asyncio
import json
import sys
from contextlib import redirect_stdout
from typing import Any

from assay.administration.admin_call import AdminCall, Administrator
from assay.administration.admin_endpoints import ENDPOINTS, AdminEndpoint, run_endpoint
from assay.bootstrap import build_services

OPERATOR = "cli"


def build_admin_parser() -> argparse.ArgumentParser:
    """Build the parser: a subcommand for each endpoint, an option for each of its inputs."""
    parser = argparse.ArgumentParser(
        prog="assay admin",
        description="Administer the data of people, keys, sessions and jobs. Prints JSON; every action is audited.",
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
    """Run one subcommand as the operator; print its answer."""
    options = vars(build_admin_parser().parse_args(words))
    endpoint: AdminEndpoint = options.pop("endpoint")
    del options["command"]
    print(asyncio.run(_run(endpoint, options)))
    return 0


async def _run(endpoint: AdminEndpoint, arguments: dict[str, Any]) -> str:
    services = build_services()
    try:
        with redirect_stdout(sys.stderr):  # on AWS, audit events are log lines; standard output has the result alone
            call = AdminCall(services, Administrator(OPERATOR), entrypoint="cli")
            answer = await run_endpoint(endpoint, arguments, call)
    finally:
        await services.close()
    return (answer.markdown() or "").rstrip() if endpoint.media_type else json.dumps(answer.wire(), ensure_ascii=False)
