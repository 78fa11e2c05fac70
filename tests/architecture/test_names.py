"""Public functions and methods are named by verbs or predicates."""

import ast
import re
from collections.abc import Iterator

import pytest
from tests.architecture.test_structure import MODULES

IRREGULAR = re.compile(
    r"begun|borne|bought|bound|broken|brought|built|caught|chosen|come|dealt|done|drawn|driven|dug|"
    r"felt|found|given|gone|grown|heard|held|hidden|kept|known|laid|led|left|lent|lost|made|meant|met|"
    r"paid|said|seen|sent|shown|sold|spent|spoken|stood|struck|taken|taught|thought|thrown|told|torn|"
    r"understood|woken|won|worn|written"
)
PICTURES = re.compile(
    r"aboard|aloft|alone|bare|beside|desk|errand|fate|folk|gate|kin|lore|purse|room|shelf|thread|"
    r"voices|whole|wish"
)
VERBS = {"embed", "exceed", "feed", "need", "proceed", "seed", "shed", "speed"}  # that end as participles do

ALLOWED = {
    "required_setting": "a noun: the setting to name in an error; providers override it with a method of one argument",
    "structured": "the name of an operation of providers, as `web` and `news` are",
    "structured_search": "the name of a tool",
}
"""Names that break the rule, with the reason."""

PENDING: set[str] = {
    "asked_as_player",
    "bare",
    "beside",
    "blocked_error",
    "bound_structured_data",
    "bounded_gather",
    "checked_envelope",
    "chosen_provider",
    "embedded_body",
    "filed_within",
    "filtered_by",
    "heard_out",
    "hidden",
    "known",
    "known_as",
    "known_to_refuse",
    "led_to",
    "left",
    "looked_after",
    "looked_at",
    "looked_into",
    "made_client",
    "needed_pattern",
    "negotiated_version",
    "numbered_date",
    "numbered_title",
    "passed_over",
    "purse",
    "refused_in_words",
    "required_rows",
    "room",
    "shelf_of",
    "thread",
    "told_apart",
    "unsupported_fields",
    "unsupported_version_error",
    "voices",
    "whole",
    "wish",
}
"""Names from before the rule. Rename and remove; add nothing."""


def is_participle(word: str) -> bool:
    return word not in VERBS and (IRREGULAR.fullmatch(word) is not None or word.endswith("ed"))


def is_refused(name: str) -> bool:
    """Whether the first word is a past participle or a picture."""
    first = name.partition("_")[0]
    return is_participle(first) or PICTURES.fullmatch(first) is not None


def find_public_functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Functions of a module and methods of its classes; properties are nouns and left out."""
    owners = [tree, *(node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))]
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
        for tree in MODULES.values()
        for function in find_public_functions(tree)
        if is_refused(function.name) and function.name not in ALLOWED
    }
    assert refused <= PENDING


@pytest.mark.parametrize("name", sorted(ALLOWED))
def test_no_exception_outlives_its_use(name):
    assert any(function.name == name for tree in MODULES.values() for function in find_public_functions(tree))


@pytest.mark.parametrize("name", ["told", "asked", "refused_in_words", "looked_at", "whole", "purse"])
def test_a_participle_or_a_picture_is_refused(name):
    assert is_refused(name)


@pytest.mark.parametrize("name", ["read", "is_allowed", "has_room", "feed", "parse_date", "embed", "web"])
def test_a_verb_or_a_predicate_passes(name):
    assert not is_refused(name)
