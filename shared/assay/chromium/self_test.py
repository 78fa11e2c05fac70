"""Self-test: renders a local page with a script."""

import asyncio
from dataclasses import replace

from assay.chromium.browser import Chromium
from assay.settings import Settings

SECONDS = 20.0
PAGE = b"<!doctype html><title>Trial</title><p id=p></p><script>p.textContent = 6 * 7 + ' by a script'</script>"


async def run_self_test(settings: Settings) -> str:
    """Return the browser's version. Raises BrowserUnavailable if it does not start, OSError on a wrong result."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        head = f"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {len(PAGE)}\r\nconnection: close\r\n\r\n"
        writer.write(head.encode() + PAGE)
        await writer.drain()
        writer.close()

    async def resolve(_: str, __: int) -> list[str]:
        return ["192.0.43.10"]  # any public address: `connect` redirects it to the local server

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port: int = server.sockets[0].getsockname()[1]
    own = replace(settings, allowed_domains=())
    chromium = Chromium(own, resolve=resolve, connect=lambda *_: ("127.0.0.1", port))
    try:
        rendered = await chromium.render("http://trial.example/", settle=0.1, seconds=SECONDS)
        if "42 by a script" not in rendered.html:
            raise OSError("the script of the test page did not run")
        return f"{await chromium.version()} renders pages"
    finally:
        await chromium.close()
        server.close()
