"""Answers of the ServiceInfo function from texts that the build has frozen: health, the list of tools and OpenAPI.

A cold start would otherwise import FastAPI and the schemas of all tools. Only requests whose answer is certain are
answered here, byte for byte as `service_info` does; all others go there.
"""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from assay.entrypoints.frozen_deployment import (
    WRONG,
    Event,
    FrozenTexts,
    Response,
    Uncertain,
    build_handler,
    check_key,
    is_met,
)
from assay.entrypoints.http.response_compression import compress_response
from assay.entrypoints.http.security_headers import SECURITY_HEADERS

FROZEN = Path(__file__).parents[1] / "mcp" / "frozen_info.json"  # beside the list that the build freezes
LIVE, TOOLS, OPENAPI = "/health/live", "/tools", "/openapi.json"
ADMIN_KEYS = ("ADMIN_API_KEY", "ADMIN_API_KEY_PREV")  # a wrong one is an error of the settings


class FrozenInfo(FrozenTexts):
    """The frozen answers of this deployment."""

    def __init__(self, environ: Mapping[str, str], path: Path = FROZEN) -> None:
        super().__init__(environ, path)

    def find(self, event: Event) -> Response | None:
        """The response to the event; None if it is not certain here."""
        try:
            headers = {str(name).lower(): str(value) for name, value in (event.get("headers") or {}).items()}
            body = self._find_body(_read_path(event, headers), headers)
        except WRONG:  # whatever it is, `service_info` says it
            return None
        sent = {**SECURITY_HEADERS, "content-type": "application/json", "content-length": str(len(body.encode()))}
        return compress_response({"statusCode": 200, "headers": sent, "body": body, "isBase64Encoded": False}, headers)

    def _find_body(self, path: str, headers: Mapping[str, str]) -> str:
        settings = self._deployment.read_settings(headers)
        if path == LIVE:
            live: str = self._texts["live"]
            return live
        check_key(headers, self._deployment.read_keys())
        shown = {name for name, requirements in self._texts["requirements"].items() if is_met(requirements, settings)}
        if path == TOOLS:
            return f'{{"tools":[{",".join(text for name, text in self._texts["cards"] if name in shown)}]}}'
        if any(settings.get(name, "").strip() for name in ADMIN_KEYS):
            raise Uncertain
        return self._format_openapi(shown)

    def _format_openapi(self, shown: set[str]) -> str:
        """The document without the operations and schemas of the tools that are not shown."""
        paths: dict[str, list[str]] = {}
        for path, owner, operation in self._texts["operations"]:
            if not owner or owner in shown:
                paths.setdefault(path, []).append(operation)
        operations = ",".join(f"{json.dumps(path)}:{{{','.join(each)}}}" for path, each in paths.items())
        schemas = ",".join(text for owner, text in self._texts["schemas"] if not owner or owner in shown)
        text: str = self._texts["openapi"]
        return text.replace('"paths":{}', f'"paths":{{{operations}}}', 1).replace(
            '"schemas":{}', f'"schemas":{{{schemas}}}', 1
        )


def _read_path(event: Event, headers: Mapping[str, str]) -> str:
    """The path of the request. Raises Uncertain unless everything about it is as clients usually send it."""
    path = str(event["rawPath"])
    if (
        path not in (LIVE, TOOLS, OPENAPI)
        or event["requestContext"]["http"]["method"] != "GET"
        or event.get("rawQueryString")
        or event.get("body")
        or "origin" in headers
    ):
        raise Uncertain
    return path


def handler_for(environ: Mapping[str, str] | None = None, path: Path = FROZEN) -> Callable[[Event, object], Response]:
    """The Lambda handler of ServiceInfo: the frozen answers, then `service_info`."""
    # `assay.settings` takes as long to import as the whole answer.
    environ = os.environ if environ is None else environ  # noqa: TID251
    return build_handler(FrozenInfo(environ, path), environ, "assay.entrypoints.http.service_info")
