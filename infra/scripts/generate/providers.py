"""docs/providers.md: which provider serves which tool and which inputs it supports, from the provider classes."""

import re
import sys

from infra.scripts.generate.markdown import NOTICE, format_table

from assay.provider_base import provider, provider_lookup
from assay.settings import Settings

TOOL_OF_OPERATION = {
    "web": "web_search",
    "images": "image_search",
    "news": "news_search",
    "local": "local_search",
    "academic": "academic_search",
    "patents": "patent_search",
    "filings": "filing_search",
    "observations": "econ_search",
    "trials": "clinical_search",
    "cases": "legal_search",
}
HEAD = f"""# Providers

{NOTICE}

For people who choose where searches go. A provider is an upstream service. Providers that require nothing work at once. `assay doctor` shows which
ones are configured, and `assay doctor --reach` sends one real request to each. [Configuration](configuration.md) describes the variables.

If a provider fails, the next one is asked; a provider that fails repeatedly is skipped for a minute. To set the order:

| setting | effect |
| --- | --- |
| `SEARCH_PROVIDER=brave` | only this provider |
| `SEARCH_ROUTING=brave,searxng` | this order |
| `SEARCH_ROUTING={{"news": "brave,exa", "default": "searxng"}}` | an order per operation (`web`, `news`, `images`, `local`, `academic`, `citations` and others) |

`OPENALEX_EMAIL` also meets the requirement of `CROSSREF_MAILTO`, `UNPAYWALL_EMAIL` and `EDGAR_CONTACT_EMAIL`.

## All providers
"""
LABEL = re.compile(r" (?=(?:Documentation|Page|Authentication|Limits): )")
NOTES = """## Documentation, authentication and limits

Limits are those that the provider documents. Its terms of use apply.
"""
MATRIX = """## Supported inputs

A dot marks an input that Assay passes to the provider, as a parameter or in its query language. The answer's `warnings` name inputs that the
provider does not support. `site` and `news_source` are always checked on every result. *Results* is the maximum number of results of one
request.
"""


def render() -> str:
    sections = "\n".join(render_operation(operation) for operation in TOOL_OF_OPERATION)
    return f"{HEAD}\n{_overview()}\n{NOTES}\n{_notes()}\n{MATRIX}\n{sections}"


def render_operation(operation: str) -> str:
    """Build one table: a row for each provider, a column for each input."""
    fields = [name for name in provider.QUERY_TYPES[operation].model_fields if name not in ("query", "num_results")]
    rows = []
    for name in provider_lookup.list_provider_names():
        source = provider_lookup.find_provider(name)
        if source.supports(operation):
            marks = ["•" if field in source.supported_filters[operation] else "" for field in fields]
            rows.append([name, _required_settings(source), str(_most(source, operation)), *marks])
    return f"### {TOOL_OF_OPERATION[operation]}\n\n{format_table(['provider', 'requires', 'results', *fields], rows)}"


def _overview() -> str:
    rows = []
    for name in provider_lookup.list_provider_names():
        source = provider_lookup.find_provider(name)
        operations = ", ".join(sorted(source.supported_filters)) or "none: tools call it directly"
        price = f"${source.price / 1_000_000:g}" if source.price else "free"
        rows.append([name, source.address, _required_settings(source) or "nothing", price, operations])
    return format_table(["provider", "address", "requires", "list price of a request", "operations"], rows)


def _notes() -> str:
    """The module docstring of each provider: upstream, documentation, authentication, limits."""
    rows = []
    for name in provider_lookup.list_provider_names():
        module = sys.modules[provider_lookup.find_provider(name).__module__]
        rows.append([name, LABEL.sub("<br>", " ".join((module.__doc__ or "").split()))])
    return format_table(["provider", "notes"], rows)


def _required_settings(source: type[provider.Provider]) -> str:
    first = source.required_setting(Settings())
    then = source.required_setting(Settings(environ={first: "x"})) if first else ""
    return " ".join(f"`{name}`" for name in dict.fromkeys((first, then)) if name)


def _most(source: type[provider.Provider], operation: str) -> int:
    limits = provider.QUERY_TYPES[operation].model_fields["num_results"].metadata
    limit = next(one.le for one in limits if hasattr(one, "le"))
    return min(int(limit), source.max_results.get(operation, int(limit)))
