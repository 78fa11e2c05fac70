"""The stealth engine: a browser's TLS and headers by libcurl, for pages that turn others away.

libcurl is driven by hand rather than through a session, so that it keeps no cookies, follows nothing, asks no resolver
and no proxy, and unpacks nothing: the address, the hops and the caps stay ours.
"""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager

from curl_cffi import AsyncCurl, Curl, CurlECode, CurlError, CurlOpt, ffi, lib
from curl_cffi.requests.impersonate import DEFAULT_CHROME

from assay.errors import ToolError
from assay.net.exceptions import Reason, Unreachable
from assay.net.transport import MOST_HEADER_BYTES, MOST_HEADERS, Dial, Items, Request, ResponseReader

STATUS = re.compile(r"HTTP/\S+ (\d{3})\b")
STOP = 0xFFFFFFFF  # what a libcurl callback returns to end the transfer
TRY_MILLISECONDS = 4000  # for one of several addresses

REASONS: dict[int, tuple[Reason, str]] = {
    CurlECode.COULDNT_CONNECT: ("refused", "refuses connections"),
    CurlECode.OPERATION_TIMEDOUT: ("timeout", "does not answer in time"),
    CurlECode.GOT_NOTHING: ("reset", "closed the connection without an answer"),
    CurlECode.SEND_ERROR: ("reset", "closed the connection without an answer"),
    CurlECode.RECV_ERROR: ("reset", "closed the connection without an answer"),
    CurlECode.SSL_CONNECT_ERROR: ("tls", "fails at TLS"),
    CurlECode.SSL_CACERT_BADFILE: ("tls", "cannot be checked: the file of trusted certificates cannot be read"),
    CurlECode.PEER_FAILED_VERIFICATION: ("tls", "has no certificate to be trusted"),
}
UNCONNECTED = {CurlECode.COULDNT_CONNECT, CurlECode.OPERATION_TIMEDOUT}


class CurlResponseReader:
    """What libcurl hears, handed to the answer; a failure is kept until libcurl has come to its end."""

    def __init__(self, answer: ResponseReader) -> None:
        self.failure: ToolError | None = None
        self.begun = False  # the answer's head is complete
        self.stopped = False  # by us: nothing more is wanted
        self._answer = answer
        self._status = 0
        self._items: Items = []
        self._bytes = 0

    def line(self, line: bytes) -> int:
        """A line of the head: a status, a header, or the empty line at its end."""
        self._bytes += len(line)
        if self.begun:
            return len(line)  # a trailer
        if self._bytes > MOST_HEADER_BYTES or len(self._items) > MOST_HEADERS:
            return self._fail(Unreachable(f"{self._answer.host} answers with too many headers.", "protocol"))
        text = line.decode("latin-1").rstrip("\r\n")
        if status := STATUS.match(text):
            self._status, self._items = int(status[1]), []
        elif text:
            self._header(text)
        elif self._status >= 200:
            return self._head(len(line))
        return len(line)

    def piece(self, piece: bytes) -> int:
        """A piece of the body, still coded."""
        try:
            if self._answer.feed(piece):
                return len(piece)
        except ToolError as failure:
            return self._fail(failure)
        self.stopped = True
        return STOP

    def _header(self, text: str) -> None:
        if text[0] in " \t" and self._items:  # a header folded over two lines, as was once allowed
            name, value = self._items[-1]
            self._items[-1] = (name, f"{value} {text.strip()}")
        else:
            name, _, value = text.partition(":")
            self._items.append((name.strip().lower(), value.strip()))

    def _head(self, length: int) -> int:
        self.begun = True
        try:
            wanted = self._answer.head(self._status, self._items)
        except ToolError as failure:
            return self._fail(failure)
        if wanted or self._answer.method == "HEAD":
            return length
        self.stopped = True
        return STOP

    def _fail(self, failure: ToolError) -> int:
        self.failure = failure
        return STOP


