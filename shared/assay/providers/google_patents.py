"""Google Patents: metadata of one patent, from its web page.

Page: https://patents.google.com (there is no API)
Authentication: none.
Limits: frequent requests are redirected to a CAPTCHA page.
"""

import asyncio
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.errors import RateLimited, ToolError
from assay.models.patents import Patent
from assay.net.provider_client import ONCE, WAIT_DEFAULT, ProviderResponse
from assay.provider_base.parsing.patent_fields import build_patent, choose_first_name, parse_day
from assay.provider_base.parsing.patent_numbers import Number, parse_number
from assay.provider_base.provider import Provider

if TYPE_CHECKING:
    from assay.html.parser.html_element import HtmlElement

PAGE_CAP = 12 * 1024 * 1024  # decoded; pages include the full description
GRANTED = "granted"


class GooglePatents(Provider):
    name = "google_patents"
    address = "https://patents.google.com"
    seconds = 15.0

    async def page(self, number: Number) -> Patent:
        """The patent from its page. Raises NotFound if there is no such page."""
        response = await self.exchange(
            "GET",
            f"/patent/{number}/en",
            headers={"Accept": "text/html"},
            expect="text",
            cap=PAGE_CAP,
            tries=ONCE,
            redirects=3,
        )
        found = await asyncio.to_thread(parse_patent, response.body, number)
        if found is None:
            raise ValueError("the page has no patent metadata")
        return found

    def refusal(self, response: ProviderResponse) -> ToolError | None:
        """Too many requests are redirected to Google's CAPTCHA page."""
        text = response.body if isinstance(response.body, str) else ""
        is_captcha = "google.com/sorry" in response.headers.get("location", "") or "/sorry/index" in text[:20_000]
        if is_captcha and response.status != 200:
            return RateLimited(
                f"google_patents: the rate limit is exceeded. Wait {WAIT_DEFAULT} seconds, or use another provider.",
                provider=self.name,
                retry_after=WAIT_DEFAULT,
            )
        return super().refusal(response)


def parse_patent(html: str, number: Number) -> Patent | None:
    """The patent on the page, None if it has no patent metadata. The number on the page replaces the requested one."""
    from assay.html.parser.html_tree import open_html

    with open_html(html) as root:
        return _read_patent(root, number)


def _read_patent(root: "HtmlElement", number: Number) -> Patent | None:
    title = _get_meta(root, "DC.title") or _find_first(root, "title", "span")
    own = parse_number(_find_first(root, "publicationNumber") or "") or parse_number(
        (_get_meta(root, "citation_patent_number") or "").replace(":", "")
    )
    if not title or (own is None and not _find_first(root, "filingDate", "time")):
        return None
    events = list(_parse_events(root))
    published = parse_day(_find_first(root, "publicationDate", "time"))
    page_number = own or number
    granted = next((when for kind, when in events if kind == GRANTED), None)
    return build_patent(
        title,
        page_number,
        abstract=_get_meta(root, "DC.description"),
        assignee=choose_first_name(
            [
                _find_first(root, "assigneeCurrent"),
                _find_first(root, "assigneeOriginal"),
                _get_contributor(root, "assignee"),
            ]
        ),
        inventor=choose_first_name([_find_first(root, "inventor"), _get_contributor(root, "inventor")]),
        filed=_find_first(root, "filingDate", "time") or next((when for kind, when in events if kind == "filed"), None),
        published=published,
        granted=granted or (published if page_number.is_grant else None),
        pdf=_get_meta(root, "citation_pdf_url"),
        status=_parse_status(root),
    )


def _get_meta(root: "HtmlElement", name: str, scheme: str = "") -> str | None:
    found = (
        one.get("content") or ""
        for one in root.iter("meta")
        if one.get("name") == name and (not scheme or one.get("scheme") == scheme)
    )
    return next((text.strip() for text in found if text.strip()), None)


def _get_contributor(root: "HtmlElement", scheme: str) -> str | None:
    return _get_meta(root, "DC.contributor", scheme)


def _find_first(root: "HtmlElement", name: str, tag: str = "dd") -> str | None:
    """The first element with this itemprop outside tables, which list other patents."""
    for one in _find_all(root, tag, name):
        if next(one.iterancestors("tr"), None) is None and (text := (one.get("datetime") or _get_text(one))):
            return text
    return None


def _parse_events(root: "HtmlElement") -> Iterator[tuple[str, str]]:
    """The kinds and dates of the patent's events."""
    for one in _find_all(root, "dd", "events"):
        kind = next((_get_text(part) for part in one.iterdescendants() if part.get("itemprop") == "type"), "")
        when = next((part.get("datetime") or _get_text(part) for part in one.iterdescendants("time")), "")
        if kind and parse_day(when):
            yield kind.lower(), when


def _parse_status(root: "HtmlElement") -> str | None:
    found = (each for one in _find_all(root, "dd", "legalStatusIfi") for each in _find_all(one, "span", "status"))
    return next((text for one in found if (text := _get_text(one))), None)


def _find_all(root: "HtmlElement", tag: str, name: str) -> Iterator["HtmlElement"]:
    return (one for one in root.iter(tag) if one.get("itemprop") == name)


def _get_text(element: "HtmlElement") -> str:
    return " ".join("".join(element.itertext()).split())
