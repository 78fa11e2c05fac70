"""The audit trail: many writers lose nothing, and whatever is done to its files is detected by `assay audit verify`."""

import asyncio
import json
import subprocess
import sys
from dataclasses import fields, replace
from typing import get_args

import pytest

from assay.bootstrap import local_services
from assay.entrypoints.cli.main import main
from assay.settings import Settings
from assay.state.audit import Call

PROCESSES, THREADS, EVENTS = 5, 10, 8
WRITERS = """
import asyncio
from concurrent.futures import ThreadPoolExecutor
from assay.bootstrap import build_services
from assay.state.audit import emit_event
services = build_services()
def write(thread):
    for number in range({events}):
        emit_event(services.observers, "key.create", "acme", f"{{thread}}-{{number}}", services.clock())
with ThreadPoolExecutor({threads}) as pool:
    list(pool.map(write, range({threads})))
asyncio.run(services.close())
"""


@pytest.fixture
def verify(capsys):
    """`verify()`: what `assay audit verify` prints, after its exit code was compared with it."""

    def run():
        capsys.readouterr()
        code = main(["audit", "verify"])
        report = json.loads(capsys.readouterr().out)
        assert code == (0 if report["intact"] else 1)
        return report

    return run


@pytest.fixture
def trail(services):
    return services.settings.home / "audit.jsonl"


def test_fifty_writers_in_five_processes_lose_nothing_and_their_trail_is_intact(services, verify, trail):
    code = WRITERS.format(events=EVENTS, threads=THREADS)
    children = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(PROCESSES)]
    assert [child.wait(120) for child in children] == [0] * PROCESSES
    report = verify()
    assert report["intact"], report["problems"]
    assert report["events"] == report["last"] == PROCESSES * THREADS * EVENTS
    assert report["lost"] == 0


@pytest.mark.parametrize(
    "tamper",
    [
        pytest.param(lambda lines: [lines[0].replace("number-0", "number-9"), *lines[1:]], id="changed"),
        pytest.param(lambda lines: [*lines[:3], *lines[4:]], id="deleted"),
        pytest.param(lambda lines: [lines[0], lines[2], lines[1], *lines[3:]], id="reordered"),
        pytest.param(lambda lines: lines[:4], id="tail deleted"),
        pytest.param(lambda lines: lines[2:], id="beginning deleted"),
        pytest.param(lambda lines: [*lines, lines[-1]], id="repeated"),
        pytest.param(lambda lines: [*lines, '{"event_type": "tool_call"}\n'], id="inserted"),
        pytest.param(lambda lines: [], id="emptied"),
    ],
)
def test_a_trail_that_was_tampered_with_is_detected_at_once_and_after_further_events(tamper, write, verify, trail):
    write(6)
    assert verify()["intact"]
    trail.write_text("".join(tamper(trail.read_text().splitlines(keepends=True))))
    assert not verify()["intact"]
    write(3)
    assert not verify()["intact"]


def test_a_trail_that_was_replaced_or_set_back_is_detected(write, verify, trail, services):
    write(3)
    older = {path: path.read_bytes() for path in trail.parent.glob("audit*")}
    write(3)
    assert verify()["intact"]
    for path, content in older.items():
        path.write_bytes(content)
    assert "set back" in str(verify()["problems"])
    for path in trail.parent.glob("audit*"):
        path.unlink()
    write(2)
    assert "replaced" in str(verify()["problems"])


def test_a_trail_that_was_replaced_before_its_first_verification_is_detected(write, verify, trail):
    write(3)
    for path in trail.parent.glob("audit*"):
        path.unlink()
    write(2)
    assert "replaced" in str(verify()["problems"])


def test_a_missing_head_is_said_in_the_trail(write, verify, trail):
    write(3)
    (trail.parent / "audit.head").unlink()
    assert not verify()["intact"]
    write(1)
    assert "audit.head_missing" in trail.read_text()
    assert not verify()["intact"]


