"""SSRF-safe HTTP client for URLs that callers, pages, feeds and redirects name.

Every hop is checked by `SsrfGuard`, and connections go to the checked addresses only.
"""

import asyncio
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from assay.errors import InvalidInput
from assay.net import tls_context, urls
from assay.net.agents import PROGRAM, add_contact, is_wikimedia
from assay.net.cookies import CookieJar
from assay.net.dns import Resolve, system_resolve
from assay.net.exceptions import TooManyRedirects, Unreachable
from assay.net.response_body import ACCEPTED, Body
from assay.net.ssrf_guard import ResolvedTarget, SsrfGuard
from assay.net.transport import Dial, Items, Request, ResponseReader, Transport
from assay.settings import Settings
from assay.state.outgoing_requests import note_request
from assay.state.spans import build_trace_headers, open_request_span

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


class HopRequest(NamedTuple):
    """The request of one hop."""

    target: ResolvedTarget
    method: str
    headers: Mapping[str, str]
    content: bytes | None

    def redirect_to(self, target: ResolvedTarget, status: int) -> "HopRequest":
        """The request of the next hop (Fetch Standard, HTTP-redirect fetch); other origins get few of the headers."""
        next_hop = self._replace(target=target)
        if self.method not in SAFE and status in {301, 302, 303}:
            forwarded = {name: value for name, value in self.headers.items() if name != "content-type"}
            next_hop = next_hop._replace(method="GET", headers=forwarded, content=None)
        if target.parsed_url.origin != self.target.parsed_url.origin:
            forwarded = {name: value for name, value in next_hop.headers.items() if name in CROSS_ORIGIN_HEADERS}
            next_hop = next_hop._replace(headers=forwarded)
        return next_hop


class GuardedClient:
    """Fetches URLs from untrusted sources. One per process, which keeps connections open between calls.

    Tests replace `resolve` and `connect`, which maps a checked address and port to the ones to connect to.
    """

    def __init__(self, settings: Settings, *, resolve: Resolve = system_resolve, connect: Dial | None = None) -> None:
        self.guard = SsrfGuard(settings, resolve=resolve)
        self._settings = settings
        self._connect = connect
        self._transports: dict[bool, Transport] = {}  # by whether they impersonate a browser

    def prepare(self) -> None:
        """Create the transport of most requests, which the first one otherwise does."""
        self._transport(stealth=False)

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
        note_request("web", url)
        request_headers = {"accept": accept} | _check_headers(headers or {})
        reader = ResponseReader(host="", method=method, cap=cap, over_cap=over_cap, decode=decode)
        stealth = stealth and not is_wikimedia(urls.parse_url(url).host)
        try:
            async with asyncio.timeout(seconds):
                hop = HopRequest(await self.guard.check(url), method, request_headers, content)
                return await self._follow(hop, reader, stealth, max_redirects, within or _accept_any)
        except TimeoutError as late:
            raise Unreachable(
                f"The URL's host did not complete its response in {seconds:g} seconds.", "timeout"
            ) from late

    async def check(self, url: str) -> str:
        """The canonical URL, if it may be fetched. Raises InvalidInput, or Network if its name does not resolve."""
        return (await self.guard.check(url)).parsed_url.url

    async def close(self) -> None:
        for transport in self._transports.values():
            await transport.close()

    async def _follow(
        self,
        hop: HopRequest,
        template: ResponseReader,
        stealth: bool,
        max_redirects: int,
        within: Callable[[str], bool],
    ) -> Fetched:
        visited, cookie_jar, left_https = set(), CookieJar(), False
        for hops in range(max_redirects + 1):
            parsed_url = hop.target.parsed_url
            visited.add(parsed_url.url)
            reader = ResponseReader(parsed_url.host, hop.method, template.cap, template.over_cap, template.decode)
            with open_request_span(self._settings, hop.method, parsed_url.url) as span:
                request = self._request(hop, cookie_jar, stealth=stealth, decode=reader.decode)
                await self._transport(stealth).exchange(request, reader)
                span.set_status(reader.status)
            cookie_jar.store(parsed_url, (value for name, value in reader.headers if name == "set-cookie"))
            if (
                reader.location is None
                or not max_redirects
                or not within((onward := urls.parse_url(reader.location, parsed_url.url)).url)
            ):
                return _to_fetched(reader, parsed_url.url, hops, left_https=left_https)
            target = await self.guard.check_parsed(onward)
            left_https = left_https or (parsed_url.scheme == "https" and target.parsed_url.scheme == "http")
            hop = hop.redirect_to(target, reader.status)
        words = "in a circle" if hop.target.parsed_url.url in visited else f"more than {max_redirects} times"
        raise TooManyRedirects(f"The URL redirects {words}; give the final address.", "other")

    def _transport(self, stealth: bool) -> Transport:
        if stealth not in self._transports:
            from assay.net.curl_transport import CurlTransport  # on first use, for fast cold starts

            bundle = tls_context.find_bundle(self._settings)
            self._transports[stealth] = CurlTransport(bundle, impersonate=stealth, dial=self._connect)
        return self._transports[stealth]

    def _request(self, hop: HopRequest, cookie_jar: CookieJar, *, stealth: bool, decode: bool) -> Request:
        parsed_url, request_headers = hop.target.parsed_url, dict(hop.headers)
        if cookies := cookie_jar.build_header(parsed_url):
            request_headers["cookie"] = (
                f"{request_headers['cookie']}; {cookies}" if "cookie" in request_headers else cookies
            )
        if not stealth:
            accepted = {"accept-encoding": ACCEPTED} if decode else {}
            request_headers = {"host": parsed_url.authority, "user-agent": AGENT} | accepted | request_headers
            request_headers |= build_trace_headers(self._settings)
            if is_wikimedia(parsed_url.host):
                request_headers["user-agent"] = add_contact(request_headers["user-agent"], self._settings)
            if hop.content is not None:
                request_headers["content-length"] = str(len(hop.content))
        elif request_headers.get("accept") == "*/*":
            del request_headers["accept"]  # the impersonated browser's own Accept header is used
        return Request(parsed_url, hop.target.addresses, hop.method, list(request_headers.items()), hop.content)


def _accept_any(_: str) -> bool:
    return True


def _check_method(method: str) -> str:
    method = method.upper()
    if not METHOD.fullmatch(method) or method in {"CONNECT", "TRACE"}:
        raise InvalidInput(f"The HTTP method {method[:20]!r} is not allowed.", field="method")
    return method


def _check_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """The caller's headers with lower-case names. Raises InvalidInput for invalid or reserved ones."""
    request_headers = {name.lower(): value.strip() for name, value in headers.items()}
    for name, value in request_headers.items():
        if (
            not NAME.fullmatch(name)
            or not VALUE.fullmatch(value)
            or name in RESERVED_HEADERS
            or name.startswith("proxy-")
        ):
            raise InvalidInput(f"The request header {name[:40]!r} may not be set.", field="headers")
    return request_headers


def _to_fetched(reader: ResponseReader, url: str, hops: int, *, left_https: bool) -> Fetched:
    joined: dict[str, str] = {}
    for name, value in reader.headers:
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    body = reader.body or Body("", 0)
    return Fetched(
        url,
        reader.status,
        joined,
        bytes(body.content),
        body.truncated,
        hops,
        broken=body.cut and not body.full,
        items=reader.headers,
        left_https=left_https,
    )
