"""Builds the content items of a reply: its text and, for a large answer, the link to the stored copy."""

from typing import Any

from assay.entrypoints.mcp.protocol_versions import LEGACY
from assay.invoke import Reply


def content_of(reply: Reply, version: str) -> list[dict[str, Any]]:
    """The content of a successful `tools/call`, in the format of the client's protocol revision."""
    items: list[dict[str, Any]] = [{"type": "text", "text": reply.text}]
    if reply.linked is not None and version != LEGACY[0]:  # the oldest revision has no resource_link
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
