"""A page can reach only what the SSRF guard permits, as observed by a canary port on this machine."""

import asyncio
import contextlib
import datetime as dt
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

import pytest
import pytest_asyncio
from tests.chromium import attacks

from assay.chromium.launch_options import OFF, arguments
from assay.errors import ToolError

AT_A_TIME = 6
# Chromium has a guard of its own against some of this; it must not be what holds here.
UNGUARDED = ",".join((*OFF, "LocalNetworkAccessChecks", "BlockInsecurePrivateNetworkRequests"))
SECURE = "--unsafely-treat-insecure-origin-as-secure=http://site.example"  # or half of the attacks would not run


@dataclass
class Canary:
    """Hears whoever connects or sends a datagram, and answers as a web server that lets everybody read."""

    port: int = 0
    knocks: list[str] = field(default_factory=list)

    async def serve(self, reader, writer):
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            first = ""
            self.knocks.append("connection")
            first = (await reader.readuntil(b"\r\n")).decode("latin-1").strip()
            self.knocks[self.knocks.index("connection")] = first
            writer.write(
                b"HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\naccess-control-allow-headers: *\r\n"
                b"content-length: 0\r\nconnection: close\r\n\r\n"
            )
            await writer.drain()
        writer.close()

    def was_reached(self, name):
        return any(f"/{name}/" in knock for knock in self.knocks)


class DatagramCounter(asyncio.DatagramProtocol):
    def __init__(self, canary):
        self.canary = canary

    def datagram_received(self, *_):
        self.canary.knocks.append("datagram")


@pytest_asyncio.fixture
async def canary():
    canary, loop = Canary(), asyncio.get_running_loop()
    server = await asyncio.start_server(canary.serve, None, 0, family=2)
    canary.port = server.sockets[0].getsockname()[1]
    six = await asyncio.start_server(canary.serve, "::1", canary.port)
    was_reached = [
        await loop.create_datagram_endpoint(lambda: DatagramCounter(canary), local_addr=(host, canary.port))
        for host in ("127.0.0.1", "::1")
    ]
    yield canary
    for each in (server, six):
        each.close()
    for transport, _ in was_reached:
        transport.close()


def insert_address(text: str, name: str, port: int, host: str = "127.0.0.1") -> str:
    """The attack with the canary's address in it; the path tells whose it was."""
    for mark, value in (
        ("PORT", str(port)),
        ("C/", f"http://{host}:{port}/{name}/"),
        ("W/", f"ws://{host}:{port}/{name}/"),
        (":H", f":{host}:{port}"),
    ):
        text = text.replace(mark, value)
    return text


def list_pages(fake_hosts, port: int) -> Iterator[tuple[list[str], str]]:
    """The address of every page, with the names of its attacks."""
    for parts, headers in attacks.pages():
        names = list(parts)
        place = f"{names[0]}.site.example" if names[0].startswith("top") else "site.example"
        texts = (insert_address(html, name, port).replace("/hop", f"/{name}/hop") for name, html in parts.items())
        headers_sent = {key: insert_address(value, names[0], port) for key, value in headers.items()}
        fake_hosts.says(f"{place}/{names[0]}", attacks.body("".join(texts)), **headers_sent)
        for name, (status, hop) in product(names, ((302, "hop"), (307, "hop307"))):
            fake_hosts.says(f"/{name}/{hop}", "", status, location=f"http://127.0.0.1:{port}/{name}/")
        yield names, f"http://{place}/{names[0]}"
    links = {f"spelling-{number}": host for number, host in enumerate(attacks.SPELLINGS)}
    links = {name: f"http://{host}:{port}/{name}/" for name, host in links.items()}
    asked = (f"<img src='{link}'><script>fetch('{link}',{{mode:'no-cors'}})</script>" for link in links.values())
    fake_hosts.says("/spellings", attacks.body("".join(asked)))
    yield list(links), "http://site.example/spellings"
    for status in (301, 303, 308):
        name = f"hop-{status}"
        fake_hosts.says(f"/{name}", "", status, location=f"http://127.0.0.1:{port}/{name}/")
        yield [name], f"http://site.example/{name}"
    for name, leads in (
        ("relative", f"//127.0.0.1:{port}/relative/"),
        ("named", f"http://inward.example:{port}/named/"),
    ):
        fake_hosts.says(f"/{name}", "", 302, location=leads)
        yield [name], f"http://site.example/{name}"


def serve_scripts(fake_hosts, port: int) -> None:
    turns = iter(([fake_hosts.public], *[["127.0.0.1"]] * 99))
    fake_hosts.names |= {"inward.example": ["127.0.0.1"], "mixed.example": [fake_hosts.public, "127.0.0.1"]}
    fake_hosts.turning = lambda: next(turns)
    fake_hosts.says(
        "/shared.js",
        f"fetch('http://127.0.0.1:{port}/shared-worker/',{{mode:'no-cors'}})",
        content_type="text/javascript",
    )
    fake_hosts.says(
        "/service.js",
        "onmessage = said => fetch(said.data, {mode: 'no-cors'}); oninstall = () => skipWaiting();"
        "onactivate = () => clients.claim()",
        content_type="text/javascript",
    )


