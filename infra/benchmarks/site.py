"""Test site for benchmarks: serves a different article at every path after a fixed delay. `site.py PORT DELAY_MS`"""

import asyncio
import hashlib
import sys

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: %d\r\n\r\n"
SENTENCES = [
    "The river rose in the night and left a line of reeds along the wall.",
    "Nobody had counted the otters since the bridge was built.",
    "A stone lies in the hand like a promise that somebody else made.",
    "The survey lists forty sites, of which eleven were visited twice.",
    "Boats are tied up two by two, and the children know each of them by name.",
    "What the map calls a lake is a field for nine months of the year.",
]


def page(path: str) -> bytes:
    """Return an article of about 12 KB that depends on the path."""
    seed = hashlib.sha256(path.encode()).hexdigest()
    paragraphs = []
    for place in range(24):
        number = int(seed[place : place + 4], 16)
        chosen = [SENTENCES[(number + step * 5) % 6] for step in range(5)]
        paragraphs.append(
            f'<p>{" ".join(chosen)} <a href="/{seed[place : place + 6]}">{seed[place : place + 6]}</a></p>'
        )
    links = "".join(f'<li><a href="/menu/{place}">Menu entry {place}</a></li>' for place in range(40))
    text = f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Survey {seed[:8]}</title>
<meta name="author" content="Ada Brook"><meta property="article:published_time" content="2025-03-04"></head><body>
<header><nav><ul>{links}</ul></nav></header>
<main><article><h1>Survey {seed[:8]}</h1>{"".join(paragraphs)}</article></main>
<aside><ul>{links}</ul></aside><footer><p>All rights reserved</p></footer></body></html>"""
    return text.encode()


async def serve(port: int, delay: float) -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ", 2)[1].decode()
                await asyncio.sleep(delay)
                body = page(path)
                kind = b"HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-length: %d\r\n\r\n" % len(
                    body
                )
                writer.write(kind + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", port, backlog=512)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), float(sys.argv[2]) / 1000))
