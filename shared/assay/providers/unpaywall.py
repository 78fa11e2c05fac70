"""Unpaywall: open-access copies of works, by DOI.

Documentation: https://unpaywall.org/products/api
Authentication: none; a real e-mail address (UNPAYWALL_EMAIL) is required and checked.
Limits: 100,000 requests a day.
"""

from typing import Any, NamedTuple
from urllib.parse import quote

from assay.errors import AuthRequired, ToolError
from assay.net.provider_client import ProviderResponse
from assay.provider_base.provider import Provider
from assay.provider_base.results import get_list, get_path
from assay.settings import Settings
from assay.text.plain_text import to_plain_text
from assay.text.url_text import parse_http_url


class OpenCopy(NamedTuple):
    """An open-access copy at a publisher or in a repository."""

    url: str  # of the PDF if there is one, else of the landing page
    pdf_url: str | None
    host_type: str  # publisher, repository, or ""
    version: str  # publishedVersion, acceptedVersion, submittedVersion, or ""
    license: str


class OpenCopies(NamedTuple):
    """The open copies of a DOI, best first. `is_open` is None if unknown."""

    is_open: bool | None
    copies: list[OpenCopy]

    @property
    def pdf_url(self) -> str | None:
        """The PDF of the best copy that has one."""
        return next((copy.pdf_url for copy in self.copies if copy.pdf_url), None)


class Unpaywall(Provider):
    name = "unpaywall"
    address = "https://api.unpaywall.org/v2"
    variables = (("UNPAYWALL_EMAIL",), ("OPENALEX_EMAIL",))
    seconds = 5.0

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        if response.status == 422:
            sentence = "unpaywall rejected the e-mail address; set UNPAYWALL_EMAIL to a valid one."
            return AuthRequired(sentence, provider=self.name)
        return super().refusal(response)

    async def copies(self, doi: str) -> OpenCopies:
        """All open copies of the work. Raises NotFound for an unknown DOI."""
        answer = await self.get(f"/{quote(doi, safe='')}", email=_find_email(self.settings))
        found = [answer.get("best_oa_location"), *get_list(answer, "oa_locations")]
        copies = [copy for copy in map(_parse_copy, found) if copy]
        is_open = answer["is_oa"]
        return OpenCopies(is_open if isinstance(is_open, bool) else None, list(dict.fromkeys(copies)))


def _find_email(settings: Settings) -> str:
    return settings.key("UNPAYWALL_EMAIL") or settings.key("OPENALEX_EMAIL")


def _parse_copy(row: Any) -> OpenCopy | None:
    pdf = parse_http_url(get_path(row, "url_for_pdf"))
    at = pdf or parse_http_url(get_path(row, "url")) or parse_http_url(get_path(row, "url_for_landing_page"))
    if at is None:
        return None
    host_type, version, license_name = (
        _parse_word(get_path(row, name)) for name in ("host_type", "version", "license")
    )
    return OpenCopy(at.href, pdf.href if pdf else None, host_type, version, license_name)


def _parse_word(value: Any) -> str:
    return to_plain_text(value, 60)
