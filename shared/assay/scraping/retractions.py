"""What is recorded against a scholarly page, looked up once when it is read."""

from assay.errors import ToolError
from assay.net.provider_client import ProviderClient
from assay.scraping.page import Page
from assay.settings import Settings

SECONDS = 3.0  # a page is not held up longer by what is only said beside it


async def check_retraction(page: Page, http: ProviderClient, settings: Settings) -> Page:
    """The page with the DOI it declares and Crossref's word on that. A look-up that fails says nothing, not "clean"."""
    from assay.bibliography import doi
    from assay.evaluation import source_type

    kind = source_type.classify(page.url, types=page.types, structured=page.structured).source_type
    page.detected_doi = doi.detect_doi(page.url, page.doi, page.content, kind)
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