class ImpersonatingTransport:
    """HTTP as Chrome speaks it, as `Engine` asks for it. `cafile` holds the trusted certificates."""

    def __init__(self, cafile: str, *, dial: Dial | None = None) -> None:
        self._cafile = cafile
        self._dial = dial or (lambda address, port: (address, port))
        self._multi: AsyncCurl | None = None

    async def exchange(self, request: Request, answer: ResponseReader) -> None:
        """See Engine."""
        code = 0
        for address in request.addresses:
            reading = CurlResponseReader(answer)
            code = await self._perform(request, address, reading)
            if reading.failure:
                raise reading.failure
            if reading.begun:
                return answer.end(complete=code == 0 or reading.stopped)
            if code not in UNCONNECTED:
                break
        reason, words = REASONS.get(code, ("protocol", "gives no answer that can be read"))
        raise Unreachable(f"{request.place.host} {words}.", reason)

    async def close(self) -> None:
        if self._multi:
            multi, self._multi = self._multi, None
            await multi.close()  # type: ignore[no-untyped-call]

    async def _perform(self, request: Request, address: str, reading: CurlResponseReader) -> int:
        """Run one transfer to one address; libcurl's code of how it ended, 0 for well."""
        multi = self._on_this_loop()
        with _handle(*self._dial(address, request.place.port)) as curl:
            _aim(curl, request, self._cafile)
            curl.setopt(CurlOpt.HEADERFUNCTION, reading.line)
            curl.setopt(CurlOpt.WRITEFUNCTION, reading.piece)
            done = multi.add_handle(curl)
            try:
                await done
            except CurlError as failure:
                return int(failure.code)
            except asyncio.CancelledError:
                multi.remove_handle(curl)
                raise
        return 0

    def _on_this_loop(self) -> AsyncCurl:
        if self._multi is None or self._multi.loop is not asyncio.get_running_loop():
            self._multi = AsyncCurl(cacert=self._cafile)
        return self._multi


@contextmanager
def _handle(address: str, port: int) -> Iterator[Curl]:
    """A transfer that connects to the address whatever the URL says; certificate and Host go by the URL's name."""
    host = f"[{address}]" if ":" in address else address
    pin = lib.curl_slist_append(ffi.NULL, f"::{host}:{port}".encode())
    curl = Curl()
    try:
        if curl.impersonate(DEFAULT_CHROME):
            raise ToolError(f"curl_cffi cannot speak as {DEFAULT_CHROME}.")
        curl.setopt(CurlOpt.CONNECT_TO, pin)
        yield curl
    finally:
        curl.close()
        lib.curl_slist_free_all(pin)


def _aim(curl: Curl, request: Request, cafile: str) -> None:
    for option, value in {
        CurlOpt.URL: request.place.url,
        CurlOpt.PATH_AS_IS: 1,
        CurlOpt.PROTOCOLS_STR: "http,https",
        CurlOpt.FOLLOWLOCATION: 0,
        CurlOpt.PROXY: "",
        CurlOpt.NOPROXY: "*",
        CurlOpt.HTTP_CONTENT_DECODING: 0,
        CurlOpt.CAINFO: cafile,
        CurlOpt.NOSIGNAL: 1,
    }.items():
        curl.setopt(option, value)
    if len(request.addresses) > 1:
        curl.setopt(CurlOpt.CONNECTTIMEOUT_MS, TRY_MILLISECONDS)
    if request.content is not None:
        curl.setopt(CurlOpt.POSTFIELDS, request.content)
        curl.setopt(CurlOpt.POSTFIELDSIZE, len(request.content))
    if request.method == "HEAD":
        curl.setopt(CurlOpt.NOBODY, 1)
    elif request.method != ("GET" if request.content is None else "POST"):
        curl.setopt(CurlOpt.CUSTOMREQUEST, request.method)
    headers = [f"{name}: {value}" if value else f"{name};" for name, value in request.headers]
    curl.setopt(CurlOpt.HTTPHEADER, [header.encode("latin-1", "replace") for header in (*headers, "Expect:")])
