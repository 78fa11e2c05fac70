"""Configuration. This module is the only reader of the environment.

Each setting is declared once, as a field of `Settings` with its variable, default, parser and description; the
reference in docs/configuration.md is generated from these declarations.
"""

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from assay.errors import ConfigError

TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off"}
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
LEVEL_ALIASES = {"WARN": "WARNING", "FATAL": "CRITICAL"}
MEBIBYTE = 1024 * 1024

type Requirements = tuple[tuple[str, ...], ...]  # sets of variables, one of which must be set
type Parser = Callable[[str], Any]  # the text of a variable to its value; raises ValueError that says what to set


def environment() -> Mapping[str, str]:
    """The environment variables of the process."""
    return os.environ


def setting(
    variable: str, default: Any, parse: Parser, description: str, *, unit: str = "", shared_default: Any = None
) -> Any:
    """A field of `Settings` that the environment variable `variable` sets.

    An unset or empty variable means `default`; `shared_default` replaces it where a DynamoDB table is configured,
    because other callers share that deployment.
    """
    metadata = {
        "variable": variable,
        "parse": parse,
        "description": description,
        "unit": unit,
        "shared_default": shared_default,
    }
    shown = parse is not parse_secret
    if isinstance(default, dict):
        return field(default_factory=lambda: default, metadata=metadata, repr=shown)
    return field(default=default, metadata=metadata, repr=shown)


def parse_text(value: str) -> str:
    return value


def parse_secret(value: str) -> str:
    """A credential: it is left out of representations, logs and documents."""
    return value


def parse_lower(value: str) -> str:
    return value.lower()


def parse_path(value: str) -> Path:
    return Path(value).expanduser()


def parse_flag(value: str) -> bool:
    word = value.lower()
    if word not in TRUE | FALSE:
        raise ValueError("set it to true or false")
    return word in TRUE


def parse_level(value: str) -> str:
    level = LEVEL_ALIASES.get(value.upper(), value.upper())
    if level not in LEVELS:
        raise ValueError(f"set it to one of {', '.join(LEVELS)}")
    return level


def parse_list(value: str) -> tuple[str, ...]:
    return tuple(word.strip().lower() for word in value.split(",") if word.strip())


def integer(minimum: int = 0) -> Parser:
    """A parser of whole numbers from `minimum` up."""

    def parse(value: str) -> int:
        try:
            number = int(value)
        except ValueError:
            number = minimum - 1
        if number < minimum:
            raise ValueError(f"set it to a whole number from {minimum} up")
        return number

    return parse


def choice(*words: str) -> Parser:
    """A parser that accepts one of `words`, in any case."""

    def parse(value: str) -> str:
        if value.lower() not in words:
            raise ValueError(f"set it to {' or '.join(words)}, or unset it")
        return value.lower()

    return parse


def parse_duration(text: str) -> int:
    """Seconds of `7d`, `4h`, `90m`, `1h30m`, `7200s` or `7200`; 0 for any other text."""
    match = re.fullmatch(r"(?:(\d{1,5})d)?(?:(\d{1,6})h)?(?:(\d{1,8})m)?(?:(\d{1,9})s?)?", text.strip().lower())
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups()) if match else (0, 0, 0, 0)
    return days * 86_400 + hours * 3_600 + minutes * 60 + seconds


def parse_seconds(value: str) -> int:
    if (seconds := parse_duration(value)) < 1:
        raise ValueError("set it to a time, such as 4h")
    return seconds


def parse_dollars(value: str) -> int:
    """Dollars as micro-dollars."""
    try:
        amount = Decimal(value.removeprefix("$"))
    except InvalidOperation:
        amount = Decimal(-1)
    if not amount.is_finite() or not 0 <= amount <= 1_000_000:
        raise ValueError("set it to dollars, such as 0.50")
    return int(amount * 1_000_000)


def parse_routing(value: str) -> dict[str, tuple[str, ...]]:
    """Providers in order, per operation: `brave,searxng`, or `{"news": "brave", "default": "brave,searxng"}`."""
    if not value.startswith("{"):
        return {"default": parse_list(value)}
    try:
        return {operation: parse_list(names) for operation, names in json.loads(value).items()}
    except (ValueError, AttributeError):
        sentence = 'set it to a list such as "brave,searxng" or an object such as {"web": "brave"}'
    raise ValueError(sentence)


def parse_isolation(value: str) -> bool:
    return value != "shared"


@dataclass(frozen=True)
class Variable:
    """An environment variable that is read where it is needed, as text: a credential, a contact or an address."""

    name: str
    description: str
    secret: bool = False


