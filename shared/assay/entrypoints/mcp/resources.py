"""MCP resources. Each is one read function and one card; `RESOURCES` lists them."""

import base64
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.context import Context
from assay.errors import InvalidInput
from assay.state import artifacts

MAX_READ_BYTES = 2_800_000  # of text per read: escaped as JSON it must stay under Lambda's 6 MB response limit


@dataclass(frozen=True)
class Resource:
    """A readable resource. `card` has `uri`, or `uriTemplate` whose `{variable}`s each match one path segment.

    `read` raises NotFound if nothing exists at the URI.
    """

    card: Mapping[str, Any]
    read: Callable[[str, Context], Awaitable[str | bytes]]

    @property
    def is_template(self) -> bool:
        return "uriTemplate" in self.card

    def answers(self, uri: str) -> bool:
        """Whether this resource serves the URI."""
        if not self.is_template:
            return bool(uri == self.card["uri"])
        fixed = re.split(r"\{\w+\}", self.card["uriTemplate"])
        return re.fullmatch("[^/]+".join(map(re.escape, fixed)), uri) is not None

    def contents(self, uri: str, found: str | bytes) -> dict[str, Any]:
        """The content as an item of a `resources/read` result."""
        if isinstance(found, str):
            return {"uri": uri, "mimeType": self.card.get("mimeType", "text/plain"), "text": found}
        blob = base64.b64encode(found).decode()
        return {"uri": uri, "mimeType": self.card.get("mimeType", "application/octet-stream"), "blob": blob}


async def artifact(uri: str, ctx: Context) -> str:
    """Read a large answer stored for the caller's tenant. Raises NotFound, or InvalidInput if it is too large."""
    text = await artifacts.read(ctx.services.bucket, ctx.caller.tenant, uri)
    if len(text.encode()) > MAX_READ_BYTES:
        raise InvalidInput(f"{uri} is too large to be read at once; page it with read_artifact.", field="uri")
    return text


RESOURCES = (
    Resource(
        {
            "uriTemplate": artifacts.SCHEME + "{id}",
            "name": "research-artifact",
            "title": "Research artifact",
            "description": "A large answer that a tool kept aside for half an hour; read_artifact pages it.",
            "mimeType": "application/json",
        },
        artifact,
    ),
)
