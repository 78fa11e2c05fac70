"""The credentials that Lambda gives a function that starts from a snapshot and has none in its environment."""

import json
import time
from collections.abc import Callable, Mapping
from datetime import datetime
from http.client import HTTPConnection, HTTPException
from ipaddress import ip_address
from threading import Lock
from urllib.parse import urlsplit  # noqa: TID251  # of an address in the environment

from assay.aws.signature_v4 import Credentials

ADDRESS, TOKEN = "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN"
SECONDS = 2.0  # for the answer, which comes from this machine
SPARE_SECONDS = 300.0  # before their end, from which they are renewed
MAX_BODY = 65_536


class NoCredentials(OSError):
    """The address did not answer with credentials."""


class ContainerCredentials:
    """Credentials from the address in the environment, renewed before they expire. Callable from any thread."""

    def __init__(self, environ: Mapping[str, str], clock: Callable[[], float] = time.time) -> None:
        self._environ, self._clock = environ, clock
        self._lock = Lock()
        self._current = Credentials("", "")
        self._until = 0.0

    def __call__(self) -> Credentials:
        """The credentials. Raises NoCredentials, unless those of before are still valid."""
        with self._lock:
            if self._clock() >= self._until - SPARE_SECONDS:
                try:
                    self._current, self._until = _read_credentials(self._environ)
                except NoCredentials:
                    if self._clock() >= self._until:
                        raise
            return self._current


def has_container_credentials(environ: Mapping[str, str]) -> bool:
    """Whether the environment names such an address, on this machine: the token is sent to no other."""
    address = urlsplit(environ.get(ADDRESS, ""))
    try:
        return address.scheme == "http" and ip_address(address.hostname or "").is_loopback
    except ValueError:
        return False


def _read_credentials(environ: Mapping[str, str]) -> tuple[Credentials, float]:
    address = urlsplit(environ[ADDRESS])
    connection = HTTPConnection(address.netloc, timeout=SECONDS)
    path = address.path + (f"?{address.query}" if address.query else "")
    try:
        connection.request("GET", path, headers={"authorization": environ.get(TOKEN, "")})
        answer = connection.getresponse()
        body = answer.read(MAX_BODY)
        if answer.status != 200:
            raise NoCredentials(f"The credentials of the function cannot be read (status {answer.status}).")
        found = json.loads(body)
        until = datetime.fromisoformat(found["Expiration"]).timestamp()
        return Credentials(found["AccessKeyId"], found["SecretAccessKey"], found["Token"]), until
    except (OSError, HTTPException, ValueError, KeyError, TypeError) as failure:
        raise NoCredentials(f"The credentials of the function cannot be read: {failure}") from failure
    finally:
        connection.close()
