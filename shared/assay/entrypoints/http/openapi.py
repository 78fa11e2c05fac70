"""The OpenAPI 3.1 document: one path for each tool, and the REST routes, with the schemas of the tools."""

from collections.abc import Iterable
from typing import Any

from assay import __version__
from assay.entrypoints.http.openapi_calls import PENDING, PREFER, describe_calls
from assay.entrypoints.http.rest import ROUTES, Route
from assay.toolkit import tool_registry

ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["kind", "retryable", "suggestedAction", "message"],
            "properties": {
                "kind": {"type": "string"},
                "message": {"type": "string"},
                "retryable": {"type": "boolean"},
                "retryAfterSeconds": {"type": "integer"},
                "suggestedAction": {"type": "string"},
                "provider": {"type": "string"},
                "alternatives": {"type": "array", "items": {"type": "string"}},
                "field": {"type": "string"},
            },
        }
    },
}

IDEMPOTENCY_KEY = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "The call runs once, however often it is sent within 24 hours: the same request with the same key "
    "returns the stored answer, with the header `Idempotency-Replayed: true`. A failed call may be repeated.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
ONCE = {
    409: "The call with this Idempotency-Key is still running",
    422: "This Idempotency-Key was sent with another request",
}


def document(names: Iterable[str]) -> dict[str, Any]:
    """The OpenAPI document of `POST /tools/{name}` for these tools, and of their REST routes."""
    schemas: dict[str, Any] = {"Error": ERROR}
    paths = {f"/tools/{name}": {"post": _operation(name, schemas)} for name in names}
    paths |= describe_calls(build_refusal)
    for route in (route for route in ROUTES if f"/tools/{route.tool}" in paths):
        paths.setdefault(route.path, {})[route.method.lower()] = _rest(route, paths[f"/tools/{route.tool}"]["post"])
    return {
        "openapi": "3.1.0",
        "info": {"title": "Assay", "version": __version__, "description": "Research tools that show their sources."},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"key": []}, {}],
    }


def _operation(name: str, schemas: dict[str, Any]) -> dict[str, Any]:
    tool = tool_registry.find_tool(name)
    ask = hoist_definitions(tool.input_schema, f"{name}.ask", schemas)
    answer = hoist_definitions(tool.output_schema, f"{name}.answer", schemas)
    can_wait = tool.background or tool.follows is not None
    headers = [*([] if tool.read_only else [IDEMPOTENCY_KEY]), *([PREFER] if can_wait else [])]
    return {
        "operationId": name,
        "summary": tool.title,
        "description": tool.description,
        **({"parameters": headers} if headers else {}),
        "requestBody": {"required": True, "content": {"application/json": {"schema": ask}}},
        "responses": {
            "200": {"description": "The answer", "content": {"application/json": {"schema": answer}}},
            **({"202": PENDING} if can_wait else {}),
            "default": build_refusal("The error and the suggested action"),
            **({} if tool.read_only else {str(status): build_refusal(words) for status, words in ONCE.items()}),
        },
    }


def build_refusal(words: str) -> dict[str, Any]:
    return {
        "description": words,
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }


def _rest(route: Route, operation: dict[str, Any]) -> dict[str, Any]:
    """The operation of a REST route: without a body, the arguments are path and query parameters."""
    refusals = {status: each for status, each in operation["responses"].items() if status != "200"}
    answer = {**refusals, str(route.status): operation["responses"]["200"]}
    own = {**operation, "operationId": f"{route.method.lower()}_{route.tool}", "responses": answer}
    if route.method == "POST":
        return own
    del own["requestBody"]
    schema = tool_registry.find_tool(route.tool).input_schema
    placed = [
        {"name": name, "in": "path", "required": True, "schema": each}
        if f"{{{name}}}" in route.path
        else {"name": name, "in": "query", "schema": each}
        for name, each in schema["properties"].items()
    ]
    own["parameters"] = [*operation.get("parameters", []), *placed]
    return own


def hoist_definitions(schema: dict[str, Any], place: str, schemas: dict[str, Any]) -> dict[str, Any]:
    """A reference to the schema, after moving it and its `$defs` to the components of the document."""
    schemas.update({f"{place}.{name}": _rewrite_refs(inner, place) for name, inner in schema.get("$defs", {}).items()})
    schemas[place] = _rewrite_refs({key: value for key, value in schema.items() if key != "$defs"}, place)
    return {"$ref": f"#/components/schemas/{place}"}


def _rewrite_refs(node: Any, place: str) -> Any:
    if isinstance(node, list):
        return [_rewrite_refs(inner, place) for inner in node]
    if not isinstance(node, dict):
        return node
    return {
        key: value.replace("#/$defs/", f"#/components/schemas/{place}.")
        if key == "$ref"
        else _rewrite_refs(value, place)
        for key, value in node.items()
    }
