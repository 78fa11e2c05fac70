"""The page of who honours what is what the providers say."""

import re
from pathlib import Path

import pytest
from infra.scripts import generate_provider_matrix

from assay.provider_base import provider


def test_the_page_is_what_the_providers_say():
    assert generate_provider_matrix.PAGE.read_text() == generate_provider_matrix.page()


@pytest.mark.parametrize("operation", generate_provider_matrix.NAMED)
def test_no_provider_is_missing(operation):
    listed = re.findall(r"^\| (\w+) \|", generate_provider_matrix.section(operation), re.MULTILINE)
    assert listed[1:] == [
        name for name in provider.provider_names() if provider.find_provider(name).supports(operation)
    ]


def test_every_field_of_every_question_is_honoured_by_somebody():
    for operation, question in provider.QUERY_TYPES.items():
        able = [
            provider.find_provider(name)
            for name in provider.provider_names()
            if provider.find_provider(name).supports(operation)
        ]
        honoured = frozenset().union(*(source.supported_filters[operation] for source in able))
        assert honoured == set(question.model_fields) - {"query"}


def test_the_page_lies_where_readers_look():
    assert "infra/PROVIDERS.md" in (Path(__file__).parent.parent.parent / "README.md").read_text()
