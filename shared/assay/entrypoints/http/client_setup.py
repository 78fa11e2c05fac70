"""How each client connects to a server over HTTP, for the page of the console and for docs/connect.md."""

import base64
import json
from typing import NamedTuple
from urllib.parse import quote

from assay.oauth.server_addresses import MCP_PATH, SEARCH_PATH

NAME = "assay"


class ClientSetup(NamedTuple):
    """What to do in a client, and the lines to copy. `link` installs the server there with one click."""

    client: str
    how: str
    text: str
    language: str = ""
    link: str = ""


def list_client_setups(base: str) -> list[ClientSetup]:
    """The clients that connect to the server at the address `base`, which has no final slash."""
    url = base + MCP_PATH
    servers = json.dumps({"mcpServers": {NAME: {"url": url}}})
    return [
        ClientSetup("Claude Code", "In a terminal:", f"claude mcp add --transport http {NAME} {url}", "sh"),
        ClientSetup("claude.ai and its apps", "Settings → Connectors → Add custom connector:", url),
        ClientSetup(
            "ChatGPT",
            "Settings → Apps & Connectors → Advanced settings → Developer mode, then Create. "
            f"For deep research the address ends with {SEARCH_PATH}.",
            url,
        ),
        ClientSetup("Cursor", "~/.cursor/mcp.json:", servers, "json", build_cursor_link({"url": url})),
        ClientSetup(
            "VS Code",
            ".vscode/mcp.json:",
            json.dumps({"servers": {NAME: {"type": "http", "url": url}}}),
            "json",
            build_vscode_link({"type": "http", "url": url}),
        ),
        ClientSetup("Codex", "~/.codex/config.toml:", f'[mcp_servers.{NAME}]\nurl = "{url}"', "toml"),
        ClientSetup(
            "Gemini CLI", "~/.gemini/settings.json:", json.dumps({"mcpServers": {NAME: {"httpUrl": url}}}), "json"
        ),
        ClientSetup("Windsurf, LM Studio and others", "Their file of MCP servers:", servers, "json"),
        ClientSetup(
            "Python",
            "With the package assay:",
            f'from assay.sync import Client\n\nwith Client("{base}") as assay:\n'
            '    print(assay.web_search(query="otters sea kelp"))',
            "python",
        ),
        ClientSetup("Command line", "Shows a code, and the page to confirm it on:", f"uv run assay login {base}", "sh"),
        ClientSetup(
            "HTTP",
            "With a key:",
            f'curl -s {base}/tools/web_search -H "Authorization: Bearer $ASSAY_KEY" '
            '-d \'{"query": "otters sea kelp"}\'',
            "sh",
        ),
    ]


def build_cursor_link(server: dict[str, object]) -> str:
    """The link that adds the server to Cursor."""
    encoded = quote(base64.b64encode(json.dumps(server).encode()).decode(), safe="")
    return f"cursor://anysphere.cursor-deeplink/mcp/install?name={NAME}&config={encoded}"


def build_vscode_link(server: dict[str, object]) -> str:
    """The link that adds the server to VS Code."""
    return f"vscode:mcp/install?{quote(json.dumps({'name': NAME, **server}), safe='')}"
