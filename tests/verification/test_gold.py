"""The labelled citations of gold/citations.json, replayed: nobody is accused falsely, nothing invented passes."""

from collections import Counter

import pytest
from tests.verification.citation_services import gold

from assay.caller import Caller
from assay.context import Context
from assay.invoke import invoke
from assay.net.provider_client import ProviderClient
from assay.verification.citations import verify_citation

CASES = gold()["cases"]
SOUND = ("real_doi", "real_doi_title", "real_doi_variant", "real_reference", "real_title", "real_elsewhere", "corrected",
         "retracted", "link_live", "link_moved")  # fmt: skip
UNKNOWN = ("link_blocked", "link_to_root", "link_trouble", "outage")
INVENTED = ("fabricated_doi", "fabricated_reference", "near_miss_title", "stolen_title", "wrong_title_doi")
GONE = ("link_dead", "link_no_host", "link_to_lost")
EVIDENCE_AGAINST = ("not_found", "dead_link", "title_mismatch", "mischaracterized")


@pytest.fixture
def environ(environ, world):
    return environ | world.environ


@pytest.fixture
def alive(services, world):
    services.http = ProviderClient(services.settings, pause=0)
    services.web_overrides |= world.seams
    return services


def of_kinds(kinds):
    return [case for case in CASES if case["kind"] in kinds]


@pytest.fixture
def look(alive):
    async def look(kinds):
        return [(case, await verify_citation(Context(alive, Caller()), case["citation"])) for case in of_kinds(kinds)]

    return look


@pytest.fixture
def audit(alive):
    async def audit(kinds):
        cases, result = of_kinds(kinds), []
        for at in range(0, len(cases), 200):
            entries = [case["entry"] for case in cases[at : at + 200]]
            reply = await invoke("audit_bibliography", {"entries": entries}, Context(alive, Caller()))
            assert reply.error is None, reply.error
            result += reply.wire["entries"]
        return list(zip(cases, result, strict=True))

    return audit


def test_the_set_is_large_and_every_label_is_looked_at():
    kinds = Counter(case["kind"] for case in CASES)
    assert sum(kinds.values()) >= 300
    assert set(kinds) == {*SOUND, *UNKNOWN, *INVENTED, *GONE}


async def test_what_is_sound_is_confirmed_and_never_accused_and_its_integrity_is_as_recorded(look):
    integrity = {"retracted": "retracted", "corrected": "flagged", "real_elsewhere": "unchecked"}
    for case, result in await look(SOUND):
        assert result.verification_status == "confirmed", case
        assert result.title_match != "mismatch", case
        assert result.link_outcome in (None, "live"), case
        if not case["kind"].startswith("link"):
            assert result.retraction_check == integrity.get(case["kind"], "clear"), case


async def test_nothing_invented_is_confirmed(look):
    for case, result in await look(INVENTED):
        assert result.verification_status in ("not_found", "uncertain"), case
        if case["kind"] == "fabricated_doi":
            assert (result.exists, result.verification_status) == (False, "not_found"), case
        if case["kind"] == "wrong_title_doi":
            assert (result.exists, result.title_match) == (True, "mismatch"), case
        if case["kind"] in ("near_miss_title", "stolen_title"):
            assert result.matched_record is None, case


async def test_what_nobody_could_say_is_uncertain(look):
    for case, result in await look(UNKNOWN):
        assert (result.exists, result.verification_status) == (None, "uncertain"), case
        assert result.retraction_check == "unchecked", case


async def test_what_is_gone_is_dead(look):
    for case, result in await look(GONE):
        assert (result.link_outcome, result.exists) == ("dead", False), case


async def test_an_audit_flags_no_sound_entry_but_the_retracted(audit):
    for case, entry in await audit(SOUND):
        assert entry["flags"] == (["retracted"] if case["kind"] == "retracted" else []), case
        assert entry["exists"] is True, case


async def test_an_audit_flags_everything_invented(audit):
    expected = {
        "fabricated_doi": ["not_found"],
        "wrong_title_doi": ["title_mismatch", "identifier_mismatch"],
        "near_miss_title": ["title_mismatch"],
        "stolen_title": ["author_mismatch"],
    }
    for case, entry in await audit(INVENTED):
        assert entry["flags"] == expected.get(case["kind"], ["unchecked"]), case
        assert entry["reason"], case


async def test_an_audit_holds_nothing_against_what_it_could_not_check(audit):
    for case, entry in await audit(UNKNOWN):
        assert entry["flags"] == ["unchecked"], case
        assert not set(entry["flags"]) & set(EVIDENCE_AGAINST), case
        assert "exists" not in entry, case


async def test_an_audit_flags_what_is_gone(audit):
    for case, entry in await audit(GONE):
        assert entry["flags"] == ["dead_link"], case
        assert entry["linkLive"] is False, case
