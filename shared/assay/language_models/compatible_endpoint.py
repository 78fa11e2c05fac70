"""Requests to an endpoint with the API of OpenAI: its address, its key, and where its paths begin."""

from collections.abc import Callable
from typing import Any

from assay.errors import KeyRejected, NotFound, ToolError
from assay.net.provider_client import ProviderClient, ProviderResponse, rejected_key_error
from assay.net.retry import RetryPolicy
from assay.settings import Settings


class CompatibleEndpoint:
    """The endpoint of `<PROVIDER>_BASE_URL` and `<key_name>`. `cap` limits a response, in bytes."""

    def __init__(self, http: ProviderClient, settings: Settings, provider: str, key_name: str, *, cap: int) -> None:
        self._http, self._settings, self._provider, self._cap = http, settings, provider, cap
        self._key_name = key_name
        self._key = settings.key(key_name)
        self._base = settings.base_url(provider, "")

    async def post(
        self,
        path: str,
        body: dict[str, Any],
        *,
        seconds: float,
        refusal: Callable[[ProviderResponse], ToolError | None] | None = None,
    ) -> ProviderResponse:
        """Post to `path`; a base URL without a path is tried with `/v1` first."""
        if self._base.count("/") == 2:
            try:
                return await self._post(f"/v1{path}", body, seconds, refusal)
            except NotFound:
                pass
        return await self._post(path, body, seconds, refusal)

    async def _post(
        self,
        path: str,
        body: dict[str, Any],
        seconds: float,
        refusal: Callable[[ProviderResponse], ToolError | None] | None,
    ) -> ProviderResponse:
        try:
            return await self._http.request(
                self._provider,
                "POST",
                self._base + path,
                headers={"Authorization": f"Bearer {self._key}"} if self._key else None,
                json=body,
                seconds=seconds,
                cap=self._cap,
                tries=RetryPolicy(1),
                refusal=refusal,
            )
        except KeyRejected as rejected:
            raise rejected_key_error(self._provider, self._key_name, self._settings) from rejected
