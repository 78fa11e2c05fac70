"""What the OpenAPI document says of calls that go on in the background."""

from collections.abc import Callable
from typing import Any

PREFER = {
    "name": "Prefer",
    "in": "header",
    "description": "`respond-async`: answer 202 at once, with the address of the answer in `Location`; with "
    "`, wait=5`, after 5 seconds. A call that takes longer than the connection allows is answered so in any case.",
    "schema": {"type": "string"},
}
PENDING = {
    "description": "The call goes on in the background; GET the address in `Location`",
    "headers": {
        "Location": {"description": "`/v1/calls/{id}`", "schema": {"type": "string"}},
        "Retry-After": {"description": "Seconds until the next poll", "schema": {"type": "integer"}},
    },
    "content": {
        "application/json": {
            "schema": {
                "type": "object",
                "required": ["callId", "status"],
                "properties": {
                    "callId": {"type": "string"},
                    "status": {"enum": ["working", "completed", "failed", "cancelled"]},
                    "message": {"type": "string"},
                    "done": {"type": "number"},
                    "total": {"type": "number"},
                },
            }
        }
    },
}


def describe_calls(build_refusal: Callable[[str], dict[str, Any]]) -> dict[str, Any]:
    """Describe the path where the answer of a call is fetched, and the call cancelled."""
    place = {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}
    wait = {
        "name": "waitSeconds",
        "in": "query",
        "description": "Wait up to this many seconds for the answer.",
        "schema": {"type": "integer", "minimum": 0, "maximum": 25},
    }
    error = build_refusal("The error of the call, or why there is no such call")
    answer = {"description": "What the call would have answered", "content": {"application/json": {"schema": {}}}}
    get = {
        "operationId": "get_call",
        "summary": "Fetch the answer of a call",
        "parameters": [place, wait],
        "responses": {"200": answer, "202": PENDING, "410": build_refusal("The call was cancelled"), "default": error},
    }
    state = {"description": "The state of the call", "content": PENDING["content"]}
    delete = {
        "operationId": "cancel_call",
        "summary": "Cancel a call; one that has ended stays as it is",
        "parameters": [place],
        "responses": {"200": state, "default": error},
    }
    return {"/v1/calls/{id}": {"get": get, "delete": delete}}
