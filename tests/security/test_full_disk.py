"""A disk that takes no more byte: what was fetched and paid for goes out, and the answer says what was not stored."""

import resource
import sys

import httpx
import pytest
from tests.conftest import ARTICLE
from tests.entrypoints.http.test_local_server import process

LARGE = "".join(f"<p>Otter {number} holds hands with otter {number + 1} in the kelp.</p>" for number in range(2000))
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="prlimit is Linux's")


@pytest.fixture
def environ(environ):
    return environ | {"ASSAY_READERS": "1", "LOG_LEVEL": "WARNING", "LINK_ALWAYS_BYTES": "20000"}


def fill_disk(pid: int) -> None:
    """No file of the process may grow any more."""
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))


def test_the_answer_goes_out(environ, site):
    first, second = site.says("/first", ARTICLE), site.says("/second", ARTICLE)
    large = site.says("/large", LARGE)
    with process(environ | {"ALLOW_PRIVATE_IPS": "true"}) as (child, url):

        def call(tool: str, **arguments) -> dict:
            answer = httpx.post(f"{url}/tools/{tool}", json=arguments, timeout=60)
            assert answer.status_code == 200, answer.text
            return answer.json()

        step = {"searchStep": "Ask", "stepNumber": 1, "totalStepsEstimate": 2, "nextStepNeeded": True}
        session = call("sequential_search", **step)["sessionId"]
        assert "notStored" not in call("scrape_page", url=first, sessionId=session).get("_meta", {})
        linked = call("scrape_page", url=large + "?1", max_length=90_000)
        assert linked["linked"] is True
        fill_disk(child.pid)
        page = call("scrape_page", url=second, sessionId=session)
        assert "Otters" in page["content"]
        assert page["_meta"]["notStored"] == ["cache", "session"]
        full = call("scrape_page", url=large + "?2", max_length=90_000)
        assert "linked" not in full
        assert {"artifact", "cache"} <= set(full["_meta"]["notStored"])
        resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert "notStored" not in call("scrape_page", url=first + "?3", sessionId=session).get("_meta", {})


async def test_what_was_not_stored_is_in_the_audit(services, ask, site, audit, caplog):
    site.says("/large", LARGE)
    services.settings.home.mkdir(parents=True, exist_ok=True)
    (services.settings.home / "bucket").write_text("a file where a folder should be")
    reply = await ask("scrape_page", url="http://river.example/large", max_length=90_000)
    assert reply.error is None
    assert "artifact" in reply.meta["notStored"]
    assert audit()[-1]["metadata"]["not_stored"] == reply.meta["notStored"]
    assert "The write to the artifact failed" in caplog.text
