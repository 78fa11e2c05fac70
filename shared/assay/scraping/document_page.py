"""The page that a document is."""

from typing import TYPE_CHECKING, Any

from assay.scraping.page import Page

if TYPE_CHECKING:
    from assay.documents import Document


def build_document_page(url: str, document: "Document", *, is_cut: bool = False, **facts: Any) -> Page:
    """Build the page of a document at `url`; `is_cut` says whether its file was cut, `facts` are other fields."""
    return Page(
        url=url,
        content=document.markdown,
        content_type=document.kind,
        access_note=" ".join(document.notes) or None,
        title=document.title,
        authors=document.authors,
        published=document.created,
        created=document.created,
        doi=document.doi or None,
        types=["scholarlyarticle"] if document.doi else [],
        page_count=document.page_count,
        file_size=document.file_size,
        truncated=document.truncated or is_cut,
        **facts,
    )
