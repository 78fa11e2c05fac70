"""HTTP client for providers, whose addresses come from trusted configuration and may be private.

Responses are limited in size and time; failures become ToolErrors without credentials.
"""

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from assay.errors import (
    AuthRequired,
    Blocked,
    KeyRejected,
    Network,
    NotFound,
    PaymentRequired,
    RateLimited,
    Refused,
    ToolError,
    UpstreamFailed,
)
from assay.net import tls_context
from assay.net.agents import PROGRAM
from assay.net.connecting import explain_failure, find_cause
from assay.net.provider_body import ERROR_CAP, Expect, read_body, read_error, too_large_error
from assay.net.redirects import resolve_redirect_on_host
from assay.net.retry import RetryPolicy, TransientError, retry_after_seconds
from assay.settings import Settings
from assay.state.outgoing_requests import note_request
from assay.state.spans import build_trace_headers, open_request_span

if TYPE_CHECKING:  # imported on first use, for fast cold starts
    import httpx

# Keeps httpx from importing its command line, which takes a quarter of a second.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
# httpcore tries to import sniffio for every lock; without sniffio, each attempt would search all folders.
if "sniffio" not in sys.modules and find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]

AGENT = PROGRAM
CAP = 5 * 1024 * 1024
WAIT_DEFAULT = 60  # seconds, for rate limits without Retry-After
NETWORK_WAIT = 5
PAUSE = 0.25  # seconds before the second try, before jitter
TWICE, ONCE = RetryPolicy(), RetryPolicy(1)

type Params = Mapping[str, Any]


class ProviderResponse(NamedTuple):
    """A provider's response: `body` as expected (parsed JSON, text, bytes or None), lower-case header names.

    `url` is the final URL after redirects.
    """

    body: Any
    headers: Mapping[str, str]
    status: int
    url: str = ""


type Refusal = Callable[[ProviderResponse], ToolError | None]


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One request to a provider, and how to read its response."""

    provider: str
    method: str
    url: str
    sent: dict[str, Any]
    cap: int
    expect: Expect
    refusal: Refusal | None
    tries: RetryPolicy
    redirects: int


class ProviderClient:
    """A pool of connections, one per process. For addresses from trusted configuration only: no SSRF checks."""

    def __init__(
        self, settings: Settings | None = None, *, clock: Callable[[], float] = time.time, pause: float = PAUSE
    ) -> None:
        self._settings = settings or Settings()
        self._clock, self._pause = clock, pause
        self._client: httpx.AsyncClient | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    async def request(
        self,
        provider: str,
        method: str,
        url: str,
        *,
        params: Params | None = None,
        headers: Mapping[str, str] | None = None,
        json: Any = None,
        form: Mapping[str, str] | None = None,
        content: bytes | None = None,
        seconds: float = 10.0,
        cap: int = CAP,
        expect: Expect = "json",
        refusal: Refusal | None = None,
        tries: RetryPolicy = TWICE,
        redirects: int = 0,
        repeated: Callable[[], None] = lambda: None,
    ) -> ProviderResponse:
        """Send a request and return the response, within `seconds` for all tries; `cap` is in decoded bytes.

        GET and HEAD are retried after transient errors. Up to `redirects` redirects are followed on the same host
        only, because only that one is configured.

        `params` may contain lists (repeated names); None values are left out. `refusal` maps a provider's own error
        responses, of any status, to a ToolError before the status is checked. `repeated` is called before each retry.
        Raises a ToolError that names the provider and contains no credentials.
        """
        note_request(provider, _read_path(url), params, json or form)
        sent = {"params": _drop_none(params), "headers": headers, "json": json, "data": form, "content": content}
        tries = tries if method in ("GET", "HEAD") else ONCE
        exchange = _Exchange(provider, method, url, sent, cap, expect, refusal, tries, redirects)
        until = asyncio.get_running_loop().time() + seconds
        try:
            async with asyncio.timeout_at(until):
                return await tries.run(
                    lambda: self._send_within_limit(exchange), pause=self._pause, until=until, on_retry=repeated
                )
        except TimeoutError:
            raise _timeout_error(provider, seconds) from None

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()

    async def _send_within_limit(self, exchange: _Exchange) -> ProviderResponse:
        """One try, within the time limit of a try."""
        each = exchange.tries.each
        try:
            async with asyncio.timeout(each):
                return await self._send_once(exchange)
        except TimeoutError:
            raise TransientError(_timeout_error(exchange.provider, each or 0), late=True) from None

    async def _send_once(self, exchange: _Exchange) -> ProviderResponse:
        status, headers, raw = await self._send_request(exchange)
        for _ in range(exchange.redirects):
            target = resolve_redirect_on_host(exchange.url, status, headers)
            if target is None:
                break
            exchange = replace(exchange, url=target, sent=exchange.sent | {"params": None})
            status, headers, raw = await self._send_request(exchange)
        succeeded = 200 <= status < 300
        response = ProviderResponse(
            read_body(exchange.provider, headers, raw, exchange.expect, exchange.cap)
            if succeeded
            else read_error(headers, raw),
            headers,
            status,
            exchange.url,
        )
        if exchange.refusal and (failure := exchange.refusal(response)):
            raise failure
        if not succeeded:
            raise self._to_error(exchange, response)
        return response

    async def _send_request(self, exchange: _Exchange) -> tuple[int, Mapping[str, str], bytes]:
        """Send one request; status, headers and coded body. httpx's errors become TransientError or Refused."""
        import httpx

        client = self._get_client()
        try:
            with open_request_span(self._settings, exchange.method, exchange.url, exchange.provider) as span:
                headers = {**(exchange.sent["headers"] or {}), **build_trace_headers(self._settings)}
                request = client.build_request(exchange.method, exchange.url, **exchange.sent | {"headers": headers})
                response = await client.send(request, stream=True)
                span.set_status(response.status_code)
                try:
                    return response.status_code, response.headers, await _read_body(response, exchange)
                finally:
                    await response.aclose()
        except httpx.TransportError as error:
            raise TransientError(_unreachable_error(exchange.provider, error)) from None
        except (httpx.InvalidURL, UnicodeError):  # from None: the URL may contain a key
            raise Refused(
                f"{exchange.provider}: the URL built for this request is not valid.", provider=exchange.provider
            ) from None

    async def prepare(self) -> None:
        """Create the pool of connections, which the first request otherwise does."""
        self._get_client()

    def _get_client(self) -> "httpx.AsyncClient":
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:  # connections belong to the event loop that opened them
            self._client, self._loop = self._build_client(), loop
        return self._client

    def _build_client(self) -> "httpx.AsyncClient":
        import httpx

        from assay.net.network_backend import PooledTransport

        for name in ("httpx", "httpcore"):  # they log complete URLs, including keys
            logging.getLogger(name).setLevel(logging.WARNING)
        limits = httpx.Limits(max_connections=128, max_keepalive_connections=64, keepalive_expiry=30)
        return httpx.AsyncClient(
            transport=PooledTransport(tls_context.build_context(tls_context.find_bundle(self._settings)), limits),
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(None, connect=5.0),
            headers={"User-Agent": AGENT, "Accept-Encoding": "gzip"},
        )

    def _to_error(self, exchange: _Exchange, response: ProviderResponse) -> Exception:
        """The error for a status code, as TransientError if a retry may help."""
        provider, status, retry_after = (
            exchange.provider,
            response.status,
            parse_retry_after(response.headers, self._clock()),
        )
        if status == 429:
            wait = retry_after or WAIT_DEFAULT
            limit = RateLimited(
                f"{provider} limits the request rate. Wait {wait} seconds, or use another provider.",
                provider=provider,
                retry_after=wait,
            )
            return TransientError(limit, retry_after) if exchange.tries.patient else limit
        if status >= 500:
            failure = UpstreamFailed(f"{provider} failed (HTTP {status}).", provider=provider, retry_after=retry_after)
            return TransientError(failure, retry_after)
        if status in STATUSES:
            kind, sentence = STATUSES[status]
            return kind(sentence.format(provider), provider=provider)
        if status < 400:
            return UpstreamFailed(f"{provider} returned an unexpected redirect (HTTP {status}).", provider=provider)
        return Refused(f"{provider} rejected the request (HTTP {status}).", provider=provider)


