"""Every kind of search can be watched, with the upstream that its tool asks."""

import pytest
from tests.support import sample_calls
from tests.support.sample_calls import SampleServices

from assay.jobs.watch_checks import KINDS
from assay.net.provider_client import ProviderClient

QUERIES = {"patent": "otter comb", "filing": "OTTR"}


@pytest.fixture
def environ(environ, site):
    return environ | sample_calls.environ(site.url)


@pytest.fixture
def samples(services, site, fake_hosts):
    services.http = ProviderClient(services.settings, pause=0)
    SampleServices(services, site, fake_hosts).answers()


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"author"}))
async def test_a_search_of_this_kind_is_watched(ask, samples, kind, passes, clock):
    watched = {"query": QUERIES.get(kind, "otters"), "kind": kind}
    saved = await ask("monitor_query_save", **watched)
    assert saved.error is None, saved.error
    assert saved.wire["seenCount"] > 0
    clock.forward(86_400)
    assert dict((await passes()).outcomes) == {"checked": 1}
    assert (await ask("monitor_query_check", **watched)).wire["newCount"] == 0


async def test_of_an_author_only_works_with_the_name_count(ask, samples):
    [first, *_] = (await ask("academic_search", query="otters")).wire["papers"]
    name = first["authors"][0]
    theirs = (await ask("monitor_query_save", query=name, kind="author")).wire
    others = (await ask("monitor_query_save", query="Nobody Unheardof", kind="author")).wire
    assert theirs["seenCount"] > 0
    assert others["seenCount"] == 0
