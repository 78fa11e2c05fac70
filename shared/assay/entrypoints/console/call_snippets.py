"""One call of a tool in the languages of its callers, to copy."""

import json
import keyword
import shlex
from collections.abc import Mapping
from typing import Any, NamedTuple


class CallSnippet(NamedTuple):
    language: str
    text: str


def write_snippets(name: str, arguments: Mapping[str, Any], base: str, *, needs_key: bool) -> list[CallSnippet]:
    """The call by curl, at the command line, in Python and over MCP, at the server with the address `base`."""
    body = json.dumps(arguments, ensure_ascii=False)
    key = ' -H "Authorization: Bearer $ASSAY_KEY"' if needs_key else ""
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}
    return [
        CallSnippet("curl", f"curl -s {base}/tools/{name}{key} -d {shlex.quote(body)}"),
        CallSnippet("Command line", f"uv run assay call {name} {shlex.quote(body)}"),
        CallSnippet("Python", write_python(name, arguments, base, needs_key=needs_key)),
        CallSnippet("MCP", json.dumps(message, ensure_ascii=False, indent=2)),
    ]


def write_python(name: str, arguments: Mapping[str, Any], base: str, *, needs_key: bool) -> str:
    """The call with the client for programs without an event loop."""
    are_plain = all(one.isidentifier() and not keyword.iskeyword(one) for one in arguments)
    given = ", ".join(f"{one}={value!r}" for one, value in arguments.items()) if are_plain else f"**{dict(arguments)!r}"
    lines = ["from assay.sync import Client", ""]
    if needs_key:
        lines = ["import os", "", *lines]
    client = f'Client({base!r}, key=os.environ["ASSAY_KEY"])' if needs_key else f"Client({base!r})"
    return "\n".join([*lines, f"with {client} as assay:", f"    print(assay.{name}({given}))"])