STATUSES: Mapping[int, tuple[type[ToolError], str]] = {
    401: (KeyRejected, "{} rejected the configured API key. Check it."),
    402: (PaymentRequired, "{} requires payment: the plan is used up or does not include this. Use another provider."),
    403: (Blocked, "{} refused access (HTTP 403)."),
    404: (NotFound, "{} does not have this resource."),
    410: (NotFound, "{} no longer has this resource."),
}


def rejected_key_error(provider: str, variable: str, settings: Settings) -> AuthRequired:
    """The error for a KeyRejected of an upstream whose key is in `variable`; "" if it takes none."""
    if not variable:
        sentence = f"{provider} refused access: the request is not authorized."
    elif settings.key(variable):
        sentence = f"{provider} rejected the key in {variable}. Check it."
    else:
        sentence = f"{provider} requires a key. Set {variable}."
    return AuthRequired(sentence, provider=provider)


def parse_retry_after(headers: Mapping[str, str], now: float) -> int | None:
    """Seconds of the Retry-After header, at least one; None if it is absent or invalid."""
    seconds = retry_after_seconds(headers, datetime.fromtimestamp(now, UTC))
    return None if seconds is None else max(1, seconds)


def _read_path(url: str) -> str:
    """The readable path of a URL that may contain what is looked up, such as a DOI."""
    return unquote(url.partition("://")[2].partition("?")[0].partition("/")[2])


def _drop_none(params: Params | None) -> dict[str, Any] | None:
    return {name: value for name, value in params.items() if value is not None} if params else None


def _timeout_error(provider: str, seconds: float) -> Network:
    sentence = f"{provider} timed out: no response within {seconds:g} seconds."
    return Network(sentence, provider=provider, retry_after=NETWORK_WAIT)


def _unreachable_error(provider: str, error: "httpx.TransportError") -> Network:
    import httpx

    how = "the connection was cut"
    if isinstance(error, httpx.TimeoutException):
        how = "no connection in time"
    elif isinstance(error, httpx.ConnectError):
        how = f"its host {explain_failure(find_cause(error))[1]}"
    elif isinstance(error, httpx.UnsupportedProtocol):
        how = "its address is neither http nor https"
    return Network(f"{provider} cannot be reached: {how}.", provider=provider, retry_after=NETWORK_WAIT)


async def _read_body(response: "httpx.Response", exchange: _Exchange) -> bytes:
    cap = exchange.cap if response.is_success else min(exchange.cap, ERROR_CAP)
    raw = bytearray()
    async for chunk in response.aiter_raw():
        raw += chunk
        if len(raw) > cap:
            if not response.is_success or exchange.expect == "start":
                break
            raise too_large_error(exchange.provider, cap)
    return bytes(raw)
