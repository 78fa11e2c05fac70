"""SSRF-safe HTTP client for URLs that callers, pages, feeds and redirects name.

Every hop is checked by `SsrfGuard`, and connections go to the checked addresses only.
"""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from assay.errors import InvalidInput
from assay.net import tls_context, urls
from assay.net.agents import PROGRAM, is_wikimedia, with_contact
from assay.net.cookies import Jar
from assay.net.dns import Resolve, system_resolve
from assay.net.exceptions import TooManyRedirects, Unreachable
from assay.net.response_body import ACCEPTED, Body
from assay.net.ssrf_guard import ResolvedTarget, SsrfGuard
from assay.net.transport import Dial, Items, Request, ResponseReader, Transport
from assay.settings import Settings

AGENT = f"Mozilla/5.0 (compatible; {PROGRAM})"
LEFT_HTTPS = "A redirect led from https to http, so the content could have been changed in transit."
METHOD = re.compile(r"[A-Z]+")
NAME = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
VALUE = re.compile(r"[\t\x20-\x7e]*")
RESERVED_HEADERS = {
    "host",
    "connection",
    "content-length",
    "transfer-encoding",
    "accept-encoding",
    "te",
    "upgrade",
    "expect",
}
CROSS_ORIGIN_HEADERS = {"accept", "accept-language", "user-agent", "content-type"}  # forwarded to other origins
SAFE = {"GET", "HEAD"}


@dataclass(frozen=True)
class Fetched:
    """A response. Header names are lower case, repeated headers are joined by ", "; `body` is decoded by default."""

    url: str  # final and canonical
    status: int
    headers: Mapping[str, str]
    body: bytes
    truncated: bool  # the cap or a broken connection ended the body early
    hops: int
    broken: bool = False  # the connection broke before the end of the body and before the cap
    items: Items = field(default_factory=list)  # the headers in order, not joined
    left_https: bool = False  # a redirect led from https to http

    @property
    def content_type(self) -> str:
        """The media type without parameters, lower case; "" if absent."""
        return self.headers.get("content-type", "").partition(";")[0].partition(",")[0].strip().lower()

    @property
    def charset(self) -> str | None:
        found = re.search(r"""charset\s*=\s*["']?([^\s"';,]+)""", self.headers.get("content-type", ""), re.IGNORECASE)
        return found[1].lower() if found else None


@dataclass(frozen=True)
class HopRequest:
    """The request of one hop."""

    at: ResolvedTarget
    method: str
    headers: Mapping[str, str]
    content: bytes | None

    def redirect_to(self, at: ResolvedTarget, status: int) -> "HopRequest":
        """The request of the next hop (Fetch Standard, HTTP-redirect fetch); other origins get few of the headers."""
        following = replace(self, at=at)
        if self.method not in SAFE and status in {301, 302, 303}:
            kept = {name: value for name, value in self.headers.items() if name != "content-type"}
            following = replace(following, method="GET", headers=kept, content=None)
        if at.place.origin != self.at.place.origin:
            kept = {name: value for name, value in following.headers.items() if name in CROSS_ORIGIN_HEADERS}
            following = replace(following, headers=kept)
        return following


