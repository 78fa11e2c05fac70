"""Images of others, fetched here, so that a browser tells their servers nothing and receives nothing but pixels.

An address at the proxy is signed for the browser that received it on a page: nobody else can make this server fetch.
"""

import hmac
from collections.abc import Callable
from urllib.parse import parse_qsl, urlencode

from fastapi import Request, Response

from assay.entrypoints.console.page_table import IMAGES
from assay.entrypoints.console.safe_markdown import get_safe_link
from assay.entrypoints.http.sign_in_visit import Visit
from assay.errors import ToolError
from assay.services import Services

MOST_BYTES = 3_000_000  # Lambda answers with 6 MB at most, in base64
SECONDS = 10.0
ACCEPT = "image/avif,image/webp,image/png,image/jpeg,image/gif"
HEADERS = {
    "cache-control": "private, max-age=3600",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
}
SIGNATURES = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
)


def build_image_address(url: str, sign: Callable[[str], str]) -> str | None:
    """The address of the image at the proxy; None for an address that is not of the web."""
    if get_safe_link(url) is None or not url.lower().startswith(("http://", "https://")):
        return None
    return f"{IMAGES}?{urlencode({'url': url, 'signature': sign(f'image {url}')})}"


def find_image_type(body: bytes) -> str | None:
    """The type of a raster image, by its first bytes whatever its server says; None for anything else, such as SVG."""
    for beginning, media_type in SIGNATURES:
        if body.startswith(beginning):
            return media_type
    if body[:4] == b"RIFF" and body[8:12] == b"WEBP":
        return "image/webp"
    return "image/avif" if body[4:12] in (b"ftypavif", b"ftypavis") else None


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
    media_type = find_image_type(fetched.body)
    if fetched.status != 200 or fetched.truncated or media_type is None:
        return Response(status_code=404, headers=HEADERS)
    return Response(fetched.body, headers={**HEADERS, "content-type": media_type})
