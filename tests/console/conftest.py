"""A server with Ada, whose stored texts are all hostile, and browsers that are signed in."""

import contextlib
import dataclasses
import shutil
from pathlib import Path

import httpx
import pytest
import pytest_asyncio
from tests.oauth.browsers import Browser
from tests.support import belongings, sample_calls
from tests.support.sample_calls import SampleServices

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.consent.consent_records import PURPOSES
from assay.context import Context
from assay.crawl.job import CRAWLS
from assay.crawl.start import start_crawl
from assay.entrypoints.http.local_server import create_app
from assay.net.provider_client import ProviderClient
from assay.oauth.browser_sessions import start_session
from assay.oauth.principals import Principal
from assay.state.audit import Call
from assay.state.budget import ProviderUse
from assay.state.key_store import build_key, save_key
from assay.webhooks.webhook_outbox import DELIVERIES, list_undelivered

BASE = "http://127.0.0.1:8787"
ADA = Caller("acme", "ada", frozenset({"*", "admin"}))
EVE = Caller("acm", "ad", frozenset({"*"}))
HOSTILE = "zander<svg/onload=window.taken=1>'%00{{7*7}}\u202e<script>taken()</script>"  # in every text of Ada's data
LIMITS = {"RATE_LIMIT_PER_TENANT": "100000", "DAILY_QUOTA_PER_TENANT": "100000", "MAX_CALLS_PER_DAY": "100000"}


@pytest.fixture
def environ(environ, site):
    return environ | sample_calls.environ(site.url) | belongings.SETTINGS | LIMITS


@pytest_asyncio.fixture
async def server(services, site, fake_hosts):
    """The services of a server where people sign in; no worker changes what is stored."""
    return let_people_sign_in(services, site, fake_hosts)


def let_people_sign_in(services, site, fake_hosts):
    services.runs_workers, services.requires_keys = False, True
    services.http = ProviderClient(services.settings, pause=0)
    SampleServices(services, site, fake_hosts).answers()
    return services


@pytest_asyncio.fixture
async def connect(server):
    """Connections of different programs to one server: cookies are not shared."""
    app = create_app(server)
    async with contextlib.AsyncExitStack() as stack:

        async def connect():
            wire = httpx.ASGITransport(app, client=("127.0.0.1", 50_000))
            return Browser(await stack.enter_async_context(httpx.AsyncClient(transport=wire, base_url=BASE)))

        yield connect


@pytest.fixture(scope="session")
def original(tmp_path_factory):
    return OriginalHome(tmp_path_factory.mktemp("original") / "home")


@dataclasses.dataclass
class OriginalHome:
    """A home that is filled once, and copied by each test: filling takes longer than most tests."""

    folder: Path
    ada: belongings.Belongings | None = None


@pytest_asyncio.fixture
async def ada(server, site, fake_hosts, original):
    """What Ada has, under hostile names."""
    if original.ada is None:
        settings = dataclasses.replace(server.settings, home=original.folder)
        filler = let_people_sign_in(local_services(settings, server.clock), site, fake_hosts)
        original.ada = await fill_home(filler)
        await filler.close()
    home = server.settings.home
    assert not home.exists(), "a store is open: ask for `ada` first"
    shutil.copytree(original.folder, home)
    return original.ada


async def fill_home(services):
    filled = await belongings.fill(services, ADA, consents=PURPOSES, mark=HOSTILE)
    await fail_work(services, filled)
    secret, cookie = await sign_in(services, ADA)
    return dataclasses.replace(filled, key=secret, cookie=cookie)


async def fail_work(services, ada):
    """A crawl and a delivery of Ada's that failed, and a call in the history, all with hostile texts."""
    limits = {"max_pages": 1, "max_depth": 1, "include": (), "exclude": ()}
    crawl = await start_crawl(Context(services, ada.caller), ada.watched, **limits)
    [delivery] = await list_undelivered(services, ada.caller.tenant)
    for jobs, job in ((CRAWLS, crawl), (DELIVERIES, delivery)):
        await jobs.end(services.table, job, "failed", services.clock(), units=0, error=HOSTILE)
    use = ProviderUse(HOSTILE, 1, 1, 0, (0.1,))
    call = Call(services.clock(), HOSTILE, ada.caller.tenant, "ada", "mcp", "r", 0.3, None, False, 5, uses=(use,))
    await services.call_history.record(call)


async def sign_in(services, caller):
    """A key of the caller, and the cookie of a browser that signed in with it."""
    now = services.clock()
    names = {"tenant": caller.tenant, "user": caller.user}
    secret, key = build_key(f"{caller.user}-laptop", now, scopes=caller.scopes, **names)
    await save_key(services.table, key)
    principal = Principal(caller.tenant, caller.user, caller.scopes, key.name, key.digest)
    return secret, await start_session(services.table, principal, now)


@pytest_asyncio.fixture
async def browse(connect, server):
    """`await browse(caller)`: a browser where the caller has signed in."""

    async def open_browser(caller=ADA):
        browser = await connect()
        _, cookie = await sign_in(server, caller)
        browser.http.cookies.set("assay-sign-in", cookie)
        return browser

    return open_browser
