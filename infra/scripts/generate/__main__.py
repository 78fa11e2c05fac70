"""Generate the documentation: `python -m infra.scripts.generate` writes it, `--check` compares it with the files."""

import sys
from collections.abc import Callable
from pathlib import Path

from infra.publishing import manifests
from infra.scripts.generate import configuration, connect, costs, installation, lenses, providers, tools

from assay.provider_base.provider_manifest import build_manifest

ROOT = Path(__file__).parents[3]
PAGES: dict[str, Callable[[], str]] = {
    ".claude-plugin/marketplace.json": lambda: manifests.format_json(manifests.build_marketplace()),
    "docs/configuration.md": configuration.render,
    "docs/connect.md": connect.render,
    "docs/costs.md": costs.render_costs,
    "docs/installation.md": installation.render,
    "docs/lenses.md": lenses.render,
    "docs/limits.md": costs.render_limits,
    "docs/providers.md": providers.render,
    "docs/tools.md": tools.render,
    "infra/publishing/claude_plugin/.claude-plugin/plugin.json": lambda: manifests.format_json(
        manifests.build_plugin()
    ),
    "infra/publishing/server.json": lambda: manifests.format_json(manifests.build_registry_entry()),
    "shared/assay/providers/manifest.json": build_manifest,
}


def find_stale(root: Path = ROOT) -> dict[str, str]:
    """Return the outdated pages by path, with their new text."""
    pages = {path: render() for path, render in PAGES.items()}
    return {path: text for path, text in pages.items() if not _matches(root / path, text)}


def _matches(path: Path, text: str) -> bool:
    return path.exists() and path.read_text() == text


def main() -> int:
    stale = find_stale()
    if "--check" in sys.argv:
        for path in stale:
            print(f"{path} is out of date: run `make generate`.", file=sys.stderr)
        return 1 if stale else 0
    for path, text in stale.items():
        (ROOT / path).write_text(text)
        print(f"wrote {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