VARIABLES = (
    Variable("ASSAY_SETTINGS", "ssm:/parameter/name of a SecureString with more settings as a JSON object (AWS)."),
    Variable(
        "ASSAY_ENCRYPTION_KEY", "Key of the local state, 64 hexadecimal digits; default: a key file.", secret=True
    ),
    Variable("ASSAY_ENCRYPTION_KEY_PREV", "The former key, still accepted for reading.", secret=True),
    Variable(
        "ALLOWED_ORIGINS", "Web origins whose pages may call the server from a browser (CORS), separated by commas."
    ),
    Variable("SSL_CERT_FILE", "PEM file of certificate authorities to trust instead of the system's."),
    Variable("HTTP_TIMEOUT_MS", "Time limit in ms of one request of the JSON tools."),
    Variable("AUTHORITY_HINTS_JSON", 'Weights of domains for `dedupe_rank`, such as {"who.int": 2.0}.'),
    Variable("ENABLE_OCR", "`1` lets `pdf_extract` read scanned pages with tesseract."),
    Variable("OCR_LANGUAGES", "tesseract languages joined by +; default eng."),
    Variable("LLM_BASE_URL", "OpenAI-compatible endpoint of the model; may be a private address."),
    Variable("LLM_MODEL", "Name of the model; without LLM_BASE_URL a model or profile of Amazon Bedrock."),
    Variable("LLM_API_KEY", "Key of the model's endpoint.", secret=True),
    Variable("OPENALEX_EMAIL", "Contact for OpenAlex; other scholarly services use it unless theirs is set."),
    Variable("OPENALEX_API_KEY", "OpenAlex: ten times the free requests a day.", secret=True),
    Variable("CROSSREF_MAILTO", "Contact for Crossref; `crossref_search` requires it."),
    Variable("CROSSREF_EMAIL", "Another name of CROSSREF_MAILTO."),
    Variable("UNPAYWALL_EMAIL", "Contact for Unpaywall, which finds open copies."),
    Variable("PUBMED_EMAIL", "Contact for PubMed."),
    Variable("PUBMED_API_KEY", "PubMed: four times the requests a second.", secret=True),
    Variable("SEMANTIC_SCHOLAR_API_KEY", "Semantic Scholar: more requests a second.", secret=True),
    Variable("CORE_API_KEY", "CORE: more than 100 requests a day.", secret=True),
    Variable("EDGAR_CONTACT_EMAIL", "Contact that the SEC demands; `filing_search` requires it or OPENALEX_EMAIL."),
    Variable("COURTLISTENER_API_TOKEN", "CourtListener: more requests.", secret=True),
    Variable("FRED_API_KEY", "Federal Reserve Economic Data.", secret=True),
    Variable("USPTO_API_KEY", "United States Patent and Trademark Office.", secret=True),
    Variable("LENS_API_TOKEN", "Lens.org patents.", secret=True),
    Variable("EPO_OPS_CONSUMER_KEY", "European Patent Office; with EPO_OPS_CONSUMER_SECRET.", secret=True),
    Variable("EPO_OPS_CONSUMER_SECRET", "See EPO_OPS_CONSUMER_KEY.", secret=True),
    Variable("SEARXNG_URL", "Your SearXNG instance, with its JSON format enabled."),
    Variable("SEARXNG_BASE_URL", "Another name of SEARXNG_URL."),
    Variable("SEARXNG_BASIC_AUTH", "user:password of the SearXNG instance.", secret=True),
    Variable("SEARXNG_HEADERS", 'More headers for SearXNG: "Name: value, Name2: value2".', secret=True),
    Variable("BRAVE_API_KEY", "Brave Search: web, news, images, places.", secret=True),
    Variable("BRAVE_EXTRA_SNIPPETS", "`1` asks Brave for more snippets; some plans refuse it."),
    Variable("GOOGLE_CUSTOM_SEARCH_API_KEY", "Google Programmable Search; with GOOGLE_CUSTOM_SEARCH_ID.", secret=True),
    Variable("GOOGLE_CUSTOM_SEARCH_ID", "Engine id of Google Programmable Search."),
    Variable("SERPER_API_KEY", "Serper: Google results.", secret=True),
    Variable("SEARCHAPI_API_KEY", "SearchApi: Google results.", secret=True),
    Variable("TAVILY_API_KEY", "Tavily: search and answers.", secret=True),
    Variable("EXA_API_KEY", "Exa: search, answers and structured search.", secret=True),
    Variable("JINA_API_KEY", "Jina's reader; needs JINA_READER_ENABLED.", secret=True),
    Variable("GITHUB_TOKEN", "GitHub: code search and more requests.", secret=True),
    Variable("BRANDFETCH_API_KEY", "Brandfetch: logos, colours, profiles.", secret=True),
    Variable("BRANDFETCH_CLIENT_ID", "Brandfetch: companies by name."),
    Variable("IA_ACCESS_KEY", "Internet Archive account; with IA_SECRET_KEY. More captures a minute.", secret=True),
    Variable("IA_SECRET_KEY", "See IA_ACCESS_KEY.", secret=True),
)
# Variables whose names contain the name of a provider or a tool.
PATTERNS = {
    "<PROVIDER>_BASE_URL": "Base URL of a provider, such as a proxy; may be a private address.",
    "<TOOL>_ALLOW_LOCAL": "`1` lets HTTP_FETCH, ROBOTS_CHECK or RSS_FETCH reach private addresses; ignored on Lambda.",
}
SYSTEM = frozenset({"PATH", "LD_LIBRARY_PATH", "TESSDATA_PREFIX"})
_DECLARED = SYSTEM | {variable.name for variable in VARIABLES}
_DERIVED = re.compile(r"[A-Z0-9]+(?:_[A-Z0-9]+)*_(?:BASE_URL|ALLOW_LOCAL)")


