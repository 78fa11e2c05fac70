"""What must be configured so that a tool can answer anything at all."""

from typing import TYPE_CHECKING, Any

from assay.provider_base.provider_manifest import describe_provider, describe_providers
from assay.search.provider_order import KEYLESS
from assay.settings import Requirements

if TYPE_CHECKING:
    from assay.toolkit.tool import Tool


def requirements_of(tool: "Tool[Any, Any]") -> Requirements:
    """The sets of variables of which one makes the tool usable; none where it needs nothing."""
    if tool.provider is not None:
        return describe_provider(tool.provider).requirements
    if tool.operation is None or tool.operation in KEYLESS:
        return ()
    able = describe_providers(tool.operation)
    if not all(source.requirements for source in able):
        return ()
    return tuple(dict.fromkeys(names for source in able for names in source.requirements))
