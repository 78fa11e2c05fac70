"""The policies of the template's roles."""

from collections.abc import Mapping
from typing import Any

type Resources = Mapping[str, Any]
type Statement = dict[str, Any]


def list_documents(resources: Resources, role: str) -> list[dict[str, Any]]:
    """The policy documents of a role, its managed policies' included."""
    properties = resources[role]["Properties"]
    own = [policy["PolicyDocument"] for policy in properties["Policies"]]
    names = [each["Ref"] for each in properties.get("ManagedPolicyArns", [])]
    return own + [resources[name]["Properties"]["PolicyDocument"] for name in names]


def list_statements(resources: Resources, role: str) -> list[Statement]:
    """The statements of a role as they are written: some depend on an option of the template."""
    return [each for document in list_documents(resources, role) for each in document["Statement"]]
