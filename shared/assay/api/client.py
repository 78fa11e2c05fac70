"""The tools of a server: `assay serve` on some machine, or a deployment."""

import json
from typing import Any
from urllib.parse import quote

from assay import errors
from assay.api.toolbox import Toolbox
from assay.errors import ConfigError, ToolError
from assay.net.provider_client import ProviderClient, ProviderResponse

ANSWER_BYTES = 16 * 1024 * 1024
SECONDS = 900.0  # the longest that any server waits for a tool
PAGE = 200_000  # characters of a kept answer in one request
PROVIDER = "assay"


class Client(Toolbox):
    """The tools of the server at `base_url`, which wants `key` where it has keys.

    The server is trusted: its address may be private. Answers that it keeps aside as too large are fetched whole.
    """

    def __init__(self, base_url: str, key: str | None = None, *, seconds: float = SECONDS) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ConfigError(f"{base_url[:60]!r} is no http or https address.", field="base_url")
        self._base_url, self._seconds = base_url.rstrip("/"), seconds
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = ProviderClient()

    async def close(self) -> None:
        await self._http.close()

    async def answer(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        body = await self._post(name, arguments)
        if not body.get("linked"):
            return body
        whole: dict[str, Any] = json.loads(await self._read_artifact(body["resource"]))
        return whole | ({"_meta": body["_meta"]} if "_meta" in body else {})

    async def _read_artifact(self, resource: str) -> str:
        """The text of an answer that the server has kept aside."""
        parts: list[str] = []
        offset: int | None = 0
        while offset is not None:
            page = await self._post("read_artifact", {"id": resource, "offset": offset, "length": PAGE})
            parts.append(page["content"])
            offset = page.get("nextOffset")
        return "".join(parts)

    async def _post(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        got = await self._http.request(
            PROVIDER,
            "POST",
            f"{self._base_url}/tools/{quote(name)}",
            headers=self._headers,
            json=arguments,
            seconds=self._seconds,
            cap=ANSWER_BYTES,
            refusal=refusal_of,
        )
        body: dict[str, Any] = got.body
        return body


def refusal_of(got: ProviderResponse) -> ToolError | None:
    """The failure that the server tells; None where it tells none, or is no such server."""
    body = got.body
    if got.status < 400 or not isinstance(body, dict) or not isinstance(told := body.get("error"), dict):
        return None
    return read_error(told, got.status)


def read_error(told: dict[str, Any], status: int) -> ToolError:
    """The failure behind an error object, as the class that was raised there or the nearest that has its kind."""
    kind = str(told.get("kind", ""))
    classes = [each for each in vars(errors).values() if isinstance(each, type) and issubclass(each, ToolError)]
    alike = [each for each in classes if each.kind == kind] or [ToolError]
    found = next((each for each in alike if each.status == status), alike[0])
    failure = found(str(told.get("message", "The server failed and did not say why.")))
    failure.provider = told.get("provider")
    failure.retry_after = told.get("retryAfterSeconds")
    failure.field = told.get("field")
    failure.alternatives = tuple(told.get("alternatives", ()))
    failure.suggested_action = told.get("suggestedAction", failure.suggested_action)
    return failure
