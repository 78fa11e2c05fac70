"""The only reader of the environment."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from pathlib import Path

from assay.errors import ConfigError

TRUE, FALSE = {"1", "true", "yes", "on"}, {"0", "false", "no", "off", ""}


def environment() -> Mapping[str, str]:
    return os.environ


LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")


def _flag(environ: Mapping[str, str], name: str, default: bool) -> bool:
    value = environ.get(name, str(default)).strip().lower()
    if value not in TRUE | FALSE:
        raise ConfigError(f"{name} is {value!r}; set it to true or false.", field=name, action="inform_user")
    return value in TRUE


def _level(environ: Mapping[str, str]) -> str:
    value = (environ.get("LOG_LEVEL") or "INFO").strip().upper()
    if value not in LEVELS:
        raise ConfigError(f"LOG_LEVEL is {value!r}; set it to one of {', '.join(LEVELS)}.", field="LOG_LEVEL")
    return value


def _one_of(environ: Mapping[str, str], name: str, words: tuple[str, ...]) -> str:
    value = environ.get(name, "").strip().lower()
    if value not in words:
        listed = " or ".join(filter(None, words))
        raise ConfigError(f"{name} is {value!r}; set it to {listed}, or unset it.", field=name, action="inform_user")
    return value


def _number(environ: Mapping[str, str], name: str, default: int, least: int = 0) -> int:
    value = environ.get(name) or str(default)
    try:
        number = int(value)
    except ValueError:
        number = least - 1
    if number < least:
        raise ConfigError(
            f"{name} is {value!r}; set it to a whole number from {least} up.", field=name, action="inform_user"
        )
    return number


def span(text: str) -> int:
    """`7d`, `4h`, `90m`, `1h30m`, `7200s` or `7200`, in seconds; 0 where it is none of these."""
    found = re.fullmatch(r"(?:(\d{1,5})d)?(?:(\d{1,6})h)?(?:(\d{1,8})m)?(?:(\d{1,9})s?)?", text.strip().lower())
    days, hours, minutes, seconds = (int(part or 0) for part in found.groups()) if found else (0, 0, 0, 0)
    return days * 86_400 + hours * 3_600 + minutes * 60 + seconds


def _seconds(environ: Mapping[str, str], name: str, default: int) -> int:
    value = environ.get(name) or f"{default}s"
    if (total := span(value)) < 1:
        raise ConfigError(f"{name} is {value!r}; set it to a time, such as 4h.", field=name, action="inform_user")
    return total


def _dollars(environ: Mapping[str, str], name: str) -> int | None:
    """Micro-dollars; None where nothing is said."""
    value = environ.get(name, "").strip().removeprefix("$")
    if not value:
        return None
    try:
        amount = Decimal(value)
    except InvalidOperation:
        amount = Decimal(-1)
    if not amount.is_finite() or not 0 <= amount <= 1_000_000:
        raise ConfigError(f"{name} is {value!r}; set it to dollars, such as 0.50.", field=name, action="inform_user")
    return int(amount * 1_000_000)


def _words(environ: Mapping[str, str], name: str) -> tuple[str, ...]:
    return tuple(word.strip().lower() for word in environ.get(name, "").split(",") if word.strip())


def _routing(environ: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """`SEARCH_ROUTING`: `brave,searxng`, or `{"news": "brave", "default": "brave,searxng"}`."""
    value = environ.get("SEARCH_ROUTING", "").strip()
    if not value.startswith("{"):
        return {"default": _words(environ, "SEARCH_ROUTING")} if value else {}
    try:
        return {operation: _words({"x": names}, "x") for operation, names in json.loads(value).items()}
    except (ValueError, AttributeError) as wrong:
        raise ConfigError(
            'SEARCH_ROUTING is neither a list such as "brave,searxng" nor an object such as {"web": "brave"}.',
            field="SEARCH_ROUTING",
            action="inform_user",
        ) from wrong


def _default_home(environ: Mapping[str, str]) -> Path:
    if environ.get("AWS_LAMBDA_FUNCTION_NAME"):
        return Path("/tmp/assay")  # the only writable place there  # noqa: S108
    return Path(environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "assay"


@dataclass(frozen=True)
class Settings:
    """Everything configurable, with its default. Secrets stay in `environ` and are read by `key`."""

    environ: Mapping[str, str] = field(default_factory=dict, repr=False)
    home: Path = Path("/nonexistent")
    on_lambda: bool = False
    table_name: str = ""
    bucket_name: str = ""
    queue_url: str = ""
    api_keys: str = field(default="", repr=False)  # JSON, or `ssm:/a/parameter`
    toolset: str = "all"
    search_provider: str = ""
    search_routing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    search_thin_threshold: int = 1  # results up to which a question is asked again in fewer words
    search_hedge_ms: int = 0  # after which a slow provider is no longer waited for alone; 0 is never
    lenses_path: Path | None = None
    allow_private_ips: bool = False
    allowed_domains: tuple[str, ...] = ()
    scrape_concurrency: int = 64
    readers: int = 1  # processes that the local server reads pages with
    max_html_bytes: int = 8 * 1024 * 1024
    max_document_bytes: int = 50 * 1024 * 1024
    cache_memory_mb: int = 64
    rate_limit_per_tenant: int = 0  # calls a minute; 0 is none
    daily_quota_per_tenant: int = 0
    max_call_cost: int | None = None  # micro-dollars that one call may spend; None is no limit
    daily_budget: int | None = None  # micro-dollars that a tenant may spend a day
    tenant_isolation: bool = True
    breaker_failures: int = 5
    breaker_seconds: int = 60
    session_seconds: int = 4 * 3600  # without a call after which a research session is forgotten
    session_max_steps: int = 200
    watch_sessions: str = ""  # "links": jobs check the links of every new session; "archive": and archive them
    source_recommendations: bool = True
    generative_ui: bool = False
    jina_reader: bool = False  # it tells a third party what is read
    llm_room: int = 32_000  # tokens that the model takes, question and answer together
    llm_answer: int = 4_096  # of them, for the answer
    llm_call: int = 200_000  # tokens that one call may ask for
    llm_input_price: int | None = None  # micro-dollars a million tokens; None is unknown
    llm_output_price: int | None = None
    chrome_path: str = ""  # "" looks for one, "disabled" has none
    chrome_sandbox: bool = True  # its own; as root and on Lambda it has none whatever this says
    browser_function: str = ""  # the Lambda that renders
    browser_agent: str = ""  # what the browser calls itself; "" is as browsers do, "assay" says who asks
    browser_concurrency: int = 2  # pages rendered at a time
    browser_idle_seconds: int = 300  # after which a browser with nothing to do is ended
    crawl_per_host: int = 1  # requests in flight that all crawls together send to one host
    crawl_max_pages: int = 1000  # that a caller may ask of one crawl
    crawls_per_tenant: int = 10  # that are not at their end
    log_level: str = "INFO"

    @classmethod
    def read(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        environ = environment() if environ is None else environ
        on_lambda = bool(environ.get("AWS_LAMBDA_FUNCTION_NAME"))
        allow_private = _flag(environ, "ALLOW_PRIVATE_IPS", False)
        if allow_private and on_lambda:
            raise ConfigError("ALLOW_PRIVATE_IPS is refused on Lambda; unset it.", field="ALLOW_PRIVATE_IPS")
        shared = bool(environ.get("ASSAY_TABLE"))  # others share the store, so one caller must not use it all up
        return cls(
            environ=environ,
            home=Path(environ.get("ASSAY_HOME") or _default_home(environ)).expanduser(),
            on_lambda=on_lambda,
            table_name=environ.get("ASSAY_TABLE", ""),
            bucket_name=environ.get("ASSAY_BUCKET", ""),
            queue_url=environ.get("ASSAY_QUEUE", ""),
            api_keys=environ.get("ASSAY_API_KEYS", ""),
            toolset=environ.get("ASSAY_TOOLSET") or "all",
            search_provider=environ.get("SEARCH_PROVIDER", "").strip().lower(),
            search_routing=_routing(environ),
            search_thin_threshold=_number(environ, "SEARCH_THIN_THRESHOLD", 1),
            search_hedge_ms=_number(environ, "SEARCH_HEDGE_MS", 0),
            lenses_path=Path(environ["CUSTOM_LENSES_PATH"]) if environ.get("CUSTOM_LENSES_PATH") else None,
            allow_private_ips=allow_private,
            allowed_domains=_words(environ, "ALLOWED_DOMAINS"),
            scrape_concurrency=_number(environ, "MAX_SCRAPE_CONCURRENCY", 64, least=1),
            readers=_number(environ, "ASSAY_READERS", os.process_cpu_count() or 1, least=1),
            max_html_bytes=_number(environ, "MAX_HTML_BYTES", 8 * 1024 * 1024, least=1024),
            max_document_bytes=_number(environ, "MAX_DOCUMENT_BYTES", 50 * 1024 * 1024, least=1024),
            cache_memory_mb=_number(environ, "CACHE_MAX_MEMORY_MB", 64),
            rate_limit_per_tenant=_number(environ, "RATE_LIMIT_PER_TENANT", 120 if shared else 0),
            daily_quota_per_tenant=_number(environ, "DAILY_QUOTA_PER_TENANT", 5000 if shared else 0),
            max_call_cost=_dollars(environ, "ASSAY_MAX_CALL_COST_USD"),
            daily_budget=_dollars(environ, "ASSAY_DAILY_BUDGET_USD"),
            tenant_isolation=environ.get("CACHE_ISOLATION", "tenant") != "shared",
            breaker_failures=_number(environ, "CIRCUIT_FAILURE_THRESHOLD", 5, least=1),
            breaker_seconds=_number(environ, "CIRCUIT_RESET_TIMEOUT_SECONDS", 60, least=1),
            session_seconds=_seconds(environ, "SESSION_TTL", 4 * 3600),
            session_max_steps=_number(environ, "SESSION_MAX_STEPS", 200, least=1),
            watch_sessions=_one_of(environ, "WATCH_SESSIONS", ("", "links", "archive")),
            source_recommendations=_flag(environ, "SOURCE_RECOMMENDATIONS", True),
            generative_ui=_flag(environ, "GENERATIVE_UI_ENABLED", False),
            jina_reader=_flag(environ, "JINA_READER_ENABLED", False),
            llm_room=_number(environ, "LLM_ROOM_TOKENS", 32_000, least=4_000),
            llm_answer=_number(environ, "LLM_ANSWER_TOKENS", 4_096, least=256),
            llm_call=_number(environ, "LLM_CALL_TOKENS", 200_000, least=1_000),
            llm_input_price=_dollars(environ, "LLM_INPUT_USD_PER_MILLION"),
            llm_output_price=_dollars(environ, "LLM_OUTPUT_USD_PER_MILLION"),
            chrome_path=environ.get("CHROME_PATH", "").strip(),
            chrome_sandbox=_flag(environ, "CHROME_SANDBOX", True),
            browser_function=environ.get("ASSAY_BROWSER", ""),
            browser_agent=environ.get("BROWSER_USER_AGENT", "").strip(),
            browser_concurrency=_number(environ, "MAX_SCRAPE_CONCURRENCY_BROWSER", 2, least=1),
            browser_idle_seconds=_number(environ, "BROWSER_IDLE_TIMEOUT_SECONDS", 300, least=1),
            crawl_per_host=_number(environ, "CRAWL_PER_HOST", 1, least=1),
            crawl_max_pages=_number(environ, "CRAWL_MAX_PAGES", 1000, least=1),
            crawls_per_tenant=_number(environ, "CRAWLS_PER_TENANT", 10, least=1),
            log_level=_level(environ),
        )

    @property
    def queue_path(self) -> Path:
        return self.home / "queue.sqlite3"

    def key(self, name: str) -> str:
        """A secret or an address of an upstream, "" when unset."""
        return self.environ.get(name, "").strip()

    def base_url(self, provider: str, default: str) -> str:
        """`BRAVE_BASE_URL` overrides Brave's address: trusted configuration, for tests and proxies."""
        return (self.key(f"{provider.upper()}_BASE_URL") or default).rstrip("/")
