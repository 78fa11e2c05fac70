"""HTTP transport on libcurl, by curl_cffi; for sites that block other clients with the TLS fingerprint of Chrome.

Uses libcurl handles instead of a curl_cffi session, so that libcurl keeps no cookies, follows no redirects, resolves no
names, uses no proxy and decodes nothing: the guarded client controls addresses, hops and limits.
"""

import asyncio
import re
from typing import Any, NamedTuple

from curl_cffi import AsyncCurl, Curl, CurlECode, CurlError, CurlHttpVersion, CurlInfo, CurlMOpt, CurlOpt, ffi, lib
from curl_cffi.requests.impersonate import DEFAULT_CHROME

from assay.errors import ToolError
from assay.net.connecting import explain_certificate
from assay.net.exceptions import Reason, Unreachable
from assay.net.tls_context import unreadable_bundle
from assay.net.transport import MAX_HEADER_BYTES, MAX_HEADERS, Dial, Items, Request, ResponseReader

STATUS = re.compile(r"HTTP/\S+ (\d{3})\b")
DETAIL = re.compile(r"curl: \(\d+\) (?:SSL certificate problem: |SSL: )?(.*?)\. See https://")  # in a CurlError
STOP = 0xFFFFFFFF  # what a libcurl callback returns to end the transfer
TRY_MILLISECONDS = 4000  # to connect to one of several addresses
DEFAULT_MILLISECONDS = 0  # to connect to the only address: libcurl's own limit
MAX_IDLE = 128  # idle connections of all origins
MAX_HANDLES = 32  # kept for further transfers; each has buffers of some 150 kB
IDLE_SECONDS = 30  # most servers close idle connections after 5 to 75
SMALL_PIECE = 64  # bytes
MAX_SMALL_PIECES = 50_000  # of a body: a sender of tiny chunks must not occupy the processor
TLS_1_2 = 6  # CURL_SSLVERSION_TLSv1_2
REPEATABLE = {"GET", "HEAD"}  # libcurl repeats a request whose reused connection turns out to be dead

REASONS: dict[int, tuple[Reason, str]] = {
    CurlECode.COULDNT_CONNECT: ("refused", "refuses connections"),
    CurlECode.OPERATION_TIMEDOUT: ("timeout", "does not respond in time"),
    CurlECode.GOT_NOTHING: ("reset", "closed the connection without a response"),
    CurlECode.SEND_ERROR: ("reset", "closed the connection without a response"),
    CurlECode.RECV_ERROR: ("reset", "closed the connection without a response"),
    CurlECode.SSL_CONNECT_ERROR: ("tls", "fails at TLS"),
}
UNCONNECTED = {CurlECode.COULDNT_CONNECT, CurlECode.OPERATION_TIMEDOUT}


class Outcome(NamedTuple):
    """How a transfer ended: libcurl's error code, 0 for success, its words, and OpenSSL's result of verification."""

    code: int = 0
    detail: str = ""
    verification: int = 0


SUCCESS = Outcome()


