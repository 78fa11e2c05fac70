"""Jobs by the command line: watch, run, read the report; once, or until told to stop."""

import json
import os
import signal
import subprocess
import sys

import pytest
from tests.support.forked_commands import run_command

COMMAND = [sys.executable, "-m", "assay.entrypoints.cli.main"]


@pytest.fixture
def run(environ):
    def run(*arguments):
        return run_command(*arguments, env=os.environ | environ, text=True)

    return run


def test_what_is_watched_is_checked_listed_and_reported(run, article):
    assert json.loads(run("watch", article).stdout)["jobs"] == ["link_check"]
    done = json.loads(run("job", "link_check").stdout)
    assert (done["done"], done["outcomes"]) == (1, {"live": 1})
    [listed] = json.loads(run("watch").stdout)["watched"]
    assert (listed["url"], listed["outcome"], listed["state"]) == (article, "live", "due")
    assert run("watch", "--report").stdout.startswith("# Link check, ")
    assert json.loads(run("watch", "--stop", article).stdout) == {"stopped": 1}
    assert json.loads(run("watch").stdout) == {"watched": []}


def test_there_is_no_report_before_there_is_one(run):
    assert "assay job link_check" in run("watch", "--report").stdout


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("job", "nothing_of_ours"), 1),
        (("job", "link_check", "--every", "soon"), 2),
        (("watch", "ftp://a.example/"), 2),
        (("watch", "http://a.example/", "--every", "1m"), 2),
        (("watch", "--session", "nobody's"), 1),
    ],
)
def test_a_wrong_question_is_reported(run, arguments, code):
    done = run(*arguments)
    assert done.returncode == code
    assert done.stdout == ""
    assert done.stderr


def test_a_scheduler_runs_every_job_until_it_is_told_to_stop(environ, article, run):
    run("watch", article)
    command = [*COMMAND, "job", "link_check", "archive", "--every", "1h"]
    process = subprocess.Popen(command, env=os.environ | environ, stdout=subprocess.PIPE, text=True)
    outputs = [json.loads(process.stdout.readline()) for _ in range(2)]
    process.send_signal(signal.SIGTERM)
    process.stdout.close()
    assert process.wait(30) == 0
    assert [(one["job"], one["done"]) for one in outputs] == [("link_check", 1), ("archive", 0)]


def test_a_scheduler_outlives_a_trouble_that_may_pass(services):
    """The table fails once: a line on standard error, and on with the next pass."""
    import asyncio

    from assay.entrypoints.cli import job_commands
    from assay.errors import ConfigError, Network

    class FailingTable:
        def __init__(self, inner, trouble):
            self.inner, self.trouble = inner, trouble

        async def query(self, *given, **more):
            raise self.trouble

        def __getattr__(self, name):
            return getattr(self.inner, name)

    response = []

    async def passes(trouble, patient):
        services.table = FailingTable(services.table, trouble)
        await job_commands.run_pass(services, "archive", response.append, patient=patient)

    asyncio.run(passes(Network("The table is away."), patient=True))
    assert response == []
    with pytest.raises(Network):
        asyncio.run(passes(Network("The table is away."), patient=False))
    with pytest.raises(ConfigError):
        asyncio.run(passes(ConfigError("There is no table."), patient=True))
