"""Whether the scopes of a caller cover a tool."""

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

from assay.errors import InsufficientScope

if TYPE_CHECKING:  # importing pydantic would slow down cold starts
    from assay.toolkit.tool import Tool


def has_scope(tool: "Tool[Any, Any]", scopes: AbstractSet[str]) -> bool:
    """Whether the scopes cover the tool."""
    return bool(scopes & {"*", "tool:*", f"tool:{tool.name}", *tool.toolsets})


def require_scope(tool: "Tool[Any, Any]", scopes: AbstractSet[str]) -> None:
    """Raises InsufficientScope when the scopes do not cover the tool."""
    if not has_scope(tool, scopes):
        raise InsufficientScope(
            f"This key's scopes do not cover {tool.name}; the key needs tool:{tool.name} or tool:*.",
            scopes=sorted({*scopes, f"tool:{tool.name}"}),
        )
