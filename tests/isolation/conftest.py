"""Two installations that differ in one thing: in one of them, Ada has data of every kind."""

import json
import re
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, closing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from tests.conftest import Site
from tests.isolation.isolation_rows import CLIENT
from tests.support import belongings, sample_calls
from tests.support.belongings import Belongings
from tests.support.examples import mask_varying
from tests.support.fake_hosts import FakeHosts
from tests.support.sample_calls import SampleServices
from tests.support.table_factories import FrozenClock

from assay.bootstrap import local_services
from assay.caller import Caller
from assay.consent.consent_records import PURPOSES
from assay.context import Context
from assay.entrypoints.http.local_server import create_app
from assay.net.provider_client import ProviderClient
from assay.oauth.browser_sessions import build_form_token, start_session
from assay.oauth.client_registry import register_client
from assay.oauth.principals import Principal
from assay.own_stores import OwnStores
from assay.personal_data.namespaces import IMPERSONAL
from assay.services import Services
from assay.settings import Settings
from assay.state.key_store import build_key, save_key

ADDRESS = "http://127.0.0.1:8787"
ADA = Caller("acme", "ada")
EVE = Caller("acm", "ad")  # of another tenant, whose names begin those of Ada
EVES_ADMINISTRATOR = Caller("acm", "root", frozenset({"admin"}))
COLLEAGUE = Caller("acme", "carl")
LIMITS = {
    "CRAWLS_PER_TENANT": "1",
    "AUDITS_PER_TENANT": "1",
    "RATE_LIMIT_PER_TENANT": "1000",
    "DAILY_QUOTA_PER_TENANT": "5000",
    "MAX_CALLS_PER_DAY": "500",
    "ASSAY_DAILY_BUDGET_USD": "5",
    "LLM_INPUT_USD_PER_MILLION": "1",
    "LLM_OUTPUT_USD_PER_MILLION": "1",
}
HIDDEN_HEADERS = {
    "x-request-id",
    "set-cookie",
    "mcp-session-id",
    "content-length",
}  # random, or the length of what is masked
UPSTREAM_STATE = set(IMPERSONAL) - {"cache", "calls", "spent", "statistics"}  # rows that are about no tenant either


RANDOM = re.compile(
    r'assay(?:[a-z]{2,3}_|-client-)[\w-]+|\b[A-Z]{4}-[A-Z]{4}\b|(?<=value=")[\w.-]{20,}|(?<=nonce=")[\w.-]{20,}'
    r"|\b[0-9a-f]{16}\b|(?<=LatencyMs\\\":)\d+"
)


class CountingStore:
    """A store that counts its operations by name and kind of key."""

    def __init__(self, store: Any, counts: Counter[str]) -> None:
        self._store, self._counts = store, counts

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._store, name)

        def count(*arguments: Any, **more: Any) -> Any:
            kind = re.match("[a-z-]*", str(arguments[0]))[0] if arguments else ""
            if kind not in UPSTREAM_STATE:
                self._counts[f"{name} {kind}"] += 1
            return method(*arguments, **more)

        return count


@dataclass
class Observation:
    """What somebody learns from one request: the answer, and how much work it took."""

    status: int
    headers: dict[str, str]
    body: str
    operations: Counter[str]  # of the stores
    requests: Counter[str]  # to upstreams

    @property
    def answer(self) -> tuple[int, str]:
        return self.status, self.body

    def has_text(self, text: str) -> bool:
        return text in self.body + repr(self.headers)


