"""The settings and keys of a deployment, read for answers from frozen texts without importing the usual modules.

Importing `assay.settings` would take as long as such an answer.
"""

import hashlib
import hmac
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from importlib import import_module
from pathlib import Path
from threading import Thread
from typing import Any

from assay.entrypoints.http.origin_secret import VARIABLE, has_origin_secret
from assay.state.lambda_invocation import note_invocation

type Event = Mapping[str, Any]
type Response = dict[str, Any]

# Settings that may change an answer, or who gets it: of signing in, limits, and what is listed.
DECISIVE = (
    "ASSAY_TOOLSET",
    "ASSAY_UNCONFIGURED_TOOLS",
    "CUSTOM_LENSES_PATH",
    "OAUTH_ISSUER_URL",
    "RATE_LIMIT_PER_IP",
)
FLAGS = {"true": True, "1": True, "false": False, "0": False, "": False}
SSM = "ssm:"
MAX_KEY = 512  # characters
REQUEST_ID = re.compile(r"[A-Za-z0-9._:-]{1,200}")
NAME, DIGEST = re.compile(r"[A-Za-z0-9._@-]{1,128}"), re.compile(r"[0-9a-f]{64}")
KEY_FIELDS = {"name", "sha256", "tenant", "user", "scopes", "readOnly"}


class Uncertain(Exception):
    """Nothing frozen certainly answers this request."""


WRONG = (AttributeError, LookupError, OSError, RecursionError, TypeError, Uncertain, ValueError)


class FrozenDeployment:
    """The settings and keys in an environment, or in the parameters that it names."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def read_ahead(self) -> None:
        """Read the parameters on a thread; failures are left to the first request."""
        Thread(target=self._read_parameters_ahead, name="init", daemon=True).start()

    def read_settings(self, headers: Mapping[str, str]) -> Mapping[str, str]:
        """The settings for a request with these headers.

        Raises Uncertain if they may change the answers, or refuse the request.
        """
        settings = self._read_settings()
        if not has_origin_secret(headers, settings.get(VARIABLE, "")):
            raise Uncertain
        return settings

    def _read_settings(self) -> Mapping[str, str]:
        """The environment and the stored settings. Raises Uncertain if they may change the answers."""
        settings, stored = self._environ, self._environ.get("ASSAY_SETTINGS", "").removeprefix(SSM)
        if stored:
            own = {name: value for name, value in settings.items() if value}
            settings = {**json.loads(self._read_parameter("ASSAY_SETTINGS", stored)), **own}
        if settings.get("ASSAY_TOOLSET", "") not in ("", "all"):
            raise Uncertain
        if any(settings.get(name, "").strip() not in ("", "0") for name in DECISIVE[1:]) or not settings["ASSAY_TABLE"]:
            raise Uncertain
        return settings

    def read_keys(self) -> str:
        """The key ring, as JSON. Raises Uncertain if it cannot be read."""
        keys = self._environ["ASSAY_API_KEYS"]
        return self._read_parameter("ASSAY_API_KEYS", keys.removeprefix(SSM)) if keys.startswith(SSM) else keys

    def _read_parameter(self, variable: str, name: str) -> str:
        from assay.aws.ssm import parameters
        from assay.errors import ToolError

        for other in ("ASSAY_API_KEYS", "ASSAY_SETTINGS"):
            if (value := self._environ.get(other, "")).startswith(SSM):
                parameters().declare(other, value.removeprefix(SSM))
        parameters().declare(variable, name)
        try:
            return parameters().read(name)
        except ToolError:
            raise Uncertain from None

    def _read_parameters_ahead(self) -> None:
        try:
            self._read_settings()
            self.read_keys()
        except WRONG:
            return  # the first request reports it


class FrozenTexts(ABC):
    """Answers of one function from the texts at `path`, which the build has frozen."""

    def __init__(self, environ: Mapping[str, str], path: Path) -> None:
        self._deployment, self._path = FrozenDeployment(environ), path

    def prepare(self) -> None:
        """Read the texts, and on a thread the parameters; failures are left to the first request."""
        if self._path.exists():
            self._deployment.read_ahead()
            _ = self._texts

    @abstractmethod
    def find(self, event: Event) -> Response | None:
        """The response to the event; None if it is not certain here."""

    @cached_property
    def _texts(self) -> dict[str, Any]:
        texts: dict[str, Any] = json.loads(self._path.read_text(encoding="utf-8"))
        return texts


def build_handler(
    answers: FrozenTexts, environ: Mapping[str, str], application: str
) -> Callable[[Event, object], Response]:
    """The Lambda handler that answers from the texts, and else calls `handle` of the module `application`."""
    answers.prepare()
    if environ.get("AWS_LAMBDA_INITIALIZATION_TYPE", "on-demand") != "on-demand":  # nobody waits for this INIT
        from assay.entrypoints.init_phase import prepare_function

        prepare_function([application])

    def handle(event: Event, lambda_context: object) -> Response:
        if (answer := answers.find(event)) is not None:
            note_invocation(lambda_context)
            return answer
        response: Response = import_module(application).handle(event, lambda_context)
        return response

    return handle


def check_key(headers: Mapping[str, str], ring: str) -> None:
    """Raise Uncertain unless the request has a key of the ring. Compares every entry in constant time."""
    kind, _, sent = headers.get("authorization", "").strip().partition(" ")
    key = sent.strip()
    if kind.lower() != "bearer" or not key or len(key) > MAX_KEY:
        raise Uncertain
    digest = hashlib.sha256(key.encode(errors="replace")).hexdigest()
    if not sum(hmac.compare_digest(digest, known) for known in _read_digests(ring)):
        raise Uncertain


@lru_cache(maxsize=2)
def _read_digests(ring: str) -> tuple[str, ...]:
    entries = json.loads(ring)
    for entry in entries:
        names = [entry["name"], entry.get("tenant", "a"), entry.get("user", "a")]
        if not (entry.keys() <= KEY_FIELDS and all(NAME.fullmatch(name) for name in names)):
            raise Uncertain
    digests = tuple(entry["sha256"].lower() for entry in entries)
    if not all(DIGEST.fullmatch(digest) for digest in digests):
        raise Uncertain
    return digests


def is_met(requirements: list[list[str]], settings: Mapping[str, str]) -> bool:
    """Whether the settings have all variables of one of the alternatives that enable a tool."""
    return not requirements or any(all(_is_set(name, settings) for name in names) for names in requirements)


def _is_set(name: str, settings: Mapping[str, str]) -> bool:
    variable, is_flag, _ = name.partition("=true")
    value = settings.get(variable, "").strip()
    return FLAGS[value.lower()] if is_flag else bool(value)


def find_request_id(event: Event, headers: Mapping[str, str]) -> str:
    """The id of the request: the client's, else API Gateway's."""
    sent = headers.get("x-request-id", "")
    return sent if REQUEST_ID.fullmatch(sent) else str(event["requestContext"]["requestId"])
