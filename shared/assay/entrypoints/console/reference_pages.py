"""The reference of the HTTP API, from the OpenAPI document: the list of operations, and a page for each."""

import json
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

from fastapi import Response

from assay.entrypoints.console.call_snippets import write_snippets
from assay.entrypoints.console.page_visit import PageVisit
from assay.entrypoints.console.tool_pages import read_examples
from assay.entrypoints.http.schema_rows import (
    SchemaRow,
    describe_constraints,
    describe_type,
    list_schema_rows,
    resolve_reference,
)
from assay.entrypoints.http.tool_cards import cards_shown
from assay.errors import NotFound

GROUPS = (("/tools/", "Tools"), ("/v1/", "REST routes"), ("", "Administration"))  # by the beginning of the path


class Operation(NamedTuple):
    """A method of a path, as the OpenAPI document describes it."""

    id: str
    method: str
    path: str
    summary: str
    group: str
    description: Mapping[str, Any]


class Content(NamedTuple):
    """What is sent or answered: its fields, or its type where it has none."""

    title: str
    text: str
    type: str
    rows: list[SchemaRow]


@cache
def build_document(names: tuple[str, ...], *, has_administration: bool) -> dict[str, Any]:
    """The OpenAPI document of these tools."""
    from assay.entrypoints.http import admin_openapi, openapi  # they import every tool

    document = openapi.document(names)
    return admin_openapi.add_endpoints(document) if has_administration else document


def read_document(visit: PageVisit) -> dict[str, Any]:
    """The document with what this person may see."""
    names = tuple(card["name"] for card in cards_shown(visit.services.settings))
    return build_document(names, has_administration=visit.is_administrator)


def find_operations(document: Mapping[str, Any]) -> Iterator[Operation]:
    for path, methods in document["paths"].items():
        group = next(title for beginning, title in GROUPS if path.startswith(beginning))
        for method, about in methods.items():
            yield Operation(about["operationId"], method.upper(), path, about["summary"], group, about)


async def list_operations(visit: PageVisit) -> Response:
    """Every operation, in groups."""
    groups: dict[str, list[Operation]] = {title: [] for _, title in GROUPS}
    for operation in find_operations(read_document(visit)):
        groups[operation.group].append(operation)
    return visit.show("reference.html", groups={title: found for title, found in groups.items() if found})


async def show_operation(visit: PageVisit) -> Response:
    """What one operation takes and answers."""
    document, wanted = read_document(visit), visit.parameters["id"]
    found = next((one for one in find_operations(document) if one.id == wanted), None)
    if found is None:
        raise NotFound("There is no such operation. The reference at /docs lists all.")
    name = found.path.removeprefix("/tools/")
    example = read_examples().get(name) if found.group == "Tools" else None
    return visit.show(
        "operation.html",
        title=f"{found.method} {found.path}",
        operation=found,
        parameters=list_parameters(found, document),
        body=describe_body(found, document),
        answers=list(describe_answers(found, document)),
        snippets=write_snippets(name, example, visit.base, needs_key=not visit.is_local) if example else [],
        example=json.dumps(example, ensure_ascii=False, indent=2) if example else "",
        tool=name if found.group == "Tools" else "",
    )


def list_parameters(operation: Operation, document: Mapping[str, Any]) -> list[SchemaRow]:
    rows = []
    for each in operation.description.get("parameters", ()):
        shape = resolve_reference(each["schema"], document)
        text = " ".join(filter(None, (f"In the {each['in']}.", each.get("description"), describe_constraints(shape))))
        rows.append(SchemaRow(each["name"], describe_type(shape, document), bool(each.get("required")), text))
    return rows


def describe_body(operation: Operation, document: Mapping[str, Any]) -> Content | None:
    content = operation.description.get("requestBody", {}).get("content")
    return describe_content("Body", "", content, document) if content else None


def describe_answers(operation: Operation, document: Mapping[str, Any]) -> Iterator[Content]:
    for status, answer in operation.description["responses"].items():
        title = "Any other status" if status == "default" else f"Status {status}"
        yield describe_content(title, answer["description"], answer.get("content", {}), document)


def describe_content(title: str, text: str, content: Mapping[str, Any], document: Mapping[str, Any]) -> Content:
    if not content:
        return Content(title, text, "", [])
    [(media_type, about)] = content.items()
    shape = resolve_reference(about["schema"], document)
    return Content(title, text, media_type, list(list_schema_rows(shape, document)))
