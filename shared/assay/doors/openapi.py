"""The catalogue as OpenAPI 3.1: one path a tool and those of REST, with the schemas the tools themselves carry."""

from collections.abc import Iterable
from typing import Any

from assay import __version__, tools
from assay.doors.rest import ROUTES, Route

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


def document(names: Iterable[str]) -> dict[str, Any]:
    """The OpenAPI document of these tools' `POST /tools/{name}`, and of the addresses some have besides."""
    schemas: dict[str, Any] = {"Error": ERROR}
    paths = {f"/tools/{name}": {"post": _operation(name, schemas)} for name in names}
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
    tool = tools.find(name)
    ask = _hoisted(tool.input_schema, f"{name}.ask", schemas)
    answer = _hoisted(tool.output_schema, f"{name}.answer", schemas)
    return {
        "operationId": name,
        "summary": tool.title,
        "description": tool.description,
        "requestBody": {"required": True, "content": {"application/json": {"schema": ask}}},
        "responses": {
            "200": {"description": "The answer", "content": {"application/json": {"schema": answer}}},
            "default": {
                "description": "What went wrong and what to do",
                "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
            },
        },
    }


def _rest(route: Route, operation: dict[str, Any]) -> dict[str, Any]:
    """The tool's operation at an address of its own: what does not stand in a body stands in path and query."""
    answer = {str(route.status): operation["responses"]["200"], "default": operation["responses"]["default"]}
    own = {**operation, "operationId": f"{route.method.lower()}_{route.tool}", "responses": answer}
    if route.method == "POST":
        return own
    del own["requestBody"]
    schema = tools.find(route.tool).input_schema
    own["parameters"] = [
        {"name": name, "in": "path", "required": True, "schema": each}
        if f"{{{name}}}" in route.path
        else {"name": name, "in": "query", "schema": each}
        for name, each in schema["properties"].items()
    ]
    return own


def _hoisted(schema: dict[str, Any], place: str, schemas: dict[str, Any]) -> dict[str, Any]:
    """The schema with its `$defs` moved to the document's components, under names of their own."""
    schemas.update({f"{place}.{name}": _moved(inner, place) for name, inner in schema.get("$defs", {}).items()})
    schemas[place] = _moved({key: value for key, value in schema.items() if key != "$defs"}, place)
    return {"$ref": f"#/components/schemas/{place}"}


def _moved(node: Any, place: str) -> Any:
    if isinstance(node, list):
        return [_moved(inner, place) for inner in node]
    if not isinstance(node, dict):
        return node
    return {
        key: value.replace("#/$defs/", f"#/components/schemas/{place}.") if key == "$ref" else _moved(value, place)
        for key, value in node.items()
    }
