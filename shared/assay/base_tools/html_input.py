"""The arguments of tools that parse a page: its HTML, or an upload of it."""

from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.errors import InvalidInput
from assay.toolkit.json_tools import BaseUrl, JsonToolInput, UploadId, require_text_or_upload


class HtmlInput(JsonToolInput):
    """A page to parse."""

    upload_id: UploadId = ""
    html: Annotated[
        str,
        require_text_or_upload("html"),
        Field(validate_default=True, description="HTML of the page as text; or upload_id."),
    ] = ""
    base_url: BaseUrl


async def load_html(ask: HtmlInput, ctx: Context, maximum: int) -> str:
    """Return the page's HTML. Raises InvalidInput if it has more than `maximum` bytes, and the errors of uploads."""
    if ask.upload_id:
        return await ctx.own.uploads.read_text(ask.upload_id, maximum)
    size = len(ask.html) if ask.html.isascii() else len(ask.html.encode())
    if size > maximum:
        raise InvalidInput(f"html too large: limit {maximum} bytes", field="html")
    return ask.html
