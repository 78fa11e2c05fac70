"""The endpoints of administration in the OpenAPI document."""

from typing import Any

from assay.administration.admin_endpoints import ENDPOINTS, AdminEndpoint
from assay.entrypoints.http.openapi import build_refusal, hoist_definitions
from assay.toolkit.json_schema import compact

SECURITY = [{"adminKey": []}, {"key": ["admin"]}]


def add_endpoints(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the endpoints and the schemas of their inputs and answers."""
    components = document["components"]
    for endpoint in ENDPOINTS:
        operations = document["paths"].setdefault(endpoint.path, {})
        operations[endpoint.method.lower()] = _describe(endpoint, components["schemas"])
    components["securitySchemes"]["adminKey"] = {"type": "apiKey", "in": "header", "name": "X-Admin-Key"}
    return document


def _describe(endpoint: AdminEndpoint, schemas: dict[str, Any]) -> dict[str, Any]:
    tool, media_type = endpoint.tool, endpoint.media_type or "application/json"
    answer: dict[str, Any] = {"type": "string"}
    if not endpoint.media_type:
        shape = compact(tool.answer.model_json_schema(mode="serialization", by_alias=True))
        answer = hoist_definitions(shape, f"admin.{tool.name}.answer", schemas)
    operation: dict[str, Any] = {
        "operationId": f"admin_{tool.name}",
        "summary": tool.title,
        "description": tool.description,
        "security": SECURITY,
        "responses": {
            "200": {"description": "The answer", "content": {media_type: {"schema": answer}}},
            "default": build_refusal("The error and the suggested action"),
        },
    }
    if endpoint.method == "POST":
        ask = hoist_definitions(tool.input_schema, f"admin.{tool.name}.ask", schemas)
        return operation | {"requestBody": {"required": True, "content": {"application/json": {"schema": ask}}}}
    required = tool.input_schema.get("required", ())
    parameters = [
        {"name": name, "in": "query", "required": name in required, "schema": schema}
        for name, schema in tool.input_schema["properties"].items()
    ]
    return operation | {"parameters": parameters}
