"""Images of others, fetched here, so that a browser tells their servers nothing and receives nothing but the pixels of
still images.

An address at the proxy is signed for the browser that received it on a page: nobody else can make this server fetch.
"""

import hmac
from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode

from fastapi import Request, Response

from assay.entrypoints.console.image_cleaning import RefusedImage, clean_image
from assay.entrypoints.console.page_table import IMAGES
from assay.entrypoints.console.safe_markdown import get_safe_link
from assay.entrypoints.http.sign_in_visit import Visit
from assay.errors import ToolError
from assay.services import Services

MOST_BYTES = 3_000_000  # Lambda answers with 6 MB at most, in base64
SECONDS = 10.0
ACCEPT = "image/webp,image/png,image/jpeg,image/gif"  # not AVIF, whose parts refer to each other by their places
HEADERS = {
    "cache-control": "private, max-age=3600",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
}


def build_image_address(url: str, sign: Callable[[str], str]) -> str | None:
    """The address of the image at the proxy; None for an address that is not of the web."""
    if get_safe_link(url) is None or not url.lower().startswith(("http://", "https://")):
        return None
    return f"{IMAGES}?{urlencode({'url': url, 'signature': sign(f'image {url}')})}"


async def answer_image(request: Request, services: Services) -> Response:
    """The image, or 404 without a reason: whatever is wrong, the page shows its alternative text."""
    try:
        visit = Visit(request, services, is_for_local_user=True)
        query = dict(parse_qsl(request.url.query, max_num_fields=5))
        url, signature = query.get("url", ""), query.get("signature", "")
        is_signed = hmac.compare_digest(signature.encode(), visit.sign(f"image {url}").encode())
        if not is_signed or await visit.find_caller() is None:
            return Response(status_code=404, headers=HEADERS)
        fetched = await services.web.fetch(
            url, accept=ACCEPT, cap=MOST_BYTES, seconds=SECONDS, max_redirects=3, over_cap="refuse"
        )
    except (ToolError, ValueError):
        return Response(status_code=404, headers=HEADERS)
    if fetched.status != 200 or fetched.truncated:
        return Response(status_code=404, headers=HEADERS)
    try:
        image = clean_image(fetched.body)
    except RefusedImage:
        return Response(status_code=404, headers=HEADERS)
    return Response(image.body, headers={**HEADERS, "content-type": image.media_type})