class GuardedClient:
    """Fetches URLs from untrusted sources. One per process, which keeps connections open between calls.

    Tests replace `resolve` and `connect`, which maps a checked address and port to the ones to connect to.
    """

    def __init__(self, settings: Settings, *, resolve: Resolve = system_resolve, connect: Dial | None = None) -> None:
        self.gate = SsrfGuard(settings, resolve=resolve)
        self._settings = settings
        self._connect = connect
        self._transports: dict[bool, Transport] = {}  # by whether they impersonate a browser

    async def fetch(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
        accept: str = "*/*",
        cap: int,
        seconds: float = 20.0,
        max_redirects: int = 5,
        over_cap: Literal["cut", "refuse"] = "cut",
        stealth: bool = False,
        decode: bool = True,
        within: Callable[[str], bool] | None = None,
    ) -> Fetched:
        """Fetch `url`, with redirects, within `seconds`; returns the response whatever its status.

        `cap` limits the body in decoded bytes. A redirect is returned itself if `max_redirects` is 0 or `within`
        rejects its canonical target. Without `decode` the body is requested and returned without decoding. Raises
        InvalidInput for a forbidden URL and Network without a response.
        """
        method = _check_method(method)
        given = {"accept": accept} | _check_headers(headers or {})
        answer = ResponseReader(host="", method=method, cap=cap, over_cap=over_cap, decode=decode)
        stealth = stealth and not is_wikimedia(urls.parse_url(url).host)
        try:
            async with asyncio.timeout(seconds):
                ask = HopRequest(await self.gate.check(url), method, given, content)
                return await self._follow(ask, answer, stealth, max_redirects, within or _anywhere)
        except TimeoutError as late:
            raise Unreachable(
                f"The URL's host did not complete its response in {seconds:g} seconds.", "timeout"
            ) from late

    async def check(self, url: str) -> str:
        """The canonical URL, if it may be fetched. Raises InvalidInput, or Network if its name does not resolve."""
        return (await self.gate.check(url)).place.url

    async def close(self) -> None:
        for transport in self._transports.values():
            await transport.close()

    async def _follow(
        self,
        ask: HopRequest,
        blank: ResponseReader,
        stealth: bool,
        max_redirects: int,
        within: Callable[[str], bool],
    ) -> Fetched:
        seen, jar, left_https = set(), Jar(), False
        for hops in range(max_redirects + 1):
            place = ask.at.place
            seen.add(place.url)
            answer = replace(blank, host=place.host, method=ask.method, headers=[], body=None)
            request = self._request(ask, jar, stealth=stealth, decode=answer.decode)
            await self._transport(stealth).exchange(request, answer)
            jar.keep(place, (value for name, value in answer.headers if name == "set-cookie"))
            if (
                answer.location is None
                or not max_redirects
                or not within(urls.parse_url(answer.location, place.url).url)
            ):
                return replace(_to_fetched(answer, place.url, hops), left_https=left_https)
            at = await self.gate.check(answer.location, place.url)
            left_https = left_https or (place.scheme == "https" and at.place.scheme == "http")
            ask = ask.redirect_to(at, answer.status)
        words = "in a circle" if ask.at.place.url in seen else f"more than {max_redirects} times"
        raise TooManyRedirects(f"The URL redirects {words}; give the final address.", "other")

    def _transport(self, stealth: bool) -> Transport:
        if stealth not in self._transports:
            from assay.net.curl_transport import CurlTransport  # on first use, for fast cold starts

            bundle = tls_context.bundle(self._settings)
            self._transports[stealth] = CurlTransport(bundle, impersonate=stealth, dial=self._connect)
        return self._transports[stealth]

    def _request(self, ask: HopRequest, jar: Jar, *, stealth: bool, decode: bool) -> Request:
        place, given = ask.at.place, dict(ask.headers)
        if cookies := jar.header(place):
            given["cookie"] = f"{given['cookie']}; {cookies}" if "cookie" in given else cookies
        if not stealth:
            accepted = {"accept-encoding": ACCEPTED} if decode else {}
            given = {"host": place.authority, "user-agent": AGENT} | accepted | given
            if is_wikimedia(place.host):
                given["user-agent"] = with_contact(given["user-agent"], self._settings)
            if ask.content is not None:
                given["content-length"] = str(len(ask.content))
        elif given.get("accept") == "*/*":
            del given["accept"]  # the impersonated browser's own Accept header is used
        return Request(place, ask.at.addresses, ask.method, list(given.items()), ask.content)


def _anywhere(_: str) -> bool:
    return True


def _check_method(method: str) -> str:
    method = method.upper()
    if not METHOD.fullmatch(method) or method in {"CONNECT", "TRACE"}:
        raise InvalidInput(f"The HTTP method {method[:20]!r} is not allowed.", field="method")
    return method


def _check_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The caller's headers with lower-case names. Raises InvalidInput for invalid or reserved ones."""
    given = {name.lower(): value.strip() for name, value in headers.items()}
    for name, value in given.items():
        if (
            not NAME.fullmatch(name)
            or not VALUE.fullmatch(value)
            or name in RESERVED_HEADERS
            or name.startswith("proxy-")
        ):
            raise InvalidInput(f"The request header {name[:40]!r} may not be set.", field="headers")
    return given


def _to_fetched(answer: ResponseReader, url: str, hops: int) -> Fetched:
    joined: dict[str, str] = {}
    for name, value in answer.headers:
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    body = answer.body or Body("", 0)
    return Fetched(
        url,
        answer.status,
        joined,
        bytes(body.content),
        body.truncated,
        hops,
        broken=body.cut and not body.full,
        items=answer.headers,
    )
