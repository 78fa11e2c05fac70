"""Reads the page that a citation links: its title and its own DOI are evidence on what is cited."""

import asyncio
from typing import TYPE_CHECKING

from assay.context import Context
from assay.errors import ToolError
from assay.verification import identify
from assay.verification.findings import Findings
from assay.verification.link_status import Link
from assay.verification.linked_titles import names_cited_work

if TYPE_CHECKING:
    from assay.scraping.page import Page

PAGE_SECONDS = 15.0


async def apply_cited_page(ctx: Context, findings: Findings, link: Link) -> None:
    """Compare the title of the page that a reference links with the reference.

    If the reference does not have it, a live link shows that there is a page, not that it is the cited one.
    """
    text = identify.URL.sub(" ", findings.input)
    is_named = names_cited_work(link.title or "", text)
    # Where the check of the link saw no such title, a browser may: some pages set theirs by JavaScript.
    page = None if is_named else await read_page(ctx, findings, link.final_url or link.url)
    title = page.title if page else ""
    if is_named or names_cited_work(title, text):
        findings.exists, findings.verification_status, findings.title_match = True, "confirmed", "match"
        findings.provenance.append("The reference has the title of the page that it links.")
        return
    findings.exists, findings.verification_reason = None, "only_link_checked"
    shown = "its page shows no title to compare" if page else "its page could not be read"
    if title:
        shown = f"the title of its page, {title[:200]!r}, does not identify the reference"
    findings.record_caveat(f"No index searched has the reference. Its link answers, but {shown}.")


async def read_page(ctx: Context, findings: Findings, url: str) -> "Page | None":
    """Return the page; None if it cannot be read, with the reason in the provenance."""
    try:
        async with asyncio.timeout(min(PAGE_SECONDS, ctx.time_left() / 2)):
            return await ctx.child().page(url)
    except TimeoutError:
        findings.provenance.append("The page was not read: it took too long.")
    except ToolError as failure:
        findings.provenance.append(f"The page was not read: {failure.sentence()}")
    return None
