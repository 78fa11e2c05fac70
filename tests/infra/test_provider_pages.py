"""docs/providers.md lists what the providers support."""

import re

import pytest
from infra.scripts.generate import providers

from assay.provider_base.provider import QUERY_TYPES
from assay.provider_base.provider_manifest import describe_providers


@pytest.mark.parametrize("operation", providers.TOOL_OF_OPERATION)
def test_no_provider_is_missing(operation):
    listed = re.findall(r"^\| (\w+) \|", providers.render_operation(operation), re.MULTILINE)
    assert listed[1:] == [source.name for source in describe_providers(operation)]


def test_every_field_of_every_query_is_supported_by_a_provider():
    for operation, query in QUERY_TYPES.items():
        supported = frozenset().union(
            *(source.supported_filters[operation] for source in describe_providers(operation))
        )
        assert supported == set(query.model_fields) - {"query"}
