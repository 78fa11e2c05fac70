"""The settings, read from the environment once."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import Misconfigured
from assay.settings.declaration import list_settings, parse_setting, setting
from assay.settings.parsers import (
    LEVELS,
    choice,
    integer,
    parse_dollars,
    parse_flag,
    parse_isolation,
    parse_issuer,
    parse_level,
    parse_list,
    parse_lower,
    parse_origin,
    parse_path,
    parse_prices,
    parse_probability,
    parse_purposes,
    parse_routing,
    parse_seconds,
    parse_secret,
    parse_text,
    parse_trials,
    parse_words,
)
from assay.settings.variables import Variables, environment

MEBIBYTE = 1024 * 1024


@dataclass(frozen=True)
class Settings(Variables):
    """All settings, each declared once; docs/configuration.md is generated from these declarations."""

    on_lambda: bool = False
    home: Path = setting(
        "ASSAY_HOME",
        Path("/nonexistent"),
        parse_path,
        "Folder of the local state; the default is $XDG_DATA_HOME/assay or ~/.local/share/assay, on Lambda /tmp/assay.",
    )
    table_name: str = setting("ASSAY_TABLE", "", parse_text, "DynamoDB table; setting it selects AWS for all state.")
    bucket_name: str = setting("ASSAY_BUCKET", "", parse_text, "S3 bucket for large values and reports.")
    queue_url: str = setting("ASSAY_QUEUE", "", parse_text, "SQS queue of crawls, audits and background calls.")
    api_keys: str = setting(
        "ASSAY_API_KEYS",
        "",
        parse_secret,
        "Accepted API keys: JSON entries with SHA-256 digests, or ssm:/parameter/name. Required to listen beyond "
        "loopback.",
    )
    public_url: str = setting(
        "ASSAY_PUBLIC_URL",
        "",
        parse_origin,
        "Address under which callers reach the server, such as https://assay.example; needed behind a custom domain or "
        "a tunnel, so that clients can sign in (OAuth).",
    )
    issuer_url: str = setting(
        "OAUTH_ISSUER_URL",
        "",
        parse_issuer,
        "Issuer of signed access tokens (JWT: RS256, ES256, EdDSA) to accept, as in their claim `iss`.",
    )
    issuer_audience: str = setting(
        "OAUTH_AUDIENCE",
        "",
        parse_text,
        "Audience that tokens of OAUTH_ISSUER_URL must name; empty means the address of the endpoint that is called.",
    )
    jwks_seconds: int = setting(
        "JWKS_REFRESH_INTERVAL",
        3600,
        parse_seconds,
        "Time after which the keys of OAUTH_ISSUER_URL are fetched again, such as 1h.",
        unit="duration",
    )
    required_scopes: tuple[str, ...] = setting(
        "REQUIRED_SCOPES",
        (),
        parse_words,
        "Scopes that every token of OAUTH_ISSUER_URL must have, if ENFORCE_SCOPES is set.",
    )
    enforce_scopes: bool = setting(
        "ENFORCE_SCOPES",
        False,
        parse_flag,
        "Whether the scopes of tokens of OAUTH_ISSUER_URL limit what they allow. A token without a scope claim still "
        "allows all tools.",
    )
    unconfigured_tools: str = setting(
        "ASSAY_UNCONFIGURED_TOOLS",
        "hide",
        choice("hide", "show"),
        "`hide` does not list tools that lack configuration; `show` lists them with the reason.",
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
    rate_limit_global: int = setting(
        "RATE_LIMIT_GLOBAL", 0, integer(), "Calls per second of all callers; 0 is no limit.", shared_default=1000
    )
    max_calls_per_day: int = setting(
        "MAX_CALLS_PER_DAY", 0, integer(), "Calls per day of a user of a tenant; 0 is no limit."
    )
    rate_limit_polls: int = setting(
        "RATE_LIMIT_POLLS",
        0,
        integer(),
        "Polls per minute of a user for calls in the background, which do not count as calls; 0 is no limit.",
        shared_default=600,
    )
    rate_limit_shards: int = setting(
        "RATE_LIMIT_SHARDS",
        1,
        integer(1),
        "Shards of the counters of all callers and of each tenant. A table takes about 1,000 calls a second for each "
        "shard.",
        shared_default=4,
    )
    uploads_per_day: int = setting(
        "UPLOADS_PER_DAY", 0, integer(), "Uploads of documents per day of a user; 0 is no limit.", shared_default=50
    )
    rate_limit_per_ip: int = setting(
        "RATE_LIMIT_PER_IP",
        0,
        integer(),
        "Requests per minute of an IP address (IPv6: a network of 64 bits), counted before anybody is authenticated; "
        "0 is no limit.",
    )
    trust_proxy: bool = setting(
        "TRUST_PROXY",
        False,
        parse_flag,
        "Whether a proxy in front appends the caller's address to X-Forwarded-For. The last address there is used.",
    )
    max_call_cost: int | None = setting(  # micro-dollars; None is no limit
        "ASSAY_MAX_CALL_COST_USD", None, parse_dollars, "Maximum that one call may spend at paid providers.", unit="USD"
    )
    daily_budget: int | None = setting(  # micro-dollars; None is no limit
        "ASSAY_DAILY_BUDGET_USD", None, parse_dollars, "Maximum that a tenant may spend per day (UTC).", unit="USD"
    )
    provider_prices: Mapping[str, int] = setting(
        "PROVIDER_PRICES",
        {},
        parse_prices,
        "Price of a request to a provider in USD, in place of its list price: `brave=0.003 lens=0.01`. Budgets and "
        "estimated costs use it.",
    )
    tenant_isolation: bool = setting(
        "CACHE_ISOLATION", True, parse_isolation, "`tenant` keeps caches apart; `shared` lets tenants share answers."
    )
    breaker_failures: int = setting(
        "CIRCUIT_FAILURE_THRESHOLD",
        5,
        integer(1),
        "Consecutive failures after which the circuit breaker skips a provider.",
    )
    breaker_seconds: int = setting(
        "CIRCUIT_RESET_TIMEOUT_SECONDS", 60, integer(1), "How long the circuit breaker skips a provider.", unit="s"
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
    memory_enabled: bool = setting(
        "MEMORY_ENABLED",
        False,
        parse_flag,
        "Whether people can keep long-term memories; each must also consent (`assay consent`).",
    )
    memory_seconds: int = setting(
        "MEMORY_RETENTION",
        90 * 86_400,
        parse_seconds,
        "Time after the last save or edit of a memory after which it expires.",
        unit="duration",
    )
    memory_most: int = setting("MEMORY_MAX", 10_000, integer(1), "Maximum number of memories of one person.")
    workspaces_enabled: bool = setting(
        "WORKSPACES_ENABLED",
        False,
        parse_flag,
        "Whether people can share findings in workspaces; each must also consent and be a member (`assay workspace`).",
    )
    workspace_seconds: int = setting(
        "WORKSPACE_TTL",
        30 * 86_400,
        parse_seconds,
        "Time after which a contribution to a workspace expires.",
        unit="duration",
    )
    monitoring_enabled: bool = setting(
        "MONITORING_ENABLED",
        False,
        parse_flag,
        "Whether people can watch queries and pages; each must also consent (`assay consent`).",
    )
    monitoring_seconds: int = setting(
        "MONITORING_TTL",
        30 * 86_400,
        parse_seconds,
        "Time after which a watch ends, unless the caller sets another time.",
        unit="duration",
    )
    monitoring_most: int = setting("MONITORING_MAX", 100, integer(1), "Maximum number of watches of one person.")
    workspace_most: int = setting(
        "WORKSPACE_MAX_CONTRIBUTIONS",
        1_000,
        integer(1),
        "Maximum number of contributions of one member to one workspace.",
    )
    traces_enabled: bool = setting(
        "TRACES_ENABLED",
        False,
        parse_flag,
        "Whether calls and outgoing requests create OpenTelemetry spans, for an SDK or agent of the operator to "
        "export; needs the extra `traces`.",
    )
    trace_headers_sent: bool = setting(
        "TRACE_HEADERS_SENT",
        False,
        parse_flag,
        "Whether outgoing requests have the headers `traceparent` and `tracestate`; third parties then see the ids "
        "of traces.",
    )
    analytics_enabled: bool = setting(
        "USER_ANALYTICS_ENABLED",
        False,
        parse_flag,
        "Whether the calls of people who consented are counted by tool, for `get_my_analytics`.",
    )
    consent: frozenset[str] = setting(
        "ASSAY_CONSENT",
        frozenset(),
        parse_purposes,
        "Purposes to which the user of this machine consents: `memory`, `analytics`, `workspace`, `monitoring`. It "
        "counts until a decision is recorded with `assay consent`; rejected on AWS.",
    )
    terms_version: str = setting(
        "TERMS_VERSION",
        "",
        parse_text,
        "Version of the operator's terms on personal data, which the consent page shows and records.",
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
        "LLM_ROOM_TOKENS",
        32_000,
        integer(4_000),
        "Context window of the language model, including the answer.",
        unit="tokens",
    )
    llm_answer: int = setting(
        "LLM_ANSWER_TOKENS", 4_096, integer(256), "Part of the context window reserved for the answer.", unit="tokens"
    )
    llm_call: int = setting(
        "LLM_CALL_TOKENS",
        200_000,
        integer(1_000),
        "Maximum number of tokens that one call of `cinder_extract` may use.",
        unit="tokens",
    )
    llm_input_price: int | None = setting(  # micro-dollars a million tokens; None is unknown
        "LLM_INPUT_USD_PER_MILLION",
        None,
        parse_dollars,
        "Price of a million input tokens of the language model; a budget needs it.",
        unit="USD",
    )
    llm_output_price: int | None = setting(
        "LLM_OUTPUT_USD_PER_MILLION",
        None,
        parse_dollars,
        "Price of a million output tokens of the language model; a budget needs it.",
        unit="USD",
    )
    nli_model: Path | None = setting(
        "NLI_MODEL_PATH",
        None,
        parse_path,
        "Folder of a model of natural-language inference (model.onnx, tokenizer.json, config.json), which compares "
        "claims with their sources; needs the extra `nli`.",
    )
    nli_entailment: float = setting(
        "NLI_ENTAILMENT_THRESHOLD",
        0.8,
        parse_probability,
        "Least probability of entailment at which a passage supports a claim.",
    )
    nli_contradiction: float = setting(
        "NLI_CONTRADICTION_THRESHOLD",
        0.95,
        parse_probability,
        "Least probability of contradiction at which a passage contradicts a claim. Set it on development data, so "
        "that no supported claim is flagged.",
    )
    nli_trials: tuple[int, int] = setting(
        "NLI_DEVELOPMENT_TRIALS",
        (0, 0),
        parse_trials,
        "Supported claims of the development data that NLI_CONTRADICTION_THRESHOLD flags, and their number, such as "
        "0/755. Answers print the confidence interval.",
    )
    llm_contradiction: float = setting(
        "LLM_CONTRADICTION_THRESHOLD",
        0.9,
        parse_probability,
        "Least probability, as the language model states it, at which its answer that a source contradicts a claim "
        "counts.",
    )
    llm_trials: tuple[int, int] = setting(
        "LLM_DEVELOPMENT_TRIALS",
        (0, 0),
        parse_trials,
        "The same as NLI_DEVELOPMENT_TRIALS, for the language model and LLM_CONTRADICTION_THRESHOLD.",
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
        "User agent of the browser; empty means Chromium's own, `assay` identifies this program.",
    )
    browser_concurrency: int = setting(
        "MAX_SCRAPE_CONCURRENCY_BROWSER", 2, integer(1), "Pages rendered at the same time.", unit="pages"
    )
    browser_idle_seconds: int = setting(
        "BROWSER_IDLE_TIMEOUT_SECONDS",
        300,
        integer(1),
        "Idle time after which the browser that renders pages is closed.",
        unit="s",
    )
    crawl_per_host: int = setting(
        "CRAWL_PER_HOST", 1, integer(1), "Requests in flight to one host from all crawls and jobs.", unit="requests"
    )
    crawl_max_pages: int = setting("CRAWL_MAX_PAGES", 1000, integer(1), "Largest maxPages of one crawl.", unit="pages")
    crawls_per_tenant: int = setting(
        "CRAWLS_PER_TENANT", 10, integer(1), "Crawls of a tenant that may run at the same time."
    )
    audits_per_tenant: int = setting(
        "AUDITS_PER_TENANT", 10, integer(1), "Audits of manuscripts of a tenant that may run at the same time."
    )
    calls_per_tenant: int = setting(
        "CALLS_PER_TENANT", 20, integer(1), "Background tool calls of a tenant that may run at the same time."
    )
    audit_max_bytes: int = setting(
        "AUDIT_MAX_BYTES", 100 * MEBIBYTE, integer(1024), "Size above which the audit file is rotated.", unit="bytes"
    )
    audit_retention_days: int = setting(
        "AUDIT_RETENTION_DAYS", 180, integer(), "Days after which audit files are deleted; 0 keeps them.", unit="days"
    )
    audit_bucket: str = setting(
        "AUDIT_BUCKET", "", parse_text, "S3 bucket with object lock for sealed audit events; the template creates it."
    )
    audit_buffer_size: int = setting(
        "AUDIT_BUFFER_SIZE",
        1000,
        integer(1),
        "Audit events that wait in memory while their file cannot be written; more are counted as lost.",
        unit="events",
    )
    audit_query_hash: bool = setting(
        "AUDIT_INCLUDE_REQUEST_BODY",
        False,
        parse_flag,
        "Whether audit events have a SHA-256 digest of the query, so that a known query can be found; never its text.",
    )
    log_level: str = setting("LOG_LEVEL", "INFO", parse_level, f"One of {', '.join(LEVELS)}.")

    @classmethod
    def read(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        """Read the settings from the environment. Raises Misconfigured, which names the variable and valid values."""
        environ = environment() if environ is None else environ
        on_lambda, shared = bool(environ.get("AWS_LAMBDA_FUNCTION_NAME")), bool(environ.get("ASSAY_TABLE"))
        values: dict[str, Any] = {"home": _default_home(environ), "readers": os.process_cpu_count() or 1}
        for one in list_settings(cls):
            if text := environ.get(one.metadata["variable"], "").strip():
                values[one.name] = parse_setting(one, text)
            elif shared and one.metadata["shared_default"] is not None:
                values[one.name] = one.metadata["shared_default"]
        if values.get("allow_private_ips") and on_lambda:
            raise Misconfigured("ALLOW_PRIVATE_IPS is not allowed on Lambda; unset it.", field="ALLOW_PRIVATE_IPS")
        if values.get("consent") and (on_lambda or shared):
            raise Misconfigured("ASSAY_CONSENT is for one person's machine only; unset it.", field="ASSAY_CONSENT")
        return cls(environ=environ, on_lambda=on_lambda, **values)

    @property
    def queue_path(self) -> Path:
        return self.home / "queue.sqlite3"


def _default_home(environ: Mapping[str, str]) -> Path:
    if environ.get("AWS_LAMBDA_FUNCTION_NAME"):
        return Path("/tmp/assay")  # the only writable place there  # noqa: S108
    return Path(environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "assay"
