"""The rule, from its front door: what is refused is refused before anything is asked or dialled."""

import asyncio

import pytest

from assay.errors import ConfigError, InvalidInput, Network
from assay.net.ssrf_guard import SsrfGuard
from assay.settings import Settings

LITERALS = [
    "http://127.0.0.1/", "http://127.1/", "http://0x7f.0.0x0.01/", "http://0/", "http://192.168.0.1/",
    "http://100.64.0.1/", "http://2852039166/latest/meta-data/", "http://169.254.169.254./",
    "http://169.254.170.2/v2/credentials/", "http://127.0.0.1:9001/2018-06-01/runtime/invocation/next",
    "http://100.100.100.200/latest/meta-data/", "http://168.63.129.16/machine", "http://[::1]/", "http://[::]/",
    "http://[::ffff:169.254.169.254]/", "http://[::ffff:a9fe:a9fe]/", "http://[::ffff:0:a9fe:a9fe]/",
    "http://[64:ff9b::a9fe:a9fe]/", "http://[64:ff9b:1::a9fe:a9fe]/", "http://[2001:0:7f00:1::]/",
    "http://[2002:7f00:1::]/", "http://[fc00::1]/", "http://[fec0::1]/", "http://[fe80::1]/",
    "http://[fd00:ec2::254]/", "http://[ff02::1]/", "http://224.0.0.1/", "http://255.255.255.255/",
    "http://240.0.0.1/", "http://198.18.0.1/", "http://①②⑦.⓪.⓪.①/", "http://127.0.0.1:6666\\@1.1.1.1/",
    "http:///127.0.0.1/", "https://017700000001/",
]  # fmt: skip
NAMES = [
    "http://localhost/", "http://LOCALHOST:8080/", "http://localhost./", "http://a.localhost/", "http://foo.local/",
    "http://db.internal/", "http://metadata.google.internal/computeMetadata/v1/", "http://METADATA.google.internal./",
    "http://x.metadata.google.internal/", "http://metadata.azure.com/", "http://metadata.tencentyun.com/",
    "http://metadata.goog/", "http://instance-data/", "http://instance-data.ec2.internal/",
    "http://kubernetes.default.svc/", "http://api.kubernetes.default.svc/", "http://x.svc.cluster.local/",
    "http://svc.cluster.local/", "http://abc.onion/", "http://abc.ONION./", "http://intranet/", "http:///path",
    "http://metadata/", "http://ｌocalhost/", "http://localhos%74/", "http://printer.home.arpa/",
    "http://loc\u00adalhost/", "http://localhost。/",
]  # fmt: skip
PUBLIC = [
    "http://[2606:4700:4700::1111]/", "http://svc.cluster.local.example.com/", "https://bücher.example/",
    "https://example.com/a%2Fb?u=http://127.0.0.1/", "http://[64:ff9b::808:808]/", "http://1.1.1.1/",
    "http://notlocalhost.example/", "http://mylocal.example/", "http://xmetadata.azure.com.example/",
    "http://localhost.example/", "http://onion.example/", "http://example.com.:8443/", "http://a_b.example/",
    "http://10.example/x", "http://internal.example/", "http://notmetadata.goog/", "https://127.0.0.1.nip.example/",
]  # fmt: skip


@pytest.fixture
def guard_of(network):
    return lambda **settings: SsrfGuard(Settings(**settings), resolve=network.resolve)


@pytest.mark.parametrize("url", LITERALS + NAMES)
async def test_what_must_not_be_reached_is_refused_without_a_question(url, guard_of, network):
    with pytest.raises(InvalidInput) as refusal:
        await guard_of().check(url)
    assert refusal.value.field == "url"
    assert refusal.value.kind == "validation"
    assert not refusal.value.retryable
    assert not any(
        character.isdigit()
        for character in refusal.value.message.replace("IPv4", "").replace("64", "").replace("6to4", "")
    )
    assert network.lookups == []


@pytest.mark.parametrize("url", PUBLIC)
async def test_what_is_public_is_admitted(url, guard_of):
    assert await guard_of().check(url)