class CurlCallbacks:
    """Passes libcurl's callbacks to a ResponseReader; keeps a failure until the transfer has ended."""

    def __init__(self, reader: ResponseReader) -> None:
        self.failure: ToolError | None = None
        self.has_response = False  # the response head is complete
        self.is_stopped = False  # the reader wants no more
        self._reader = reader
        self._status = 0
        self._items: Items = []
        self._bytes = 0
        self._small_pieces = 0

    def on_head_line(self, line: bytes) -> int:
        """A line of the head: a status, a header, or the empty line at its end."""
        self._bytes += len(line)
        if self.has_response:
            return len(line)  # a trailer
        if self._bytes > MAX_HEADER_BYTES or len(self._items) > MAX_HEADERS:
            return self._fail(Unreachable(f"{self._reader.host} sent too many headers.", "protocol"))
        text = line.decode("latin-1").rstrip("\r\n")
        if status := STATUS.match(text):
            self._status, self._items = int(status[1]), []
        elif text:
            self._add_header(text)
        elif self._status >= 200:
            return self._end_head(len(line))
        return len(line)

    def on_body_piece(self, piece: bytes) -> int:
        """A piece of the body, still coded."""
        if not self.has_response:  # data after 101 Switching Protocols
            return self._fail(Unreachable(f"{self._reader.host} switched to another protocol.", "protocol"))
        self._small_pieces += len(piece) < SMALL_PIECE
        if self._small_pieces > MAX_SMALL_PIECES:
            return STOP
        try:
            if self._reader.receive_body(piece):
                return len(piece)
        except ToolError as failure:
            return self._fail(failure)
        self.is_stopped = True
        return STOP

    def _add_header(self, text: str) -> None:
        if text[0] in " \t" and self._items:  # obsolete line folding (RFC 9112, section 5.2)
            name, value = self._items[-1]
            self._items[-1] = (name, f"{value} {text.strip()}")
        else:
            name, _, value = text.partition(":")
            self._items.append((name.strip().lower(), value.strip()))

    def _end_head(self, length: int) -> int:
        self.has_response = True
        try:
            wants_body = self._reader.receive_head(self._status, self._items)
        except ToolError as failure:
            return self._fail(failure)
        if wants_body or self._reader.method == "HEAD":
            return length
        self.is_stopped = True
        return STOP

    def _fail(self, failure: ToolError) -> int:
        self.failure = failure
        return STOP


class CurlTransport:
    """A Transport on libcurl. `cafile` holds the trusted certificates; `impersonate` makes it look like Chrome."""

    def __init__(self, cafile: str, *, impersonate: bool = False, dial: Dial | None = None) -> None:
        self._cafile = cafile
        self._impersonate = impersonate
        self._dial = dial or (lambda address, port: (address, port))
        self._multi: AsyncCurl | None = None
        self._handles: list[Curl] = []  # for further transfers, with the options of this transport only

    async def exchange(self, request: Request, reader: ResponseReader) -> None:
        """See `Transport.exchange`."""
        outcome = SUCCESS
        for address in request.addresses:
            callbacks = CurlCallbacks(reader)
            outcome = await self._perform(request, address, callbacks)
            if callbacks.failure:
                raise callbacks.failure
            if callbacks.has_response:
                return reader.finish(complete=outcome.code == 0 or callbacks.is_stopped)
            if outcome.code not in UNCONNECTED:
                break
        raise _to_error(request.parsed_url.host, outcome)

    async def close(self) -> None:
        if self._multi:
            multi, self._multi = self._multi, None
            await multi.close()  # type: ignore[no-untyped-call]
        while self._handles:
            self._handles.pop().close()

    async def _perform(self, request: Request, address: str, callbacks: CurlCallbacks) -> Outcome:
        """Run one transfer to one address; certificate and Host header are those of the URL's host name.

        Its handle then serves others: a new one takes longer than all options of a request.
        """
        multi, curl, outcome = self._get_multi(), self._take_handle(), None
        connect_to = _build_address_list(*self._dial(address, request.parsed_url.port))
        try:
            _set_request(curl, request)
            curl.setopt(CurlOpt.CONNECT_TO, connect_to)
            curl.setopt(CurlOpt.HEADERFUNCTION, callbacks.on_head_line)
            curl.setopt(CurlOpt.WRITEFUNCTION, callbacks.on_body_piece)
            outcome = await _run(multi, curl)
        finally:
            if outcome is not None and len(self._handles) < MAX_HANDLES:
                self._put_back(curl, was_plain=outcome.code == 0 and _is_plain(request))
            else:
                curl.close()
            lib.curl_slist_free_all(connect_to)
        return outcome

    def _take_handle(self) -> Curl:
        """A handle with the options of this transport and none of a request."""
        if self._handles:
            return self._handles.pop()
        curl = Curl()
        self._set_client(curl)
        return curl

    def _put_back(self, curl: Curl, *, was_plain: bool) -> None:
        """Keep the handle for further transfers, without the options of its request.

        The next request replaces all that a plain one sets. What lies in memory that is freed now is unset; after other
        requests, and for an impersonated browser, all options are set anew.
        """
        curl.clean_handles_and_buffers()
        if was_plain and not self._impersonate:
            curl.setopt(CurlOpt.CONNECT_TO, ffi.NULL)
            curl.setopt(CurlOpt.HTTPHEADER, [])
        else:
            curl.reset()
            self._set_client(curl)
        self._handles.append(curl)

    def _set_client(self, curl: Curl) -> None:
        """Set what is the same for all requests."""
        if self._impersonate:
            if curl.impersonate(DEFAULT_CHROME):
                raise ToolError(f"curl_cffi cannot impersonate {DEFAULT_CHROME}.")
        else:
            curl.setopt(CurlOpt.HTTP_VERSION, CurlHttpVersion.V1_1)
            curl.setopt(CurlOpt.SSLVERSION, TLS_1_2)
        for option, value in {
            CurlOpt.CAINFO: self._cafile,
            CurlOpt.PATH_AS_IS: 1,
            CurlOpt.PROTOCOLS_STR: "http,https",
            CurlOpt.FOLLOWLOCATION: 0,
            CurlOpt.PROXY: "",
            CurlOpt.NOPROXY: "*",
            CurlOpt.HTTP_CONTENT_DECODING: 0,
            CurlOpt.NOSIGNAL: 1,
            CurlOpt.MAXAGE_CONN: IDLE_SECONDS,
        }.items():
            curl.setopt(option, value)

    def _get_multi(self) -> AsyncCurl:
        if self._multi is None or self._multi.loop is not asyncio.get_running_loop():
            self._multi = AsyncCurl(cacert=self._cafile)
            self._multi.setopt(CurlMOpt.MAXCONNECTS, MAX_IDLE)  # type: ignore[no-untyped-call]
        return self._multi


