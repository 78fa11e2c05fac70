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
    "assay.aws.boto_client.made_client",
    "assay.base_tools.cinder_search.wish",
    "assay.bibliography.work.numbered_date",
    "assay.crawl.frontier.room",
    "assay.crawl.politeness.known_to_refuse",
    "assay.crawl.sweeper.looked_after",
    "assay.documents.docx_styles.hidden",
    "assay.entrypoints.http.local_server.beside",
    "assay.entrypoints.mcp.local_http.heard_out",
    "assay.entrypoints.mcp.methods.negotiated_version",
    "assay.entrypoints.mcp.protocol_versions.checked_envelope",
    "assay.entrypoints.mcp.protocol_versions.unsupported_version_error",
    "assay.html.css.declarations.bare",
    "assay.html.metadata.structured_data.bound_structured_data",
    "assay.html.parser.end_tags.passed_over",
    "assay.html.parser.tag_scanner.told_apart",
    "assay.html.reader.block_classifier.left",
    "assay.html.reader.metadata_body.embedded_body",
    "assay.net.content_encoding.whole",
    "assay.net.error_bodies.refused_in_words",
    "assay.net.guarded_client.led_to",
    "assay.net.json_tool_fetch.whole",
    "assay.providers.crossref.known",
    "assay.providers.openalex.known_as",
    "assay.providers.openalex.numbered_title",
    "assay.provider_base.parsing.patents.bare",
    "assay.provider_base.parsing.patents.filed_within",
    "assay.scraping.error_mapping.blocked_error",
    "assay.scraping.page_outline.bare",
    "assay.scraping.sites.github.issues.thread",
    "assay.scraping.sites.youtube.player.asked_as_player",
    "assay.search.filtered_search.chosen_provider",
    "assay.search.result_filter.filtered_by",
    "assay.search.result_page.voices",
    "assay.search.single_query.unsupported_fields",
    "assay.sessions.session_keys.shelf_of",
    "assay.sessions.watchlist.looked_at",
    "assay.state.budget.purse",
    "assay.text.sanitize.needed_pattern",
    "assay.verification.bounded_gather.bounded_gather",
    "assay.verification.identify.beside",
    "assay.verification.recommendation.looked_into",
    "assay.verification.title_matching.bare",
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
        f"{module}.{function.name}"
        for module, tree in MODULES.items()
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
