"""Environment variables that are read where they are needed, as text: credentials, contacts and addresses."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.settings.parsers import parse_flag

type Requirements = tuple[tuple[str, ...], ...]  # sets of variables, one of which must be set


def environment() -> Mapping[str, str]:
    """The environment variables of the process."""
    return os.environ


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
    Variable("ASSAY_ENCRYPTION_KEY_PREV", "The previous ASSAY_ENCRYPTION_KEY, still used for reading.", secret=True),
    Variable(
        "ADMIN_API_KEY",
        "Key of the operator for the endpoints of administration, sent as X-Admin-Key; 16 characters at least.",
        secret=True,
    ),
    Variable("ADMIN_API_KEY_PREV", "The previous ADMIN_API_KEY, still accepted; its use is audited.", secret=True),
    Variable(
        "AUDIT_WEBHOOK_URL",
        "https address to which audit events are posted in signed batches (Standard Webhooks).",
        secret=True,
    ),
    Variable(
        "AUDIT_WEBHOOK_SECRET",
        "Secret that signs the messages to AUDIT_WEBHOOK_URL: whsec_ and the Base64 of 24 to 64 random bytes.",
        secret=True,
    ),
    Variable(
        "ALLOWED_ORIGINS", "Web origins whose pages may call the server from a browser (CORS), separated by commas."
    ),
    Variable(
        "ORIGIN_SECRET",
        "Secret that a proxy in front of the functions sends as x-origin-secret; the functions refuse requests without "
        "it. Several are separated by commas (AWS).",
        secret=True,
    ),
    Variable(
        "ASSAY_OIDC_ISSUER", "OpenID Connect provider through which people sign in, as in the `issuer` of its metadata."
    ),
    Variable(
        "ASSAY_OIDC_CLIENT_ID", "Client id at ASSAY_OIDC_ISSUER; its redirect URI is <public URL>/oauth/callback."
    ),
    Variable("ASSAY_OIDC_CLIENT_SECRET", "Client secret at ASSAY_OIDC_ISSUER.", secret=True),
    Variable("ASSAY_OIDC_ALLOWED", "Who may sign in: mail addresses and @domains separated by commas, or * for all."),
    Variable("ASSAY_OIDC_TENANT_CLAIM", "Claim that names the tenant; empty means the domain of the mail address."),
    Variable("ASSAY_OIDC_ROLE_CLAIM", "Claim with the roles or groups that ASSAY_OIDC_ROLES maps to scopes."),
    Variable("ASSAY_OIDC_ROLES", 'Scopes of roles: {"researchers": ["tool:*"], "readers": ["core"]}; others get none.'),
    Variable("SSL_CERT_FILE", "PEM file of certificate authorities to trust instead of the system's."),
    Variable("HTTP_TIMEOUT_MS", "Time limit in ms of one request of the JSON tools."),
    Variable("AUTHORITY_HINTS_JSON", 'Weights of domains for `dedupe_rank`, such as {"who.int": 2.0}.'),
    Variable("ENABLE_OCR", "`1` lets `pdf_extract` read scanned pages with tesseract."),
    Variable("OCR_LANGUAGES", "tesseract languages joined by +; default eng."),
    Variable("LLM_BASE_URL", "OpenAI-compatible endpoint of the language model; may be a private address."),
    Variable("LLM_MODEL", "Name of the language model; without LLM_BASE_URL a model or profile of Amazon Bedrock."),
    Variable("LLM_API_KEY", "Key of LLM_BASE_URL.", secret=True),
    Variable(
        "EMBEDDING_BASE_URL",
        "OpenAI-compatible endpoint of an embedding model, by which memories are also found by meaning; may be a "
        "private address. The text of memories and of searches is sent to it.",
    ),
    Variable(
        "EMBEDDING_MODEL", "Name of the embedding model; without EMBEDDING_BASE_URL a Titan or Cohere model of Bedrock."
    ),
    Variable("EMBEDDING_API_KEY", "Key of EMBEDDING_BASE_URL.", secret=True),
    Variable(
        "NLI_BASE_URL",
        "Address of a model of natural-language inference (text classification of pairs), which compares claims with "
        "their sources; may be private.",
    ),
    Variable("NLI_API_KEY", "Key of NLI_BASE_URL.", secret=True),
    Variable("OPENALEX_EMAIL", "Contact for OpenAlex; other scholarly services use it unless theirs is set."),
    Variable("OPENALEX_API_KEY", "OpenAlex: ten times the free requests a day.", secret=True),
    Variable("CROSSREF_MAILTO", "Contact for Crossref; `crossref_search` requires it or OPENALEX_EMAIL."),
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
    "<PROVIDER>_BASE_URL": "Base URL of a provider, for a proxy or a mirror; may be a private address.",
    "<TOOL>_ALLOW_LOCAL": "`1` lets HTTP_FETCH, ROBOTS_CHECK or RSS_FETCH reach private addresses; ignored on Lambda.",
}
SYSTEM = frozenset({"PATH", "LD_LIBRARY_PATH", "TESSDATA_PREFIX"})
_DECLARED = SYSTEM | {variable.name for variable in VARIABLES}
_DERIVED = re.compile(r"[A-Z0-9]+(?:_[A-Z0-9]+)*_(?:BASE_URL|ALLOW_LOCAL)")


@dataclass(frozen=True)
class Variables:
    """Reads the declared variables, and those whose names follow a pattern, from `environ`."""

    environ: Mapping[str, str] = field(default_factory=dict, repr=False)

    def meets(self, requirements: Requirements) -> bool:
        """Whether all variables of at least one set are set, flags to true; True if there are no sets."""
        return not requirements or any(all(map(self._is_set, names)) for names in requirements)

    def _is_set(self, name: str) -> bool:
        """Whether the variable is set, or for `NAME=true` the flag is true."""
        variable, is_flag, _ = name.partition("=true")
        return parse_flag(self.environ.get(variable, "").strip() or "false") if is_flag else bool(self.key(name))

    def key(self, name: str) -> str:
        """The text of a declared variable (see VARIABLES), "" when unset; raises LookupError for one that is not."""
        if name not in _DECLARED and not _DERIVED.fullmatch(name):
            raise LookupError(f"{name} is not declared; add it to VARIABLES in settings/variables.py")
        return self.environ.get(name, "").strip()

    def base_url(self, provider: str, default: str) -> str:
        """`BRAVE_BASE_URL` overrides Brave's address: trusted configuration, for tests and proxies."""
        return (self.key(f"{provider.upper()}_BASE_URL") or default).rstrip("/")