@pytest.mark.parametrize(
    "answers",
    [
        ["127.0.0.1"],
        ["93.184.216.34", "10.0.0.1"],
        ["10.0.0.1", "93.184.216.34"],
        ["2606:4700:4700::1111", "::1"],
        ["93.184.216.34", "::ffff:127.0.0.1"],
        ["169.254.169.254"],
        ["64:ff9b::7f00:1"],
        ["fe80::1%eth0"],
        ["0.0.0.0"],
        ["nonsense"],
    ],
)
async def test_one_bad_answer_spoils_the_name(answers, guard_of, network):
    network.names["rebound.example"] = answers
    with pytest.raises(InvalidInput) as refusal:
        await guard_of().check("http://rebound.example/")
    for answer in answers:
        assert answer not in refusal.value.text()


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/",
        "http://[::1]:8080/",
        "http://10.1.1.1/",
        "http://localhost/",
        "http://db.local/",
        "http://intranet/",
    ],
)
async def test_private_places_open_when_the_operator_says_so(url, guard_of, network):
    network.names |= {"localhost": ["127.0.0.1", "::1"], "db.local": ["192.168.1.4"], "intranet": ["10.0.0.9"]}
    assert await guard_of(allow_private_ips=True).check(url)


SIGNS = ("metadata", "svc", "onion", "169.254", "a9fe", "instance-data", "100.100", "168.63", "2852039166", "ec2")
STILL = [url for url in LITERALS + NAMES if any(sign in url.lower() for sign in SIGNS)]


@pytest.mark.parametrize("url", STILL)
async def test_metadata_stays_shut_when_private_places_open(url, guard_of):
    with pytest.raises(InvalidInput):
        await guard_of(allow_private_ips=True).check(url)


async def test_a_name_that_leads_to_metadata_stays_shut_when_private_places_open(guard_of, network):
    network.names["innocent.example"] = ["169.254.169.254"]
    with pytest.raises(InvalidInput, match="metadata"):
        await guard_of(allow_private_ips=True).check("http://innocent.example/")


ALLOWED = ("example.com", "*.wild.example", ".dot.example", "bücher.example", "1.1.1.1")


@pytest.mark.parametrize(
    "host",
    [
        "example.com",
        "a.example.com",
        "EXAMPLE.com.",
        "x.wild.example",
        "dot.example",
        "xn--bcher-kva.example",
        "1.1.1.1",
    ],
)
async def test_allowed_domains_are_open_with_all_below_them(host, guard_of):
    assert await guard_of(allowed_domains=ALLOWED).check(f"https://{host}/")


@pytest.mark.parametrize(
    "host", ["badexample.com", "example.com.evil.example", "example.org", "8.8.8.8", "example.co", "com"]
)
async def test_all_others_are_shut(host, guard_of, network):
    with pytest.raises(InvalidInput):
        await guard_of(allowed_domains=ALLOWED).check(f"https://{host}/")
    assert network.lookups == []


async def test_an_allowed_domain_may_not_lead_inward(guard_of, network):
    network.names["example.com"] = ["10.0.0.1"]
    with pytest.raises(InvalidInput):
        await guard_of(allowed_domains=("example.com",)).check("https://example.com/")


async def test_a_domain_that_is_invalid_is_reported_to_the_operator(guard_of):
    with pytest.raises(ConfigError, match="ALLOWED_DOMAINS"):
        guard_of(allowed_domains=("not a domain",))


async def test_equal_questions_in_flight_are_asked_once():
    request, ready = [], asyncio.Event()

    async def slow(host, port):
        request.append(host)
        await ready.wait()
        return ["93.184.216.34"]

    guard = SsrfGuard(Settings(), resolve=slow)
    waiting = [asyncio.create_task(guard.check(f"http://example.com/{n}")) for n in range(20)]
    await asyncio.sleep(0)
    waiting[0].cancel()  # who stops waiting does not take the answer from the others
    ready.set()
    done = await asyncio.gather(*waiting, return_exceptions=True)
    assert isinstance(done[0], asyncio.CancelledError)
    assert {admitted.addresses for admitted in done[1:]} == {("93.184.216.34",)}
    await guard.check("http://example.com/later")
    assert request == ["example.com"]


async def test_an_unknown_name_is_no_answer_rather_than_a_bad_question(guard_of, network):
    network.names["gone.example"] = []
    guard = guard_of()
    for _ in range(2):
        with pytest.raises(Network) as failure:
            await guard.check("http://gone.example/")
        assert failure.value.reason == "dns"
    assert len(network.lookups) == 2  # a failure is not remembered


async def test_the_system_knows_no_invalid_names():
    with pytest.raises(Network) as failure:
        await SsrfGuard(Settings()).check("http://nowhere.invalid/")
    assert failure.value.reason == "dns"
    assert "nowhere.invalid" in failure.value.message
