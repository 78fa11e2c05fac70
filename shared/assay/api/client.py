"""Client of an Assay server: a local server or a deployment on AWS."""

import json
from typing import Any
from urllib.parse import quote

from assay.api.toolbox import Toolbox
from assay.errors import ConfigError
from assay.net.provider_client import ProviderClient
from assay.net.server_errors import refusal_of

ANSWER_BYTES = 16 * 1024 * 1024
SECONDS = 900.0  # the longest time limit of any tool
PAGE = 200_000  # characters of an artifact per request
PROVIDER = "assay"


class Client(Toolbox):
    """The tools of the server at `base_url`. If the server has keys, `key` or a login (`assay login`) is required.

    `seconds` is the time limit.

    The server is trusted, so its address may be private. Answers that it replaces by a link are fetched completely.
    """

    def __init__(self, base_url: str, key: str | None = None, *, seconds: float = SECONDS) -> None:
        if not base_url.startswith(("http://", "https://")):
            raise ConfigError(f"{base_url[:60]!r} is not an http or https URL.", field="base_url")
        self._base_url, self._seconds = base_url.rstrip("/"), seconds
        self._key = key
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
        """The whole text of an artifact."""
        parts: list[str] = []
        offset: int | None = 0
        while offset is not None:
            page = await self._post("read_artifact", {"id": resource, "offset": offset, "length": PAGE})
            parts.append(page["content"])
            offset = page.get("nextOffset")
        return "".join(parts)

    async def _build_headers(self) -> dict[str, str]:
        """The Authorization header, with the key or a fresh token of the stored login."""
        key = self._key
        if not key:
            from assay.oauth.device_login import get_access_token
            from assay.settings import Settings

            key = await get_access_token(self._http, Settings.read().home, self._base_url)
        return {"Authorization": f"Bearer {key}"} if key else {}

    async def _post(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        got = await self._http.request(
            PROVIDER,
            "POST",
            f"{self._base_url}/tools/{quote(name)}",
            headers=await self._build_headers(),
            json=arguments,
            seconds=self._seconds,
            cap=ANSWER_BYTES,
            refusal=refusal_of,
        )
        body: dict[str, Any] = got.body
        return body
