"""Public functions and methods are named by verbs or predicates."""

import ast
import re
from collections.abc import Iterator

import pytest
from tests.architecture.sources import Source, parse_sources

IRREGULAR = re.compile(
    r"begun|borne|bought|bound|broken|brought|built|caught|chosen|come|dealt|done|drawn|driven|dug|"
    r"felt|found|given|gone|grown|heard|held|hidden|kept|known|laid|led|left|lent|lost|made|meant|met|"
    r"paid|said|seen|sent|shown|sold|spent|spoken|stood|struck|taken|taught|thought|thrown|told|torn|"
    r"understood|woken|won|worn|written"
)
PICTURES = re.compile(
    r"asked|found|given|heard|kept|led|looked|made|met|said|told|wanted|"
    r"aboard|aloft|alone|bare|beside|desk|errand|fate|folk|gate|kin|lore|purse|room|shelf|thread|"
    r"voices|whole|wish"
)
VERBS = {"embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed"}  # that end as participles do

PARTICLES = {"after", "apart", "as", "at", "by", "for", "from", "in", "into", "out", "over", "to", "with", "within"}

ALLOWED = {
    "structured": "the name of an operation of providers, as `web` and `news` are",
}
"""Names that break the rule, with the reason."""


def is_participle(word: str) -> bool:
    return word not in VERBS and (IRREGULAR.fullmatch(word) is not None or word.endswith("ed"))


def is_refused(name: str) -> bool:
    """Whether a name is a bare past participle, or begins with a picture.

    A participle before a noun, as in `required_setting`, is an adjective and passes; one before a particle does not.
    """
    first, *rest = name.split("_")
    is_bare = not rest or rest[0] in PARTICLES
    return PICTURES.fullmatch(first) is not None or (is_bare and is_participle(first))


def find_public_functions(source: Source) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions of a module and methods of its classes; properties are nouns and left out."""
    owners = [source.tree, *(node for node in source.nodes if isinstance(node, ast.ClassDef))]
    for owner in owners:
        for node in owner.body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name.startswith("_"):
                continue
            if not any(
                word in ast.unparse(mark) for mark in node.decorator_list for word in ("property", "setter", "overload")
            ):
                yield node


def test_public_functions_are_verbs_or_predicates():
    refused = {
        function.name
        for source in parse_sources().values()
        for function in find_public_functions(source)
        if is_refused(function.name) and function.name not in ALLOWED
    }
    assert refused == set()


@pytest.mark.parametrize("name", sorted(ALLOWED))
def test_no_exception_outlives_its_use(name):
    assert any(
        function.name == name for source in parse_sources().values() for function in find_public_functions(source)
    )


@pytest.mark.parametrize("name", ["told", "asked", "refused_in_words", "looked_at", "whole", "purse"])
def test_a_participle_or_a_picture_is_refused(name):
    assert is_refused(name)


@pytest.mark.parametrize(
    "name", ["read", "is_allowed", "has_room", "feed", "parse_date", "embed", "web", "required_setting"]
)
def test_a_verb_or_a_predicate_passes(name):
    assert not is_refused(name)
