"""Retraction check for scholarly pages."""

from assay.errors import ToolError
from assay.net.provider_client import ProviderClient
from assay.scraping.page import Page
from assay.settings import Settings

SECONDS = 3.0  # the check is supplementary and must not delay the page


async def check_retraction(page: Page, http: ProviderClient, settings: Settings) -> Page:
    """Set the page's DOI and its retraction status from Crossref; None if unknown or the look-up fails."""
    from assay.bibliography.doi import detect_doi
    from assay.evaluation.source_type import classify

    kind = classify(page.url, types=page.types, structured=page.structured).source_type
    page.detected_doi = detect_doi(page.url, page.doi, page.content, kind)
    if page.detected_doi is None:
        return page
    from assay.providers.crossref import Crossref

    crossref = Crossref(http, settings)
    crossref.seconds = SECONDS
    try:
        page.retraction = await crossref.integrity(page.detected_doi)
    except (ToolError, TypeError):
        page.retraction = None
    return page
