"""docs/configuration.md: every environment variable, from the declarations in `assay.settings`."""

import re
from dataclasses import Field
from functools import cache
from pathlib import Path
from typing import Any

from infra.scripts.generate.markdown import NOTICE, format_table

import assay
from assay.settings import Settings
from assay.settings.declaration import list_settings
from assay.settings.parsers import parse_isolation, parse_seconds
from assay.settings.variables import PATTERNS, VARIABLES

PACKAGE = Path(assay.__file__).parent
DURATIONS = ((86_400, "d"), (3600, "h"), (60, "m"), (1, "s"))

HEAD = f"""# Configuration

{NOTICE}

For everyone who runs Assay. Every setting is an environment variable, and none is required to start. On a laptop, set them in the shell or a
process manager. On AWS, put them into one SSM SecureString as a JSON object, and name it with the template's parameter `SettingsParameter`.
`assay doctor` shows which variables are set, which are missing, and which tools that affects.

Durations are written as `90s`, `15m`, `4h` or `30d`. "Read by" names the packages or modules of `shared/assay` that use the variable.

## Settings
"""


def render() -> str:
    settings_table = format_table(
        ["variable", "default", "unit", "read by", "description"],
        [_row(one) for one in sorted(list_settings(Settings), key=lambda one: one.metadata["variable"])],
    )
    keys = format_table(
        ["variable", "secret", "read by", "description"],
        [
            [f"`{one.name}`", "secret" if one.secret else "", _readers(one.name, f'"{one.name}"'), one.description]
            for one in sorted(VARIABLES, key=lambda one: one.name)
        ],
    )
    patterns = format_table(["variable", "description"], [[f"`{name}`", text] for name, text in PATTERNS.items()])
    return (
        f"{HEAD}\n{settings_table}\n"
        "With `ASSAY_TABLE`, these limits have other defaults: "
        f"{_shared_defaults()}.\n\n"
        "## Credentials, contacts and addresses\n\n"
        "Secrets are never logged, printed or shown by `assay doctor`. Some services ask clients to identify themselves: set a "
        f"contact address for them, such as `OPENALEX_EMAIL`.\n\n{keys}\n## Names with a variable part\n\n{patterns}"
    )


def _row(one: Field[Any]) -> list[str]:
    metadata = one.metadata
    return [
        f"`{metadata['variable']}`",
        _default(one),
        metadata["unit"],
        _readers(one.name, rf"(?:settings|kept)\.{one.name}\b"),
        metadata["description"],
    ]


def _default(one: Field[Any]) -> str:
    if one.name in ("home", "readers"):
        return "see description"
    value = getattr(Settings(), one.name)
    if value in (None, "", (), {}, frozenset(), (0, 0)):
        return ""
    if one.metadata["parse"] is parse_seconds:
        return next(f"{value // size}{unit}" for size, unit in DURATIONS if value % size == 0)
    if one.metadata["parse"] is parse_isolation:
        return "tenant"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _shared_defaults() -> str:
    return ", ".join(
        f"`{one.metadata['variable']}` {one.metadata['shared_default']}"
        for one in list_settings(Settings)
        if one.metadata["shared_default"] is not None
    )


def _readers(word: str, pattern: str) -> str:
    """Return the packages or modules of `assay` whose code matches; `word` is part of every match, and found faster."""
    readers = {name for name, text in _sources() if word in text and re.search(pattern, text)}
    return ", ".join(f"`{name}`" for name in sorted(readers))


@cache
def _sources() -> list[tuple[str, str]]:
    """Name and text of every module outside `settings`; a module of a package counts as that package, but for the flat ones."""
    modules = []
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        if parts[0] != "settings":
            name = "/".join(parts[:2]) if parts[0] in ("tools", "providers") else parts[0]
            modules.append((name, path.read_text()))
    return modules