def test_a_head_of_another_length_is_overwritten_in_full(write, verify, trail):
    write(2)
    head = trail.parent / "audit.head"
    content = head.read_bytes()
    assert len(content) == 512
    for other in (content.rstrip(), content + b" " * 512):  # that of an earlier version, and one that was changed
        head.write_bytes(other)
        write(1)
        assert len(head.read_bytes()) == 512
    assert verify()["intact"]


def test_another_installation_cannot_forge_the_trail(write, verify, trail, tmp_path):
    write(2)
    other = local_services(Settings.read({"ASSAY_HOME": str(tmp_path / "other")}))
    write(4, other)
    for name in ("audit.jsonl", "audit.head"):
        (trail.parent / name).write_bytes((tmp_path / "other" / name).read_bytes())
    assert not verify()["intact"]


def test_a_writer_that_died_within_a_line_or_before_the_head_does_no_harm(write, verify, trail):
    write(2)
    head = (trail.parent / "audit.head").read_bytes()
    write(1)
    (trail.parent / "audit.head").write_bytes(head)
    with trail.open("a") as file:
        file.write('{"timestamp": "2026-')
    write(2)
    report = verify()
    assert report["intact"], report["problems"]
    assert report["events"] >= 4


def build_small(environ, clock, **more):
    return local_services(Settings.read(environ | {"AUDIT_MAX_BYTES": "2000", **more}), clock)


def test_the_trail_is_rotated_and_goes_on_and_old_files_are_deleted(environ, clock, write, verify, trail):
    small = build_small(environ, clock)
    write(40, small)
    assert len(list(trail.parent.glob("audit-*.jsonl"))) >= 5
    assert max(path.stat().st_size for path in trail.parent.glob("audit*.jsonl")) < 3_000
    assert verify() | {"checkpoint": ""} == {
        "intact": True, "events": 40, "first": 1, "last": 40, "lost": 0, "checkpoint": "", "problems": [],
    }  # fmt: skip
    oldest = min(trail.parent.glob("audit-*.jsonl"))
    moved = oldest.rename(oldest.with_suffix(".away"))
    assert "events before it are missing" in str(verify()["problems"])
    moved.rename(oldest)
    clock.forward(181 * 86_400)
    write(1, small)
    report = verify()
    assert report["intact"], report["problems"]
    assert report["first"] > 30
    assert report["last"] == 41


def test_an_event_waits_while_the_disk_is_full_and_what_does_not_fit_is_counted(
    environ, clock, write, verify, trail, caplog
):
    small = build_small(environ, clock, AUDIT_BUFFER_SIZE="3")
    write(1, small)
    away = trail.parent.joinpath("audit.head").rename(trail.parent / "away")
    trail.parent.joinpath("audit.head").mkdir()  # nothing can be written
    write(5, small)
    assert "2 are lost" in caplog.text
    trail.parent.joinpath("audit.head").rmdir()
    away.rename(trail.parent / "audit.head")
    write(1, small)
    report = verify()
    assert report["intact"], report["problems"]
    assert report["lost"] == 3
    assert report["events"] == 1 + 3 + 1


async def test_an_event_that_waits_is_written_when_the_services_close(environ, clock, write, verify, trail):
    own = build_small(environ, clock)
    trail.parent.parent.mkdir(exist_ok=True)
    trail.parent.write_text("no folder")  # as if the disk were away
    write(1, own)
    trail.parent.unlink()
    await own.close()
    report = await asyncio.to_thread(verify)
    assert (report["intact"], report["events"]) == (True, 1)


def test_credentials_in_events_are_masked_and_a_query_is_its_length_or_a_digest(services, trail):
    facts = {"tool": "web_search", "tenant": "acme", "entrypoint": "https", "seconds": 0.1, "error": None}
    call = Call(
        at=services.clock(), user="token=geheim1", request_id="Bearer geheim2", cached=False, query_length=7,
        provider="sk-geheim3abcdefghijklmnop", subject="whsec_geheim4abcdefghijklmnop", query_hash="a" * 64, **facts,
    )  # fmt: skip
    for observer in services.observers:
        observer(call)
    assert "geheim" not in trail.read_text()
    assert json.loads(trail.read_text())["metadata"]["query_hash"] == "a" * 64


