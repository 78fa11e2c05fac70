"""docs/installation.md: how to install Assay in each host."""

import json

from infra.publishing import manifests
from infra.scripts.generate.markdown import NOTICE, format_table

TEXT = """{notice}

# Installation in assistants and editors

For people who want the tools in an assistant or editor on their own machine. To connect to a server that runs elsewhere, see
[connecting](connect.md).

`{command}` installs the package `{name}` from PyPI with [uv](https://docs.astral.sh/uv/) and serves MCP on standard input and output. The
links and commands on this page need a published release. In a checkout, use the commands of the
[README](../README.md#connect-an-assistant) instead.

## With one click

Each link leads to the application, which must be installed, over a web page of its maker. The address beside it opens the application
without that page.

{links}
## By command or file

```sh
claude mcp add {name} -- {command}          # Claude Code
codex mcp add {name} -- {command}           # Codex
pipx run {name} mcp                         # the same server without uv
```

```jsonc
// Claude Desktop, Cursor, Windsurf, LM Studio and most others: mcpServers
{servers}
```

Keys of providers go into `env`, beside `args`: `"env": {{"BRAVE_API_KEY": "…"}}`. See [configuration](configuration.md) for all variables.

## Claude Desktop: bundle

`make packages` writes `dist/{name}-{version}.mcpb`. Open that file in Claude Desktop (Settings → Extensions). Claude Desktop asks for optional
keys and stores them in the system's keychain. The bundle contains the package and runs it with uv, which you must install first.

## Claude Code: plugin

```
/plugin marketplace add {repository}
/plugin install {name}@{name}
```

The plugin adds the server and two skills: research with sources, and checking citations.

## Your own server: container

Create a key, then start Assay and a SearXNG instance for its searches:

```sh
docker compose -f infra/publishing/container/compose.yaml run --rm assay key create ada   # prints the key, once
docker compose -f infra/publishing/container/compose.yaml up                              # serves http://127.0.0.1:8787
```

The container runs as user 1000, without capabilities, on a read-only file system; state is in the volume `/data`. It contains Chromium and
tesseract. `CHROME_SANDBOX` is `false` in the image, because Docker's seccomp profile blocks the user namespaces that Chromium's own sandbox
needs. Set it to `true` if your runtime allows them.

## MCP registry

For maintainers: `infra/publishing/server.json` is the entry for the [MCP registry](https://registry.modelcontextprotocol.io), named
`{registry_name}`; `mcp-publisher publish` publishes it. [Privacy](privacy.md) says which data goes to which service.
"""


def render() -> str:
    links = manifests.build_install_links()
    return TEXT.format(
        notice=NOTICE,
        name=manifests.NAME,
        version=manifests.VERSION,
        command=" ".join(manifests.COMMAND),
        links=format_table(
            ["host", "link"], [(host, f"[install]({each.page})<br>`{each.app}`") for host, each in links.items()]
        ),
        servers=json.dumps({"mcpServers": {manifests.NAME: manifests.build_stdio_server()}}),
        repository=manifests.PUBLISHER["repository"].removeprefix("https://github.com/"),
        registry_name=manifests.REGISTRY_NAME,
    )
