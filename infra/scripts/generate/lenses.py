"""docs/lenses.md: the lenses that ship, from their files."""

from infra.scripts.generate.markdown import NOTICE, format_table

from assay.search.lenses import Lenses
from assay.settings import Settings

HEAD = f"""# Lenses

{NOTICE}

For people who search, and for operators who add lenses. A lens limits a search to a named set of hosts:
`{{"query": "kelp forests", "lens": "academic"}}`. Tools that search the web or the news take the input `lens`. It cannot be combined with `site`.

## Add a lens

Write a JSON file, and set `CUSTOM_LENSES_PATH` to the file or its folder. A lens with the name of a built-in one replaces it:

```json
{{
  "name": "ornithology",
  "description": "Bird research",
  "domains": ["ebird.org", "birdlife.org", {{"host": "birds.example.org/atlas", "reason": "regional atlas"}}]
}}
```

Each of the `domains` is a host, or a host with a path, without scheme and port. `cx` can name an engine of Google Programmable Search, and `goggle`
the address of a Brave Goggle. Google or Brave then uses it instead of the list of hosts.

## Built-in lenses
"""


def render() -> str:
    lenses = Lenses(Settings())
    rows = []
    for name in lenses.names():
        lens = lenses.find(name)
        hosts = ", ".join(lens.domains[:6]) + (f" and {len(lens.domains) - 6} more" if len(lens.domains) > 6 else "")
        rows.append([f"`{name}`", lens.description, str(len(lens.domains)), hosts])
    return f"{HEAD}\n{format_table(['lens', 'for', 'hosts', 'such as'], rows)}"