CREDENTIALS = (
    "assay_geheimgeheimgeheimgeheim",
    "assayat_geheimgeheimgeheimgeheim",
    "whsec_geheimgeheimgeheimgeheim",
    "AIzageheimgeheimgeheimgeheimgeheimgeheim",
    "AIza" + "geheim-" * 5,
    "sk-geheimgeheimgeheimgeheim",
    "BSAgeheimgeheimgeheimgeheim",
    "Bearer geheim",
    "Basic geheimgeheim",
    "Authorization: geheim",
    "X-API-Key: geheim",
    "X-Admin-Key: geheim",
    "X-Subscription-Token: geheim",
    "api_key=geheim",
    "token=geheim",
    "secret=geheim",
    "password=geheim",
    "passwd=geheim",
    "pwd=geheim",
    "/?key=geheim",
    "toKen=geheim",  # with the sign of the unit Kelvin, which equals a k where letters' case is ignored
    "of a sentence that is longer than the pieces above, with password=geheim at its end",
)


@pytest.mark.parametrize("text", [*CREDENTIALS, *map(str.upper, CREDENTIALS), *map(str.lower, CREDENTIALS)])
def test_what_looks_like_a_credential_is_masked_in_any_case(services, trail, text):
    call = Call(
        at=services.clock(), user="anna", request_id=text, cached=False, query_length=7,
        tool="web_search", tenant="acme", entrypoint="https", seconds=0.1, error=None,
    )  # fmt: skip
    for observer in services.observers:
        observer(call)
    assert "geheim" not in trail.read_text().lower()
    assert "[REDACTED]" in trail.read_text()


TEXTS = [each.name for each in fields(Call) if {str, tuple[str, ...]} & {each.type, *get_args(each.type)}]


@pytest.mark.parametrize("name", sorted({*TEXTS} - {"query_hash"}))
def test_a_credential_is_masked_in_each_text_of_an_event(name):
    call = Call(1_000.0, "web_search", "acme", "anna", "https", "r1", 0.1, None, cached=False, query_length=7)
    event = replace(call, **{name: ("password=geheim",) if name == "not_stored" else "password=geheim"}).event()
    assert "geheim" not in json.dumps(event)
    assert "[REDACTED]" in json.dumps(event)


async def test_a_digest_of_the_query_is_recorded_only_where_the_operator_wants_it(ask, services, environ, trail):
    await ask("web_search", query="otters of the river", num_results="many")
    services.settings = Settings.read(environ | {"AUDIT_INCLUDE_REQUEST_BODY": "true"})
    await ask("web_search", query="otters of the river", num_results="many")
    first, second = (json.loads(line)["metadata"] for line in trail.read_text().splitlines())
    assert "query_hash" not in first
    assert len(second["query_hash"]) == 64
    assert "otters" not in trail.read_text()


async def test_an_event_names_the_session_and_the_process(ask, trail):
    step = {"searchStep": "Where do otters sleep?", "stepNumber": 1, "nextStepNeeded": True}
    answer = (await ask("sequential_search", **step)).wire
    await ask("web_search", query="otters", num_results="many", sessionId=answer["sessionId"])
    events = [json.loads(line) for line in trail.read_text().splitlines()]
    assert events[0]["session_id"] == answer["sessionId"]
    assert events[1]["session_id"] == answer["sessionId"]
    assert len({event["pod_id"] for event in events}) == 1
    await ask("web_search", query="otters", num_results="many", sessionId="where do otters sleep?")
    assert "sleep" not in trail.read_text()


def test_a_document_called_verify_can_still_be_audited(environ, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "verify").write_text(" ")
    assert main(["audit", "./verify"]) == 2
    assert "manuscript is empty" in capsys.readouterr().err
