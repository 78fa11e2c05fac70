"""Logins of the command line at servers: a file that only its owner can read, `logins.json` in ASSAY_HOME."""

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from assay.errors import ConfigError

FILE = "logins.json"


@dataclass(frozen=True)
class StoredLogin:
    """The tokens at one server. `expires` is in epoch seconds; the endpoints are of its authorization server."""

    access: str
    refresh: str
    expires: float
    token_endpoint: str
    revocation_endpoint: str

    def __repr__(self) -> str:
        return "StoredLogin(…)"


def load_login(home: Path, server: str) -> StoredLogin | None:
    """The login at the server. Raises ConfigError for a file that cannot be read."""
    row = _read(home).get(server)
    try:
        return StoredLogin(**row) if row else None
    except TypeError:
        raise _unreadable(home) from None


def save_login(home: Path, server: str, login: StoredLogin | None) -> None:
    """Store the login, or remove it if it is None."""
    logins = {name: row for name, row in _read(home).items() if name != server}
    if login is not None:
        logins[server] = asdict(login)
    home.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = home / f"{FILE}.{secrets.token_hex(8)}"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(logins, file, indent=1)
    draft.replace(home / FILE)


def _read(home: Path) -> dict[str, dict[str, Any]]:
    try:
        text = (home / FILE).read_text()
    except FileNotFoundError:
        return {}
    try:
        logins = json.loads(text)
    except ValueError:
        raise _unreadable(home) from None
    if not isinstance(logins, dict):
        raise _unreadable(home)
    return logins


def _unreadable(home: Path) -> ConfigError:
    return ConfigError(f"{home / FILE} cannot be read; delete it and run `assay login` again.", action="inform_user")
