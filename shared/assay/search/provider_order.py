"""The providers of an operation and their order: the operator's, else the default."""

from collections.abc import Sequence

from assay.errors import ConfigError
from assay.provider_base.provider_lookup import list_provider_names
from assay.provider_base.provider_manifest import describe_provider, describe_providers
from assay.settings import Settings
from assay.text.plain_text import to_plain_text

# The default: the configured providers in this order, else the one in KEYLESS.
PREFERRED = {
    "web": ("brave", "searxng", "google", "serper", "searchapi", "tavily", "exa"),
    "news": ("brave", "searxng", "google", "serper", "searchapi", "tavily", "exa"),
    "images": ("brave", "searxng", "google", "serper", "searchapi"),
    "local": ("brave",),
    "observations": ("fred", "worldbank", "oecd", "eurostat"),
    "trials": ("clinicaltrials",),
    "cases": ("courtlistener",),
    "patents": ("searchapi", "epo", "lens", "uspto"),
    "filings": ("edgar",),
    "citations": ("semanticscholar", "openalex"),
    "academic": ("openalex", "crossref", "pubmed", "semanticscholar", "core", "exa"),
}
KEYLESS = {"web": "duckduckgo", "news": "hackernews"}
LIBRARIES = ("academic", "citations")  # a common list of web engines does not apply to these
FAMILY = ("web", "news", "images")  # the operations that SEARCH_PROVIDER sets


class Order:
    """Provider order by SEARCH_PROVIDER and SEARCH_ROUTING. Every ConfigError lists the usable alternatives."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def names(self, operation: str, provider: str | None = None) -> list[str]:
        """The providers to try, in order. Raises ConfigError for an unknown, unconfigured or unfit provider."""
        routes = self._get_routes(operation)
        forced = provider or (self._settings.search_provider if not routes and operation in FAMILY else "")
        if forced:
            return [self._check_name(forced.strip().lower(), operation)]
        for name in routes:
            describe_provider(name)
        usable = [name for name in routes or PREFERRED.get(operation, ()) if self._is_usable(name, operation)]
        if usable:
            return usable
        if routes:
            return [self._check_name(routes[0], operation)]
        if operation in KEYLESS:
            return [KEYLESS[operation]]
        raise self._build_no_provider_error(operation)

    def notices(self, operation: str, provider: str | None = None) -> list[str]:
        """Warnings about the order: unusable entries of SEARCH_ROUTING, and a fallback that covers one subject only."""
        if provider:
            return []
        routes = self._get_routes(operation)
        warnings = [self._explain_unusable(name, operation) for name in routes]
        nothing_said = not routes and not self._settings.search_provider
        if nothing_said and operation == "news" and self.names("news") == [KEYLESS["news"]]:
            warnings.append(
                f"No news provider is configured; {KEYLESS['news']} was used, which covers technology only."
            )
        return [warning for warning in warnings if warning]

    def alternatives(self, operation: str, but: Sequence[str] = ()) -> list[str]:
        """The configured providers that support the operation, sorted by name."""
        return [name for name in list_provider_names() if name not in but and self._is_usable(name, operation)]

    def general_first(self, operation: str, names: Sequence[str]) -> list[str]:
        """The same names sorted: general providers before those that cover one subject."""
        known = {*PREFERRED.get(operation, ()), "duckduckgo"}
        return sorted(names, key=lambda name: (name not in known, name))

    def _get_routes(self, operation: str) -> tuple[str, ...]:
        """The operation's own list, else the common one; outside FAMILY only providers that support it."""
        routing = self._settings.search_routing
        if own := routing.get(operation):
            return own
        shared = routing.get("default") or ()
        if operation in FAMILY:
            return shared
        able = tuple(name for name in shared if describe_provider(name).supports(operation))
        if operation in LIBRARIES and all(describe_provider(name).supports("web") for name in able):
            return ()
        return able

    def _explain_unusable(self, name: str, operation: str) -> str | None:
        source = describe_provider(name)
        if not source.is_configured(self._settings):
            return (
                f"SEARCH_ROUTING lists {name}, which is not configured "
                f"({source.required_setting(self._settings)}); skipped."
            )
        if not source.supports(operation) and self._settings.search_routing.get(operation):
            return f"SEARCH_ROUTING lists {name}, which does not support {operation}; skipped."
        return None

    def _is_usable(self, name: str, operation: str) -> bool:
        source = describe_provider(name)
        return source.supports(operation) and source.is_configured(self._settings)

    def _build_no_provider_error(self, operation: str) -> ConfigError:
        able = describe_providers(operation)
        keys = " or ".join(sorted({source.key_name for source in able if source.key_name}))
        return ConfigError(
            f"No provider for {operation} is configured; set {keys or 'the key of a provider that supports it'}.",
            provider=able[0].name if len(able) == 1 else None,
            action="check_api_key",
            alternatives=self.alternatives(operation) or [source.name for source in able if len(able) > 1],
        )

    def _check_name(self, name: str, operation: str) -> str:
        able = [source.name for source in describe_providers(operation)]
        if name not in list_provider_names():
            raise ConfigError(
                f"There is no provider called {to_plain_text(name, 40)!r}; "
                f"for {operation} use one of {', '.join(able)}.",
                field="provider",
                alternatives=able,
            )
        source = describe_provider(name)
        if not source.supports(operation):
            raise ConfigError(
                f"{name} does not support {operation}; {', '.join(able) or 'no provider'} can.",
                provider=name,
                field="provider",
                alternatives=self.alternatives(operation, [name]) or able,
            )
        if not source.is_configured(self._settings):
            raise ConfigError(
                f"{name} is not configured; set {source.required_setting(self._settings)}, or use another provider.",
                provider=name,
                field="provider",
                action="check_api_key",
                alternatives=self.alternatives(operation, [name]),
            )
        return name
