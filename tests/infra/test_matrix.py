"""The page of who honours what is what the providers say."""

import re
from pathlib import Path

import pytest

from assay import providers
from infra import matrix


def test_the_page_is_what_the_providers_say():
    assert matrix.PAGE.read_text() == matrix.page()


@pytest.mark.parametrize("operation", matrix.NAMED)
def test_no_provider_is_missing(operation):
    listed = re.findall(r"^\| (\w+) \|", matrix.section(operation), re.MULTILINE)
    assert listed[1:] == [name for name in providers.names() if providers.find(name).offers(operation)]


def test_every_field_of_every_question_is_honoured_by_somebody():
    for operation, question in providers.QUESTIONS.items():
        able = [providers.find(name) for name in providers.names() if providers.find(name).offers(operation)]
        honoured = frozenset().union(*(source.honours[operation] for source in able))
        assert honoured == set(question.model_fields) - {"query"}


def test_the_page_lies_where_readers_look():
    assert "infra/PROVIDERS.md" in (Path(__file__).parent.parent.parent / "README.md").read_text()
