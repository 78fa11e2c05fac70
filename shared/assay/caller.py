"""`Caller`: whose call it is, and what they may use."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.errors import Forbidden
from assay.toolkit.tool_scopes import require_scope

if TYPE_CHECKING:
    from assay.toolkit.tool import Tool

ALL_SCOPES = frozenset({"*"})


@dataclass(frozen=True)
class Caller:
    """The authenticated caller. Scopes: `*`, `tool:*`, `tool:<name>`, or the name of a toolset."""

    tenant: str = "local"
    user: str = "local"
    scopes: frozenset[str] = ALL_SCOPES
    name: str = ""
    has_token: bool = False  # an OAuth client calls, which can ask for more scopes
    read_only: bool = False  # only tools that change nothing

    def check_access(self, tool: "Tool[Any, Any]") -> None:
        """Raise InsufficientScope when the scopes do not cover the tool, Forbidden when the key may only read."""
        require_scope(tool, self.scopes)
        if self.read_only and not tool.read_only:
            raise Forbidden(f"This key is read-only, and {tool.name} changes something. Use another key.")
