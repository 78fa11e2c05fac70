"""What every tool owes. A new tool that forgets something finds its name here."""

import json
import os
import re
from pathlib import Path

import pytest

from assay.entrypoints.mcp.tool_selection import TOOLSETS
from assay.toolkit import tool_registry

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
NAMES = tool_registry.tool_names()


@pytest.mark.parametrize("name", NAMES)
def test_it_has_a_test_of_its_own(name):
    assert (HERE / f"test_{name}.py").exists()


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_is_in_few_words(name):
    card = tool_registry.find_tool(name).card()
    assert card["name"] == name
    assert card["title"]
    assert 20 < len(card["description"]) <= 400
    assert tokens(name) <= 450


@pytest.mark.parametrize(("toolset", "most"), [("core", 4_000), ("all", 16_000)])
def test_a_list_of_tools_leaves_room_for_what_they_find(toolset, most):
    assert (
        sum(tokens(name) for name in NAMES if toolset == "all" or toolset in tool_registry.find_tool(name).toolsets)
        <= most
    )


def tokens(name: str) -> float:
    """What a model reads of a tool before any call."""
    card = tool_registry.find_tool(name).card()
    output = {word: card[word] for word in ("name", "description", "inputSchema")}
    return len(json.dumps(output, separators=(",", ":"))) / 4


@pytest.mark.parametrize("name", NAMES)
def test_every_input_field_is_described(name):
    fields = list_fields(tool_registry.find_tool(name).input_schema)
    assert [path for path, field in fields if len(field.get("description", "").split()) < 3] == []


SELF_EXPLANATORY = {
    "abstract", "address", "apa", "articles", "arxivId", "assignee", "author", "authors", "bibtex", "caseName",
    "cases", "categories", "colors", "company", "conditions", "content", "court", "description", "docketNumber",
    "doi", "facebook", "filings", "github", "id", "images", "industry", "instagram", "interventions", "inventor",
    "issue", "itemCount", "items", "journal", "keywords", "language", "linkedin", "location", "logos", "mla",
    "name", "pageCount", "page_count", "pages", "papers", "patents", "phases", "phone", "places", "pmcid", "pmid",
    "publisher", "query", "ratingCount", "reasoning", "researchGoal", "results", "sessionId", "snippet",
    "sourceCount", "sponsor", "stepCount", "stepNumber", "tagline", "title", "trials", "twitter", "typography",
    "url", "volume", "warnings", "website", "wordCount", "year", "youtube",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_every_output_field_is_described_or_named_plainly(name):
    schema = tool_registry.find_tool(name).output_schema
    fields = list_fields(schema)
    for shape in schema.get("$defs", {}).values():
        fields += list_fields(shape)
    assert {path.split(".")[-1] for path, field in fields if not is_described(field)} <= SELF_EXPLANATORY


def is_described(field):
    return "description" in field or ("anyOf" in field and all("description" in kind for kind in field["anyOf"]))


def list_fields(schema, place=""):
    """Every field of a schema with its path, nested ones as `entries[].doi`."""
    fields = []
    for name, field in schema.get("properties", {}).items():
        fields += [(place + name, field), *list_fields(field, f"{place}{name}.")]
    if isinstance(items := schema.get("items"), dict):
        fields += list_fields(items, place.removesuffix(".") + "[].")
    return fields


ACRONYMS = re.compile(r"\b(Rss|Pdf|Http|Url|Github|Openalex|Searxng)\b")


@pytest.mark.parametrize("name", NAMES)
def test_its_title_reads_like_a_title(name):
    """The title derived from the name is wrong where the name holds an abbreviation or a brand."""
    assert not ACRONYMS.search(tool_registry.find_tool(name).title)


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_does_to_the_world(name):
    annotations = tool_registry.find_tool(name).annotations
    assert annotations["title"] == tool_registry.find_tool(name).title
    assert set(annotations) == {"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}


@pytest.mark.parametrize("name", NAMES)
def test_it_belongs_to_toolsets_that_exist(name):
    held = tool_registry.find_tool(name).toolsets
    assert held
    assert set(held) <= set(TOOLSETS) - {"all"}


@pytest.mark.parametrize("name", NAMES)
def test_its_schemas_are_plain_objects(name):
    for schema in (tool_registry.find_tool(name).input_schema, tool_registry.find_tool(name).output_schema):
        assert schema["type"] == "object"
        assert not {"anyOf", "oneOf", "allOf", "$ref"} & set(schema)
    assert tool_registry.find_tool(name).input_schema["additionalProperties"] is False


@pytest.mark.parametrize("name", NAMES)
def test_its_public_contract_is_the_one_that_was_reviewed(name):
    """A change of a schema shows in the snapshot's diff. `SNAPSHOTS=write pytest` writes them."""
    stored = HERE / "snapshots" / f"{name}.json"
    card = json.dumps(tool_registry.find_tool(name).card(), indent=1, ensure_ascii=False, sort_keys=True) + "\n"
    if os.environ.get("SNAPSHOTS") == "write":
        stored.parent.mkdir(exist_ok=True)
        stored.write_text(card)
    assert stored.read_text() == card


def test_no_snapshot_outlives_its_tool():
    assert {path.stem for path in (HERE / "snapshots").glob("*.json")} == set(NAMES)
