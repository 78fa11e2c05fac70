"""The one way to the upstreams of our configuration: bounded, masked, and in our words when it fails."""

import asyncio
import logging
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.errors import (
    AuthRequired,
    Blocked,
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
from assay.net.provider_body import SAID_CAP, Expect, read, read_error, too_large
from assay.net.redirects import onward_on_host
from assay.net.retry import RetryPolicy, TransientError, retry_after_seconds
from assay.settings import Settings

if TYPE_CHECKING:  # a call pays for httpx, a cold start does not
    import httpx

# httpx would import its command line too, a quarter of a second that nobody here uses.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
# httpcore looks for sniffio at every lock it takes; where that is not installed, each look would search all folders.
if "sniffio" not in sys.modules and find_spec("sniffio") is None:
    sys.modules["sniffio"] = None  # type: ignore[assignment]

AGENT = PROGRAM
CAP = 5 * 1024 * 1024
WAIT_DEFAULT = 60  # seconds, where a rate limit does not say
NETWORK_WAIT = 5
PAUSE = 0.25  # seconds before the second try, more or less
TWICE, ONCE = RetryPolicy(), RetryPolicy(1)

type Params = Mapping[str, Any]


class ProviderResponse(NamedTuple):
    """What an upstream answered: `body` as expected (parsed JSON, text, bytes, nothing), header names in lower case.

    `url` is where redirects have led.
    """

    body: Any
    headers: Mapping[str, str]
    status: int
    url: str = ""


type Refusal = Callable[[ProviderResponse], ToolError | None]


@dataclass(frozen=True, slots=True)
class _Exchange:
    """One question to an upstream: what is sent, and how the answer is read."""

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
    """One pool of connections a process. For addresses of trusted configuration only: they may be private."""

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
        """What `provider` answers within `seconds`, all tries included; `cap` is in decoded bytes.

        Passing faults are tried again where asking twice does no harm. Redirects are followed on the same host alone:
        only that one is in our configuration.

        `params` may hold lists (a name repeated); None is left out. `refusal` reads a provider's own error shapes, of
        whatever status, before the status is read. `repeated` is called before each further try. Raises a ToolError
        that names the provider and no secret.
        """
        sent = {"params": _flat(params), "headers": headers, "json": json, "data": form, "content": content}
        tries = tries if method in ("GET", "HEAD") else ONCE
        exchange = _Exchange(provider, method, url, sent, cap, expect, refusal, tries, redirects)
        until = asyncio.get_running_loop().time() + seconds
        try:
            async with asyncio.timeout_at(until):
                return await tries.run(lambda: self._in_time(exchange), pause=self._pause, until=until, again=repeated)
        except TimeoutError:
            raise _late(provider, seconds) from None

    async def close(self) -> None:
        client, self._client = self._client, None
        if client is not None and self._loop is asyncio.get_running_loop():
            await client.aclose()

    async def _in_time(self, exchange: _Exchange) -> ProviderResponse:
        """One try, as long as one may take."""
        each = exchange.tries.each
        try:
            async with asyncio.timeout(each):
                return await self._once(exchange)
        except TimeoutError:
            raise TransientError(_late(exchange.provider, each or 0), late=True) from None

    async def _once(self, exchange: _Exchange) -> ProviderResponse:
        status, headers, raw = await self._wire(exchange)
        for _ in range(exchange.redirects):
            onward = onward_on_host(exchange.url, status, headers)
            if onward is None:
                break
            exchange = replace(exchange, url=onward, sent=exchange.sent | {"params": None})
            status, headers, raw = await self._wire(exchange)
        well = 200 <= status < 300
        got = ProviderResponse(
            read(exchange.provider, headers, raw, exchange.expect, exchange.cap) if well else read_error(headers, raw),
            headers,
            status,
            exchange.url,
        )
        if exchange.refusal and (failure := exchange.refusal(got)):
            raise failure
        if not well:
            raise self._to_error(exchange, got)
        return got

    async def _wire(self, exchange: _Exchange) -> tuple[int, Mapping[str, str], bytes]:
        """One request and its answer, still encoded; what httpx calls its troubles becomes Network."""
        import httpx

        client = self._open()
        try:
            request = client.build_request(exchange.method, exchange.url, **exchange.sent)
            response = await client.send(request, stream=True)
            try:
                return response.status_code, response.headers, await _body(response, exchange)
            finally:
                await response.aclose()
        except httpx.TransportError as trouble:
            raise TransientError(_no_answer(exchange.provider, trouble)) from None
        except (httpx.InvalidURL, UnicodeError):  # from None: the address may hold a key
            raise Refused(
                f"{exchange.provider}: the address made for this question is not valid.", provider=exchange.provider
            ) from None

    def _open(self) -> "httpx.AsyncClient":
        loop = asyncio.get_running_loop()
        if self._client is None or self._loop is not loop:  # a pool belongs to the loop it was opened on
            self._client, self._loop = self._new(), loop
        return self._client

    def _new(self) -> "httpx.AsyncClient":
        import httpx

        for name in ("httpx", "httpcore"):  # they log whole addresses, keys included
            logging.getLogger(name).setLevel(logging.WARNING)
        return httpx.AsyncClient(
            verify=tls_context.context(tls_context.bundle(self._settings)),
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(None, connect=5.0),
            limits=httpx.Limits(max_connections=128, max_keepalive_connections=64, keepalive_expiry=30),
            headers={"User-Agent": AGENT, "Accept-Encoding": "gzip"},
        )

    def _to_error(self, exchange: _Exchange, got: ProviderResponse) -> Exception:
        """The status in our words: the one place that knows what a status means."""
        provider, status, told = exchange.provider, got.status, wait_told(got.headers, self._clock())
        if status == 429:
            wait = told or WAIT_DEFAULT
            limit = RateLimited(
                f"{provider} wants fewer requests. Wait {wait} seconds, or use another provider.",
                provider=provider,
                retry_after=wait,
            )
            return TransientError(limit, told) if exchange.tries.patient else limit
        if status >= 500:
            failure = UpstreamFailed(f"{provider} failed (HTTP {status}).", provider=provider, retry_after=told)
            return TransientError(failure, told)
        if status in STATUSES:
            kind, sentence = STATUSES[status]
            return kind(sentence.format(provider), provider=provider)
        if status < 400:
            return UpstreamFailed(f"{provider} answered with a redirect (HTTP {status}).", provider=provider)
        return Refused(f"{provider} refused the question (HTTP {status}).", provider=provider)


STATUSES: Mapping[int, tuple[type[ToolError], str]] = {
    401: (AuthRequired, "{} refuses our key. Check the API key."),
    402: (PaymentRequired, "{} wants payment: the plan is used up or does not cover this. Use another provider."),
    403: (Blocked, "{} refuses us (HTTP 403)."),
    404: (NotFound, "{} does not have it."),
    410: (NotFound, "{} no longer has it."),
}


def wait_told(headers: Mapping[str, str], now: float) -> int | None:
    """Seconds of Retry-After, at least one; None when absent or junk."""
    seconds = retry_after_seconds(headers, datetime.fromtimestamp(now, UTC))
    return None if seconds is None else max(1, seconds)


def _flat(params: Params | None) -> dict[str, Any] | None:
    return {name: value for name, value in params.items() if value is not None} if params else None


def _late(provider: str, seconds: float) -> Network:
    sentence = f"{provider} timed out: it did not answer within {seconds:g} seconds."
    return Network(sentence, provider=provider, retry_after=NETWORK_WAIT)


def _no_answer(provider: str, trouble: "httpx.TransportError") -> Network:
    import httpx

    how = "the connection was cut"
    if isinstance(trouble, httpx.TimeoutException):
        how = "no connection in time"
    elif isinstance(trouble, httpx.ConnectError):
        how = f"its host {explain_failure(find_cause(trouble))[1]}"
    elif isinstance(trouble, httpx.UnsupportedProtocol):
        how = "its address is neither http nor https"
    return Network(f"{provider} cannot be reached: {how}.", provider=provider, retry_after=NETWORK_WAIT)


async def _body(response: "httpx.Response", exchange: _Exchange) -> bytes:
    cap = exchange.cap if response.is_success else min(exchange.cap, SAID_CAP)
    raw = bytearray()
    if exchange.expect == "nothing" and response.is_success:
        return b""
    async for chunk in response.aiter_raw():
        raw += chunk
        if len(raw) > cap:
            if not response.is_success or exchange.expect == "start":
                break
            raise too_large(exchange.provider, cap)
    return bytes(raw)
