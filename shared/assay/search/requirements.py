"""What must be configured so that a tool can answer anything at all."""

from typing import TYPE_CHECKING, Any

from assay import providers
from assay.search.order import KEYLESS
from assay.settings import Requirements

if TYPE_CHECKING:
    from assay.tool import Tool


def requirements_of(tool: "Tool[Any, Any]") -> Requirements:
    """The sets of variables of which one makes the tool usable; none where it needs nothing."""
    if tool.provider is not None:
        return providers.find(tool.provider).requirements()
    if tool.operation is None or tool.operation in KEYLESS:
        return ()
    able = [source for source in map(providers.find, providers.names()) if source.offers(tool.operation)]
    if not all(source.requirements() for source in able):
        return ()
    return tuple(dict.fromkeys(names for source in able for names in source.requirements()))
