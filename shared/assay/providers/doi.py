"""The DOI registry (doi.org): whether a DOI is registered, and the URL it resolves to.

Documentation: https://www.doi.org/the-identifier/resources/factsheets/doi-resolution-documentation
Authentication: none. Limits: none documented.
"""

from typing import Any
from urllib.parse import quote

from assay.errors import NotFound, ToolError, UpstreamFailed
from assay.net.provider_client import ProviderResponse
from assay.provider_base.provider import Provider
from assay.provider_base.results import get_list, get_path
from assay.text.url_text import parse_http_url

FOUND, NOT_FOUND = (1, 200), 100  # values of responseCode; 200: the handle exists without a value of this type


class Doi(Provider):
    """Resolves DOIs of all registration agencies; has no metadata of the works."""

    name = "doi"
    address = "https://doi.org"
    seconds = 6.0

    async def target(self, doi: str) -> str | None:
        """The URL that the DOI resolves to, None if it has none.

        Raises NotFound for an unregistered DOI. A 404 without the registry's response code is an upstream failure.
        """
        answer = await self.get(f"/api/handles/{quote(doi, safe='/')}", type="URL")
        if get_path(answer, "responseCode") not in FOUND:
            raise _to_error(answer)
        urls = [
            get_path(value, "data", "value") for value in get_list(answer, "values") if get_path(value, "type") == "URL"
        ]
        return next((at.href for each in urls if (at := parse_http_url(each))), None)

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        if response.status == 404:
            return _to_error(response.body)
        return super().refusal(response)


def _to_error(body: Any) -> ToolError:
    if get_path(body, "responseCode") == NOT_FOUND:
        return NotFound("This DOI is not registered at doi.org.", provider="doi")
    return UpstreamFailed("doi.org returned an unexpected answer.", provider="doi")