async def _run(multi: AsyncCurl, curl: Curl) -> Outcome:
    """Run the handle's transfer."""
    transfer = multi.add_handle(curl)
    try:
        await transfer
    except CurlError as failure:
        detail = DETAIL.search(str(failure))
        verification = curl.getinfo(CurlInfo.SSL_VERIFYRESULT)
        assert isinstance(verification, int)
        return Outcome(int(failure.code), detail[1] if detail else "", verification)
    except asyncio.CancelledError:
        multi.remove_handle(curl)
        raise
    return SUCCESS


def _build_address_list(address: str, port: int) -> Any:
    """libcurl's list for an option that makes it connect to this address, whatever the URL names."""
    host = f"[{address}]" if ":" in address else address
    return lib.curl_slist_append(ffi.NULL, f"::{host}:{port}".encode())


def _is_plain(request: Request) -> bool:
    """Whether the request sets no other options than those that each request sets."""
    return request.method == "GET" and request.content is None


def _set_request(curl: Curl, request: Request) -> None:
    """Set the request's options: first those of each request, then those that `_is_plain` excludes."""
    curl.setopt(CurlOpt.URL, request.parsed_url.url)
    curl.setopt(CurlOpt.CONNECTTIMEOUT_MS, TRY_MILLISECONDS if len(request.addresses) > 1 else DEFAULT_MILLISECONDS)
    headers = [
        (f"{name}: {value}" if value else f"{name};").encode("latin-1", "replace") for name, value in request.headers
    ]
    curl.setopt(CurlOpt.HTTPHEADER, [*headers, b"Expect:"])
    if request.method not in REPEATABLE:
        curl.setopt(CurlOpt.FRESH_CONNECT, 1)
    if request.content is not None:
        curl.setopt(CurlOpt.POSTFIELDS, request.content)
        curl.setopt(CurlOpt.POSTFIELDSIZE, len(request.content))
    if request.method == "HEAD":
        curl.setopt(CurlOpt.NOBODY, 1)
    elif request.method != ("GET" if request.content is None else "POST"):
        curl.setopt(CurlOpt.CUSTOMREQUEST, request.method)


def _to_error(host: str, outcome: Outcome) -> ToolError:
    """The error for a transfer without a response."""
    if outcome.code == CurlECode.SSL_CACERT_BADFILE:
        return unreadable_bundle()
    if outcome.code == CurlECode.PEER_FAILED_VERIFICATION:
        return Unreachable(f"{host} {explain_certificate(outcome.detail, outcome.verification)}.", "tls")
    reason, words = REASONS.get(outcome.code, ("protocol", "sent no valid response"))
    return Unreachable(f"{host} {words}.", reason)
