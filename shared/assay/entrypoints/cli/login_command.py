"""`assay login` and `assay logout`: access to a server without pasting a key into a program."""

import argparse
import asyncio
import sys

from assay.net.provider_client import ProviderClient
from assay.oauth.device_login import log_in, log_out, parse_server
from assay.oauth.stored_logins import save_login
from assay.settings import Settings


def login(options: argparse.Namespace) -> int:
    """Log in at a server and store the tokens; `assay.Client` then needs no key."""
    server, home = parse_server(options.server), Settings.read().home

    async def run() -> None:
        http = ProviderClient()
        try:
            save_login(home, server, await log_in(http, server, _show, " ".join(options.scope or ())))
        finally:
            await http.close()

    asyncio.run(run())
    print(f"Logged in at {server}.", file=sys.stderr)
    return 0


def logout(options: argparse.Namespace) -> int:
    """Revoke the login at a server and delete it here."""
    server, home = parse_server(options.server), Settings.read().home

    async def run() -> bool:
        http = ProviderClient()
        try:
            return await log_out(http, home, server)
        finally:
            await http.close()

    was_logged_in = asyncio.run(run())
    print(f"Logged out at {server}." if was_logged_in else f"There is no login at {server}.", file=sys.stderr)
    return 0


def _show(page: str, code: str) -> None:
    print(f"Open {page}\nand allow access if it shows the code {code}.", file=sys.stderr, flush=True)