@dataclass
class Installation:
    """An installation, and those who call it over HTTP."""

    services: Services
    upstreams: SampleServices
    http: httpx.AsyncClient
    operations: Counter[str]
    keys: dict[Caller, str] = field(default_factory=dict)
    cookies: dict[Caller, str] = field(default_factory=dict)
    client: str = ""  # an application that Eve registered

    async def admit(self, caller: Caller) -> None:
        """Give the caller a key, a browser that is signed in, and every consent."""
        table, now = self.services.table, self.services.clock()
        self.keys[caller], key = build_key(
            f"{caller.user}-laptop", now, tenant=caller.tenant, user=caller.user, scopes=caller.scopes
        )
        await save_key(table, key)
        principal = Principal(caller.tenant, caller.user, caller.scopes, key.name, key.digest)
        self.cookies[caller] = await start_session(table, principal, now)
        for purpose in PURPOSES:
            await OwnStores(self.services, caller).consents.decide(purpose, granted=True, decided_from="test")

    async def observe(self, caller: Caller, method: str, path: str, **request: Any) -> Observation:
        """Send the request with the caller's key, or from their browser if it has a `form`."""
        request = json.loads(json.dumps(request).replace(CLIENT, self.client))
        form, more = request.pop("form", None), request.pop("headers", {})
        if form is not None:
            cookie = self.cookies[caller]
            more = {"cookie": f"assay-sign-in={cookie}", **more}
            if method == "POST":
                request["data"] = {"form_token": build_form_token(cookie), **form}
        else:
            more = {"authorization": f"Bearer {self.keys[caller]}", **more}
        self.operations.clear()
        site, hosts = len(self.upstreams.site.requests), len(self.upstreams.fake_hosts.visits)
        answer = await self.http.request(method, path, headers=more, **request)
        asked = [request.path for request in self.upstreams.site.requests[site:]]
        asked += [visit.host + visit.path for visit in self.upstreams.fake_hosts.visits[hosts:]]
        is_json = "json" in answer.headers.get("content-type", "") and answer.content
        shown = {name: value for name, value in answer.headers.items() if name not in HIDDEN_HEADERS}
        text = json.dumps(sort_lists(mask_varying(answer.json())), sort_keys=True) if is_json else answer.text
        body = RANDOM.sub("…", text.replace(self.client, CLIENT))
        return Observation(answer.status_code, shown, body, Counter(self.operations), Counter(asked))

    async def call(self, caller: Caller, tool: str, arguments: dict[str, Any], **more: Any) -> Observation:
        return await self.observe(caller, "POST", f"/tools/{tool}", json=arguments, **more)

    def list_stored(self) -> set[tuple[bytes, ...]]:
        """Return every row and object with its content, except the state of upstreams."""
        home: Path = self.services.settings.home
        with closing(sqlite3.connect(home / "assay.sqlite3")) as database:
            found = database.execute("SELECT key, sort, value FROM rows")
            rows = {row for row in found if row[0].partition(b"/")[0].decode() not in UPSTREAM_STATE}
        files = {(str(path).encode(), path.read_bytes()) for path in (home / "bucket").rglob("*") if path.is_file()}
        return rows | files


def sort_lists(value: Any) -> Any:
    """The value with sorted lists: some have the order in which upstreams answered, or that of random keys."""
    if isinstance(value, dict):
        return {name: sort_lists(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return sorted(map(sort_lists, value), key=lambda one: RANDOM.sub("…", json.dumps(one, sort_keys=True)))
    return value


@dataclass
class Pair:
    """An installation with Ada's data and one without; all others have the same in both."""

    filled: Installation
    empty: Installation
    ada: Belongings
    clock: FrozenClock

    async def admit(self, caller: Caller) -> None:
        self.clock.now += 1  # keys are listed in the order of their time
        for each in (self.filled, self.empty):
            await each.admit(caller)


@pytest.fixture
def isolation() -> str:
    """How caches are kept; a test may parametrize it."""
    return "tenant"


@pytest_asyncio.fixture
async def pair(tmp_path: Path, site: Site, isolation: str) -> AsyncIterator[Pair]:
    clock, settings = FrozenClock(), _build_environ(site.url, isolation)
    async with AsyncExitStack() as stack:
        fake_hosts = await FakeHosts().start()
        stack.push_async_callback(fake_hosts.close)

        async def install(name: str) -> Installation:
            return await _install(stack, settings | {"ASSAY_HOME": str(tmp_path / name)}, clock, site, fake_hosts)

        filled, empty = await install("filled"), await install("empty")
        await filled.admit(ADA)
        ada = await belongings.fill(filled.services, ADA, consents=PURPOSES)
        filled.cookies[ADA] = ada.cookie
        for _ in range(3):
            await Context(filled.services, ADA).charge()
        if isolation == "tenant":  # else she could not ask what is cached
            await filled.services.table.add("spent/acme", _format_day(clock()), 4_999_999)
        pair = Pair(filled, empty, ada, clock)
        await pair.admit(EVE)
        yield pair


def _build_environ(url: str, isolation: str) -> dict[str, str]:
    more = {"CHROME_PATH": "disabled", "ALLOW_PRIVATE_IPS": "true", "CACHE_ISOLATION": isolation, "ASSAY_CONSENT": ""}
    return sample_calls.environ(url) | belongings.SETTINGS | LIMITS | more


def _format_day(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).date().isoformat()


async def _install(
    stack: AsyncExitStack, environ: dict[str, str], clock: Callable[[], float], site: Site, fake_hosts: FakeHosts
) -> Installation:
    services, operations = local_services(Settings.read(environ), clock), Counter[str]()
    stack.push_async_callback(services.close)
    services.runs_workers, services.requires_keys = False, True
    services.http = ProviderClient(services.settings, pause=0)
    services.web_overrides |= fake_hosts.seams
    services.table = CountingStore(services.table, operations)
    services.bucket = CountingStore(services.bucket, operations)
    services.queue = CountingStore(services.queue, operations)
    upstreams = SampleServices(services, site, fake_hosts)
    upstreams.answers()
    wire = httpx.ASGITransport(create_app(services), client=("192.0.2.7", 50_000))
    http = await stack.enter_async_context(httpx.AsyncClient(transport=wire, base_url=ADDRESS, timeout=60))
    metadata = {"client_name": "Otter Reader", "redirect_uris": ["https://eve.example/back"]}
    client = await register_client(services.table, metadata, "192.0.2.7", clock())
    return Installation(services, upstreams, http, operations, client=client.id)
