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
from assay.text.url_text import place

KNOWN, UNKNOWN = (1, 200), 100  # of responseCode; 200 is registered without such a value


class Doi(Provider):
    """It knows every registered DOI, whoever registered it, and where that leads; of the work it knows nothing."""

    name = "doi"
    address = "https://doi.org"
    seconds = 6.0

    async def target(self, doi: str) -> str | None:
        """The address that the DOI is registered to lead to, None where that is none. Raises NotFound for a DOI that
        nobody has registered: only the registry's own word for it counts, not just any 404.
        """
        answer = await self.get(f"/api/handles/{quote(doi, safe='/')}", type="URL")
        if get_path(answer, "responseCode") not in KNOWN:
            raise _unknown(answer)
        told = [
            get_path(value, "data", "value") for value in get_list(answer, "values") if get_path(value, "type") == "URL"
        ]
        return next((at.href for each in told if (at := place(each))), None)

    def refusal(self, got: ProviderResponse) -> ToolError | None:
        if got.status == 404:
            return _unknown(got.body)
        return super().refusal(got)


def _unknown(body: Any) -> ToolError:
    if get_path(body, "responseCode") == UNKNOWN:
        return NotFound("doi.org knows no such DOI.", provider="doi")
    return UpstreamFailed("doi.org did not answer as the registry of DOIs.", provider="doi")
