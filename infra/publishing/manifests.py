"""The manifests of the package registries and hosts, from one description of the project.

Formats: server.json 2025-12-11 of the MCP registry, manifest 0.3 of MCP bundles, plugins of Claude Code.
"""

import base64
import json
import tomllib
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from assay.entrypoints.http.client_setup import build_cursor_link, build_vscode_link
from assay.settings.variables import VARIABLES, Variable

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
NAME, VERSION = PROJECT["project"]["name"], PROJECT["project"]["version"]
DESCRIPTION, LICENSE = PROJECT["project"]["description"], PROJECT["project"]["license"]
PUBLISHER = PROJECT["tool"]["assay"]["publisher"]
REGISTRY_NAME = f"{PUBLISHER['namespace']}/{NAME}"
TITLE = "Assay"
SUMMARY = "Research tools that show their sources, and check whether citations exist and say what is claimed."
COMMAND = ("uvx", NAME, "mcp")
# What a newcomer may want to set at installation; everything else is in docs/configuration.md. None is required.
OFFERED = (
    "OPENALEX_EMAIL",
    "CROSSREF_MAILTO",
    "BRAVE_API_KEY",
    "TAVILY_API_KEY",
    "SEARXNG_URL",
    "SEMANTIC_SCHOLAR_API_KEY",
    "COURTLISTENER_API_TOKEN",
    "FRED_API_KEY",
    "GITHUB_TOKEN",
)


def list_offered_variables() -> list[Variable]:
    """The variables that installers ask for, in the order of OFFERED. All are optional."""
    declared = {variable.name: variable for variable in VARIABLES}
    return [declared[name] for name in OFFERED]


def build_registry_entry() -> dict[str, Any]:
    """server.json for the MCP registry; the README's `mcp-name` comment proves the ownership of the package."""
    return {
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": REGISTRY_NAME,
        "title": TITLE,
        "description": SUMMARY,
        "version": VERSION,
        "repository": {"url": PUBLISHER["repository"], "source": "github"},
        "packages": [
            {
                "registryType": "pypi",
                "registryBaseUrl": "https://pypi.org",
                "identifier": NAME,
                "version": VERSION,
                "runtimeHint": "uvx",
                "transport": {"type": "stdio"},
                "packageArguments": [{"type": "positional", "value": "mcp"}],
                "environmentVariables": [
                    {
                        "name": variable.name,
                        "description": variable.description,
                        "isRequired": False,
                        "isSecret": variable.secret,
                    }
                    for variable in list_offered_variables()
                ],
            }
        ],
    }


def build_bundle_manifest(wheel: str) -> dict[str, Any]:
    """manifest.json of the bundle (.mcpb), which runs the contained wheel with uv."""
    return {
        "manifest_version": "0.3",
        "name": NAME,
        "display_name": TITLE,
        "version": VERSION,
        "description": SUMMARY,
        "author": {"name": PUBLISHER["name"]},
        "repository": {"type": "git", "url": PUBLISHER["repository"]},
        "documentation": f"{PUBLISHER['repository']}/blob/main/docs/guide.md",
        "privacy_policies": [f"{PUBLISHER['repository']}/blob/main/docs/privacy.md"],
        "license": LICENSE,
        "keywords": ["research", "citations", "search", "scholarly", "fact-checking"],
        "server": {
            "type": "python",
            "entry_point": f"server/{wheel}",
            "mcp_config": {
                "command": "uv",
                "args": ["tool", "run", "--from", "${__dirname}/server/" + wheel, NAME, "mcp"],
                "env": {variable.name: "${user_config." + variable.name + "}" for variable in list_offered_variables()},
            },
        },
        "tools_generated": True,
        "user_config": {
            variable.name: {
                "type": "string",
                "title": variable.name,
                "description": variable.description,
                "sensitive": variable.secret,
                "required": False,
                "default": "",
            }
            for variable in list_offered_variables()
        },
        "compatibility": {"platforms": ["darwin", "linux", "win32"], "runtimes": {"python": ">=3.13"}},
    }


def build_plugin() -> dict[str, Any]:
    """plugin.json of the plugin for Claude Code, whose skills and server are beside it."""
    return {
        "name": NAME,
        "version": VERSION,
        "description": SUMMARY,
        "author": {"name": PUBLISHER["name"]},
        "repository": PUBLISHER["repository"],
        "license": LICENSE,
        "mcpServers": {NAME: build_stdio_server()},
    }


def build_marketplace() -> dict[str, Any]:
    """marketplace.json, by which `/plugin marketplace add` finds the plugin in this repository."""
    source = "./infra/publishing/claude_plugin"
    return {
        "name": NAME,
        "owner": {"name": PUBLISHER["name"]},
        "plugins": [{"name": NAME, "source": source, "description": SUMMARY}],
    }


def build_stdio_server() -> dict[str, Any]:
    """The server in the form that `mcpServers` of most hosts has."""
    return {"command": COMMAND[0], "args": list(COMMAND[1:])}


class InstallLinks(NamedTuple):
    """Two links that install the server in a host: `app` opens it, `page` does so over a page of its maker.

    GitHub and other viewers of Markdown show web links only.
    """

    page: str
    app: str


def build_install_links() -> dict[str, InstallLinks]:
    """The links by host that install the server there."""
    server = build_stdio_server()
    encoded = quote(base64.b64encode(json.dumps(server).encode()).decode(), safe="")
    fields, plain = f"name={NAME}&config={encoded}", f"name={NAME}&config={quote(json.dumps(server), safe='')}"
    return {
        "Cursor": InstallLinks(f"https://cursor.com/en/install-mcp?{fields}", build_cursor_link(server)),
        "VS Code": InstallLinks(f"https://vscode.dev/redirect/mcp/install?{plain}", build_vscode_link(server)),
        "LM Studio": InstallLinks(f"https://lmstudio.ai/install-mcp?{fields}", f"lmstudio://add_mcp?{fields}"),
    }


def format_json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
