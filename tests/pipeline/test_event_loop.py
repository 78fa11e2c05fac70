"""A process that answers one call and waits for nothing starts no event loop."""

import subprocess
import sys

import pytest

from assay.state.event_loop import is_running, run_blocking, run_without_loop


async def test_others_wait_on_a_running_loop():
    assert is_running()
    assert await run_blocking(str.upper, "kelp") == "KELP"


def test_work_that_waits_for_nothing_is_completed_without_a_loop():
    assert run_without_loop(run_blocking(str.upper, "kelp")) == "KELP"


def test_work_that_waits_is_refused_and_not_left_half_done():
    import asyncio

    with pytest.raises(RuntimeError, match="event loop"):
        run_without_loop(asyncio.sleep(0))


PROGRAM = """
import sys
from assay.entrypoints.cli.json_command import main
code = main(sys.argv[1:])
print("asyncio" in sys.modules)
sys.exit(code)
"""


def run_tool(home, *words):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path), "ASSAY_HOME": str(home), "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def used_home(tmp_path_factory):
    """A home in which a call was made before: the first one notes in the table that the audit trail begins."""
    home = tmp_path_factory.mktemp("home")
    run_tool(home, "citation_pack", '{"doc": {"url": "https://a.example/"}}')
    return home


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        ("metadata_extract", '{"html": "<title>x</title>", "base_url": "https://a.example/"}'),
        ("readability_extract", '{"html": "<article><p>Otters eat.</p></article>", "base_url": "https://a.example/"}'),
        ("dedupe_rank", '{"docs": [{"id": "a", "text": "otters eat"}]}'),
        ("citation_pack", '{"doc": {"url": "https://a.example/"}}'),
    ],
)
def test_a_tool_that_waits_for_nothing_starts_without_a_loop(tool, given, used_home):
    assert run_tool(used_home, tool, given)[-1] == "False"
