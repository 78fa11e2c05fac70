"""docs/lenses.md: the lenses that ship, from their files."""

from infra.scripts.generate.markdown import NOTICE, format_table

from assay.search.lenses import Lenses
from assay.settings import Settings

HEAD = f"""# Lenses

{NOTICE}

A lens limits a search to a named set of hosts: `{{"query": "kelp forests", "lens": "academic"}}`. Tools that search the web or the news
take one; it cannot be combined with `site`.

Add your own as JSON files and point `CUSTOM_LENSES_PATH` at the file or folder. A lens of the same name replaces a built-in one:

```json
{{
  "name": "ornithology",
  "description": "Bird research",
  "domains": ["ebird.org", "birdlife.org", {{"host": "birds.example.org/atlas", "reason": "regional atlas"}}]
}}
```

`domains` are hosts or host and path, without scheme or port. `cx` may name a Google Programmable Search engine and `goggle` the address of
a Brave Goggle; these engines then use them instead of the list of hosts.

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