@dataclass(frozen=True)
class Settings:
    """All settings. `key` reads credentials and addresses of upstreams, which stay in `environ`."""

    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    on_lambda: bool = False
    home: Path = setting(
        "ASSAY_HOME",
        Path("/nonexistent"),
        parse_path,
        "Folder of the local state; the default is $XDG_DATA_HOME/assay or ~/.local/share/assay, on Lambda /tmp/assay.",
    )
    table_name: str = setting("ASSAY_TABLE", "", parse_text, "DynamoDB table; setting it selects AWS for all state.")
    bucket_name: str = setting("ASSAY_BUCKET", "", parse_text, "S3 bucket for large values and reports.")
    queue_url: str = setting("ASSAY_QUEUE", "", parse_text, "SQS queue of crawls.")
    api_keys: str = setting(
        "ASSAY_API_KEYS",
        "",
        parse_secret,
        "Accepted API keys: JSON entries with SHA-256 digests, or ssm:/parameter/name. Required to listen beyond "
        "loopback.",
    )
    unconfigured_tools: str = setting(
        "ASSAY_UNCONFIGURED_TOOLS",
        "hide",
        choice("hide", "show"),
        "Whether tools that lack configuration are listed, then with the reason, or not at all.",
    )
    toolset: str = setting("ASSAY_TOOLSET", "all", parse_text, "Toolset that MCP lists when the client names none.")
    search_provider: str = setting(
        "SEARCH_PROVIDER", "", parse_lower, "The one provider to search with; empty means all configured ones in order."
    )
    search_routing: Mapping[str, tuple[str, ...]] = setting(
        "SEARCH_ROUTING",
        {},
        parse_routing,
        "Fail-over order of providers: a list, or a JSON object with one list per operation.",
    )
    search_thin_threshold: int = setting(
        "SEARCH_THIN_THRESHOLD",
        1,
        integer(),
        "Queries that return at most this many results are retried once without stop words.",
        unit="results",
    )
    search_second_opinion: str = setting(
        "SEARCH_SECOND_OPINION",
        "free",
        choice("free", "none", "all"),
        "Which providers are queried after an empty result: free (at most one that costs nothing), none, or all "
        "(every provider in the order, paid ones included).",
    )
    contact: str = setting(
        "ASSAY_CONTACT",
        "",
        parse_text,
        "Address or URL at which the operator can be reached; sent to Wikimedia, whose policy demands it. The default "
        "is the first of OPENALEX_EMAIL, CROSSREF_MAILTO, UNPAYWALL_EMAIL and EDGAR_CONTACT_EMAIL.",
    )
    search_hedge_ms: int = setting(
        "SEARCH_HEDGE_MS",
        0,
        integer(),
        "After this time the next provider is queried in parallel; 0 turns it off.",
        unit="ms",
    )
    lenses_path: Path | None = setting(
        "CUSTOM_LENSES_PATH",
        None,
        parse_path,
        "File or folder of JSON lenses that extend or replace the built-in ones.",
    )
    allow_private_ips: bool = setting(
        "ALLOW_PRIVATE_IPS",
        False,
        parse_flag,
        "Allows callers' URLs to reach private and loopback addresses. For tests; rejected on Lambda.",
    )
    allowed_domains: tuple[str, ...] = setting(
        "ALLOWED_DOMAINS", (), parse_list, "If set, the only domains that callers' URLs may reach."
    )
    scrape_concurrency: int = setting(
        "MAX_SCRAPE_CONCURRENCY", 64, integer(1), "Pages fetched at the same time.", unit="pages"
    )
    readers: int = setting(
        "ASSAY_READERS",
        1,
        integer(1),
        "Processes in which the local server parses pages; the default is the number of processors.",
        unit="processes",
    )
    max_html_bytes: int = setting(
        "MAX_HTML_BYTES", 8 * MEBIBYTE, integer(1024), "Largest HTML page that is read.", unit="bytes"
    )
    max_document_bytes: int = setting(
        "MAX_DOCUMENT_BYTES", 50 * MEBIBYTE, integer(1024), "Largest document that is read.", unit="bytes"
    )
    cache_memory_mb: int = setting("CACHE_MAX_MEMORY_MB", 64, integer(), "Memory cache of this process.", unit="MiB")
    link_bytes: int = setting(
        "LINK_BYTES",
        24 * 1024,
        integer(1),
        "From this size on, the answer of a tool that reads whole pages is replaced by a summary and a link.",
        unit="bytes",
    )
    link_always_bytes: int = setting(  # Lambda responses are limited to 6 MB, and MCP contains an answer twice
        "LINK_ALWAYS_BYTES",
        1_500_000,
        integer(1),
        "From this size on, the answer of any tool is replaced by a summary and a link.",
        unit="bytes",
    )
    rate_limit_per_tenant: int = setting(
        "RATE_LIMIT_PER_TENANT", 0, integer(), "Calls per minute of a tenant; 0 is no limit.", shared_default=120
    )
    daily_quota_per_tenant: int = setting(
        "DAILY_QUOTA_PER_TENANT", 0, integer(), "Calls per day of a tenant; 0 is no limit.", shared_default=5000
    )
    max_call_cost: int | None = setting(  # micro-dollars; None is no limit
        "ASSAY_MAX_CALL_COST_USD", None, parse_dollars, "Maximum that one call may spend at paid providers.", unit="USD"
    )
    daily_budget: int | None = setting(  # micro-dollars; None is no limit
        "ASSAY_DAILY_BUDGET_USD", None, parse_dollars, "Maximum that a tenant may spend per day (UTC).", unit="USD"
    )
    tenant_isolation: bool = setting(
        "CACHE_ISOLATION", True, parse_isolation, "`tenant` keeps caches apart; `shared` lets tenants share answers."
    )
    breaker_failures: int = setting(
        "CIRCUIT_FAILURE_THRESHOLD",
        5,
        integer(1),
        "Consecutive failures after which a provider is skipped for a while (circuit breaker).",
    )
    breaker_seconds: int = setting(
        "CIRCUIT_RESET_TIMEOUT_SECONDS", 60, integer(1), "How long the circuit breaker skips such a provider.", unit="s"
    )
    shutdown_seconds: int = setting(
        "SHUTDOWN_GRACE_SECONDS", 30, integer(1), "Time limit for the shutdown of the local server.", unit="s"
    )
    session_seconds: int = setting(
        "SESSION_TTL",
        4 * 3600,
        parse_seconds,
        "Idle time after which a research session expires, such as 4h.",
        unit="duration",
    )
    session_max_steps: int = setting(
        "SESSION_MAX_STEPS", 200, integer(1), "Maximum number of steps of a research session."
    )
    watch_sessions: str = setting(
        "WATCH_SESSIONS",
        "",
        choice("links", "archive"),
        "`links` checks the sources of every new session daily; `archive` also archives them, which makes their "
        "addresses public.",
    )
    source_recommendations: bool = setting(
        "SOURCE_RECOMMENDATIONS", True, parse_flag, "Whether sessions recommend kinds of sources that are missing."
    )
    generative_ui: bool = setting(
        "GENERATIVE_UI_ENABLED",
        False,
        parse_flag,
        "Whether `search_and_scrape` also describes user-interface components.",
    )
    jina_reader: bool = setting(
        "JINA_READER_ENABLED",
        False,
        parse_flag,
        "Lets pages be read through Jina's reader, which discloses their URLs to a third party.",
    )
    llm_room: int = setting(
        "LLM_ROOM_TOKENS", 32_000, integer(4_000), "Context window of the model, including the answer.", unit="tokens"
    )
    llm_answer: int = setting(
        "LLM_ANSWER_TOKENS", 4_096, integer(256), "Part of the context window reserved for the answer.", unit="tokens"
    )
    llm_call: int = setting(
        "LLM_CALL_TOKENS", 200_000, integer(1_000), "Maximum number of tokens of one call.", unit="tokens"
    )
    llm_input_price: int | None = setting(  # micro-dollars a million tokens; None is unknown
        "LLM_INPUT_USD_PER_MILLION", None, parse_dollars, "Price of input tokens; a budget needs it.", unit="USD"
    )
    llm_output_price: int | None = setting(
        "LLM_OUTPUT_USD_PER_MILLION", None, parse_dollars, "Price of output tokens; a budget needs it.", unit="USD"
    )
    chrome_path: str = setting(
        "CHROME_PATH",
        "",
        parse_text,
        "Path of the browser that renders pages; empty searches for one, `disabled` uses none.",
    )
    chrome_sandbox: bool = setting(
        "CHROME_SANDBOX", True, parse_flag, "Chromium's own sandbox; it is always off as root and on Lambda."
    )
    browser_function: str = setting("ASSAY_BROWSER", "", parse_text, "Lambda function that renders pages.")
    browser_agent: str = setting(
        "BROWSER_USER_AGENT",
        "",
        parse_text,
        "User agent of the browser; empty is Chromium's own, `assay` identifies this program.",
    )
    browser_concurrency: int = setting(
        "MAX_SCRAPE_CONCURRENCY_BROWSER", 2, integer(1), "Pages rendered at the same time.", unit="pages"
    )
    browser_idle_seconds: int = setting(
        "BROWSER_IDLE_TIMEOUT_SECONDS", 300, integer(1), "Idle time after which the browser is closed.", unit="s"
    )
    crawl_per_host: int = setting(
        "CRAWL_PER_HOST", 1, integer(1), "Requests in flight to one host from all crawls and jobs.", unit="requests"
    )
    crawl_max_pages: int = setting("CRAWL_MAX_PAGES", 1000, integer(1), "Largest maxPages of one crawl.", unit="pages")
    crawls_per_tenant: int = setting("CRAWLS_PER_TENANT", 10, integer(1), "Crawls a tenant may have running.")
    log_level: str = setting("LOG_LEVEL", "INFO", parse_level, f"One of {', '.join(LEVELS)}.")

    @classmethod
    def read(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        """Read the settings from the environment. Raises ConfigError, which names the variable and valid values."""
        environ = environment() if environ is None else environ
        on_lambda, shared = bool(environ.get("AWS_LAMBDA_FUNCTION_NAME")), bool(environ.get("ASSAY_TABLE"))
        values: dict[str, Any] = {"home": _default_home(environ), "readers": os.process_cpu_count() or 1}
        for one in variable_fields():
            if text := environ.get(one.metadata["variable"], "").strip():
                values[one.name] = _parse(one, text)
            elif shared and one.metadata["shared_default"] is not None:
                values[one.name] = one.metadata["shared_default"]
        if values.get("allow_private_ips") and on_lambda:
            raise ConfigError("ALLOW_PRIVATE_IPS is not allowed on Lambda; unset it.", field="ALLOW_PRIVATE_IPS")
        return cls(environ=environ, on_lambda=on_lambda, **values)

    @property
    def queue_path(self) -> Path:
        return self.home / "queue.sqlite3"

    def meets(self, requirements: Requirements) -> bool:
        """Whether all variables of at least one set are set; True if there are no sets."""
        return not requirements or any(all(map(self.key, names)) for names in requirements)

    def key(self, name: str) -> str:
        """The text of a declared variable (see VARIABLES), "" when unset; raises LookupError for one that is not."""
        if name not in _DECLARED and not _DERIVED.fullmatch(name):
            raise LookupError(f"{name} is not declared; add it to settings.VARIABLES")
        return self.environ.get(name, "").strip()

    def base_url(self, provider: str, default: str) -> str:
        """`BRAVE_BASE_URL` overrides Brave's address: trusted configuration, for tests and proxies."""
        return (self.key(f"{provider.upper()}_BASE_URL") or default).rstrip("/")


def variable_fields() -> list[Field[Any]]:
    """The fields of `Settings` that an environment variable sets."""
    return [one for one in fields(Settings) if "variable" in one.metadata]


def _parse(one: Field[Any], text: str) -> Any:
    variable, parse = one.metadata["variable"], one.metadata["parse"]
    try:
        return parse(text)
    except ValueError as error:
        shown = "not readable" if parse is parse_secret else repr(text[:200])
        sentence = f"{variable} is {shown}; {error}."
    raise ConfigError(sentence, field=variable, action="inform_user")


def _default_home(environ: Mapping[str, str]) -> Path:
    if environ.get("AWS_LAMBDA_FUNCTION_NAME"):
        return Path("/tmp/assay")  # the only writable place there  # noqa: S108
    return Path(environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "assay"
