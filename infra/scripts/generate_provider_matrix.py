"""PROVIDERS.md, written from what each provider says it honours: `matrix.py` writes it, `--check` only compares."""

import sys
from pathlib import Path

from assay.provider_base import provider
from assay.settings import Settings

PAGE = Path(__file__).parents[1] / "PROVIDERS.md"
NAMED = {
    "web": "web_search",
    "images": "image_search",
    "news": "news_search",
    "local": "local_search",
    "patents": "patent_search",
    "filings": "filing_search",
    "observations": "econ_search",
    "trials": "clinical_search",
    "cases": "legal_search",
    "academic": "academic_search",
}
HEAD = """# Who honours what

Written by `infra/scripts/generate_provider_matrix.py`; do not edit.
A dot is an input that the provider is asked for, in a parameter of its own
or in its words for searching; one that it cannot honour is named in the answer's `warnings`. `site` and `news_source`
are checked on every result besides. *Results* is how many come at a time at most, *set* what makes the provider usable.
"""


def page() -> str:
    return "\n".join([HEAD, *(section(operation) for operation in NAMED)])


def section(operation: str) -> str:
    """One table: a row for each provider that can be asked, a column for each input."""
    fields = [name for name in provider.QUERY_TYPES[operation].model_fields if name not in ("query", "num_results")]
    lines = [f"## {NAMED[operation]}\n", _row(["provider", "set", "results", *fields])]
    lines.append(_row(["---"] * 3 + [":-:"] * len(fields)))
    for name in provider.provider_names():
        source = provider.find_provider(name)
        if source.supports(operation):
            honoured = source.supported_filters[operation]
            marks = ["•" if field in honoured else "" for field in fields]
            lines.append(_row([name, _needs(source), str(_most(source, operation)), *marks]))
    return "\n".join(lines) + "\n"


def _needs(source: type[provider.Provider]) -> str:
    first = source.required_setting(Settings())
    then = source.required_setting(Settings(environ={first: "x"})) if first else ""
    return " ".join(f"`{name}`" for name in dict.fromkeys((first, then)) if name)


def _most(source: type[provider.Provider], operation: str) -> int:
    limits = provider.QUERY_TYPES[operation].model_fields["num_results"].metadata
    asked = next(limit.le for limit in limits if hasattr(limit, "le"))
    return min(int(asked), source.max_results.get(operation, int(asked)))


def _row(cells: list[str]) -> str:
    return f"| {' | '.join(cells)} |"


def main() -> int:
    if PAGE.exists() and PAGE.read_text() == page():
        return 0
    if "--check" in sys.argv:
        print(
            "PROVIDERS.md is behind the providers: run `uv run infra/scripts/generate_provider_matrix.py`.",
            file=sys.stderr,
        )
        return 1
    PAGE.write_text(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
