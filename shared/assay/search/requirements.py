"""The settings that a tool needs to be usable."""

from typing import TYPE_CHECKING, Any

from assay.provider_base.provider_manifest import describe_provider, describe_providers
from assay.search.provider_order import KEYLESS
from assay.settings import Requirements

if TYPE_CHECKING:
    from assay.toolkit.tool import Tool


def get_requirements(tool: "Tool[Any, Any]") -> Requirements:
    """Alternative sets of variables: the tool is usable if one set is complete. Empty if it needs none."""
    if tool.flag is not None:
        return ((f"{tool.flag}=true",),)
    if tool.provider is not None:
        return describe_provider(tool.provider).requirements
    if tool.operation is None or tool.operation in KEYLESS:
        return ()
    able = describe_providers(tool.operation)
    if not all(source.requirements for source in able):
        return ()
    return tuple(dict.fromkeys(names for source in able for names in source.requirements))
