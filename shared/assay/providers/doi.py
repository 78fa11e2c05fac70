"""The registry of all DOIs. https://www.doi.org/the-identifier/resources/factsheets/doi-resolution-documentation"""

from typing import Any
from urllib.parse import quote

from assay.errors import NotFound, ToolError, UpstreamFailed
from assay.net.http import Got
from assay.providers import Provider, dug, listed
from assay.text.urls import place

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
        if dug(answer, "responseCode") not in KNOWN:
            raise _unknown(answer)
        told = [dug(value, "data", "value") for value in listed(answer, "values") if dug(value, "type") == "URL"]
        return next((at.href for each in told if (at := place(each))), None)

    def refusal(self, got: Got) -> ToolError | None:
        if got.status == 404:
            return _unknown(got.body)
        return super().refusal(got)


def _unknown(body: Any) -> ToolError:
    if dug(body, "responseCode") == UNKNOWN:
        return NotFound("doi.org knows no such DOI.", provider="doi")
    return UpstreamFailed("doi.org did not answer as the registry of DOIs.", provider="doi")
