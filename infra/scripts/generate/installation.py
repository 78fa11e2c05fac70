"""docs/installation.md: how to install Assay in each host."""

import json

from infra.publishing import manifests
from infra.scripts.generate.markdown import NOTICE, format_table

TEXT = """{notice}

# Installation in assistants and editors

`{command}` installs the package `{name}` from PyPI with [uv](https://docs.astral.sh/uv/) and serves MCP on standard input and output. The
links and commands of this page need a published release; with a checkout, use the command of the
[README](../README.md#connect-an-assistant) instead.

## With one click

Links work where the host is installed. Some viewers of Markdown show no links of such schemes; copy the address then.

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

Provider keys go into `env` beside `args`; see [configuration](configuration.md).

## Claude Desktop: bundle

`make packages` writes `dist/{name}-{version}.mcpb`. Open it in Claude Desktop (Settings → Extensions). It asks for optional keys
and keeps them in the system's keychain. It runs the wheel in the bundle with uv, which has to be installed.

## Claude Code: plugin

```
/plugin marketplace add {repository}
/plugin install {name}@{name}
```

The plugin adds the server and two skills: research with sources, and the check of citations.

## Your own server: container

`docker compose -f infra/publishing/container/compose.yaml up` starts Assay with a SearXNG instance of its own on 127.0.0.1:8787.
Create a key first:

```sh
docker compose -f infra/publishing/container/compose.yaml run --rm assay key create ada
```

The container runs as user 1000, without capabilities, on a read-only file system; state is in the volume `/data`. It has Chromium and
tesseract. `CHROME_SANDBOX` is `false` in the image, because Docker's seccomp profile refuses what Chromium's own sandbox needs; where your
runtime allows user namespaces, set it to `true`.

## Directories

`infra/publishing/server.json` is the entry for the [MCP registry](https://registry.modelcontextprotocol.io)
(`mcp-publisher publish`); its name is `{registry_name}`. What is sent where is on the page about [privacy](privacy.md).
"""


def render() -> str:
    links = manifests.build_install_links()
    return TEXT.format(
        notice=NOTICE,
        name=manifests.NAME,
        version=manifests.VERSION,
        command=" ".join(manifests.COMMAND),
        links=format_table(
            ["host", "link"], [(host, f"[install]({link})<br>`{link}`") for host, link in links.items()]
        ),
        servers=json.dumps({"mcpServers": {manifests.NAME: manifests.build_stdio_server()}}),
        repository=manifests.PUBLISHER["repository"].removeprefix("https://github.com/"),
        registry_name=manifests.REGISTRY_NAME,
    )
