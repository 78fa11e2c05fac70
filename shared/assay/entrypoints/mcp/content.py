"""A reply as the items that a model reads: its text and, where the answer was kept aside, the link to it."""

from typing import Any

from assay.entrypoints.mcp.protocol_versions import LEGACY
from assay.invoke import Reply


def content_of(reply: Reply, version: str) -> list[dict[str, Any]]:
    """The content of a successful `tools/call`, in the words of the client's revision."""
    items: list[dict[str, Any]] = [{"type": "text", "text": reply.text}]
    if reply.linked is not None and version != LEGACY[0]:  # the oldest revision knows no links
        items.append(
            {
                "type": "resource_link",
                "uri": reply.linked.uri,
                "name": "research-artifact",
                "title": reply.wire["summary"].partition("\n")[0] if "linked" in reply.wire else "The whole answer",
                "mimeType": "application/json",
                "size": reply.linked.size,
            }
        )
    return items