async def render_all(browser, pages) -> None:
    """Render every page. What a page ends in does not matter here, as long as it ends."""
    limit = asyncio.Semaphore(AT_A_TIME)

    async def one(url):
        async with limit:
            with contextlib.suppress(ToolError):
                await browser.render(url, settle=0.3, seconds=6)

    await asyncio.gather(*(one(url) for _, url in pages))


def arguments_without_guard(settings, dead):
    text = [word for word in arguments(settings, dead) if not word.startswith("--disable-features=")]
    return [*text, f"--disable-features={UNGUARDED}", SECURE]


async def test_no_attack_reaches_this_machine(fake_hosts, canary, browser_of):
    serve_scripts(fake_hosts, canary.port)
    pages = [*list_pages(fake_hosts, canary.port)]
    browser = browser_of(
        build_arguments=arguments_without_guard, environ={"MAX_SCRAPE_CONCURRENCY_BROWSER": str(AT_A_TIME)}
    )
    await render_all(browser, pages)
    assert sum(len(names) for names, _ in pages) >= 130
    assert canary.knocks == []
    assert {address for address, _ in fake_hosts.dialled} == {fake_hosts.public}
    fake_hosts.says("/after", "<p>well")
    assert "well" in (await browser.render("http://site.example/after", settle=0.2, seconds=6)).html


async def test_the_same_attacks_arrive_where_the_gate_stands_open(fake_hosts, canary, browser_of):
    """So that the test above can fail: what is refused there is really asked for."""
    serve_scripts(fake_hosts, canary.port)
    pages = [*list_pages(fake_hosts, canary.port)]

    def dial(address, port):
        return ("127.0.0.1", fake_hosts.port) if address == fake_hosts.public else (address, port)

    browser = browser_of(
        build_arguments=arguments_without_guard,
        connect=dial,
        environ={"MAX_SCRAPE_CONCURRENCY_BROWSER": str(AT_A_TIME), "ALLOW_PRIVATE_IPS": "true"},
    )
    await render_all(browser, pages)
    arrived = {name for names, _ in pages for name in names if canary.was_reached(name)}
    assert len(arrived) >= 85


async def test_datagrams_leave_where_nothing_forbids_them(fake_hosts, canary, browser_of):
    serve_scripts(fake_hosts, canary.port)

    def open_wide(settings, dead):
        return [
            word
            for word in arguments_without_guard(settings, dead)
            if "webrtc" not in word and "proxy" not in word and "resolver" not in word
        ]

    pages = [page for page in list_pages(fake_hosts, canary.port) if any(name.startswith("rtc") for name in page[0])]
    await render_all(browser_of(build_arguments=open_wide), pages)
    assert "datagram" in canary.knocks


async def test_a_certificate_cannot_send_the_browser_anywhere(behind_tls, canary, browser_of, tmp_path):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate(tmp_path, f"http://127.0.0.1:{canary.port}/issuer"))
    port = behind_tls(context)
    browser = browser_of(connect=lambda *_: ("127.0.0.1", port), build_arguments=arguments_without_guard)
    with pytest.raises(ToolError):
        await browser.render("https://site.example/", settle=0.2, seconds=5)
    assert canary.knocks == []


async def test_the_browser_alone_has_no_way_out(fake_hosts, canary, browser_of):
    """Requests outside a page's context go to a port without listener."""
    browser = browser_of(build_arguments=arguments_without_guard)
    fake_hosts.says("/page", "<p>well")
    await browser.render("http://site.example/page", settle=0.2, seconds=5)
    pipe = browser._engine.process.pipe
    target = (await pipe.send("Target.createTarget", url=f"http://127.0.0.1:{canary.port}/"))["targetId"]
    session = (await pipe.send("Target.attachToTarget", targetId=target, flatten=True))["sessionId"]
    for url in (f"http://127.0.0.1:{canary.port}/", f"http://[::1]:{canary.port}/", f"http://localhost:{canary.port}/"):
        text = await pipe.send("Page.navigate", session, url=url)
        assert text["errorText"].startswith("net::ERR_")
    assert canary.knocks == []


def certificate(folder, issuer):
    """A certificate of site.example whose issuer is said to be found at an address of the attacker's choice."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key, now = ec.generate_private_key(ec.SECP256R1()), dt.datetime.now(dt.UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "site.example")])
    other = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Unknown authority")])
    access = x509.AuthorityInformationAccess(
        [x509.AccessDescription(x509.AuthorityInformationAccessOID.CA_ISSUERS, x509.UniformResourceIdentifier(issuer)),
         x509.AccessDescription(x509.AuthorityInformationAccessOID.OCSP, x509.UniformResourceIdentifier(issuer))]
    )  # fmt: skip
    created = (
        x509.CertificateBuilder().subject_name(name).issuer_name(other).public_key(key.public_key())
        .serial_number(7).not_valid_before(now - dt.timedelta(1)).not_valid_after(now + dt.timedelta(30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("site.example")]), False)
        .add_extension(access, False).sign(key, hashes.SHA256())
    )  # fmt: skip
    path = folder / "site.pem"
    path.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        + created.public_bytes(serialization.Encoding.PEM)
    )
    return path
