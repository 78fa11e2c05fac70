"""Grants in the table: rotation, reuse, races, revocation."""

import asyncio

import pytest

from assay.oauth import grants
from assay.oauth.authorization_codes import CodeExchange, create_code, redeem_code
from assay.oauth.oauth_errors import OAuthError
from assay.oauth.pkce import build_challenge
from assay.oauth.token_store import ACCESS_SECONDS, load_token

VERIFIER = "v" * 50


class CountingTable:
    """Counts the reads of a table."""

    def __init__(self, table):
        self._table, self.reads = table, 0

    async def get(self, *place):
        self.reads += 1
        return await self._table.get(*place)


async def test_a_token_is_checked_by_one_read(table, frozen, allowed):
    pair = await grants.create_grant(table, allowed, frozen())
    counting = CountingTable(table)
    token = await load_token(counting, pair.access)
    assert counting.reads == 1
    assert (token.principal, token.scopes, token.resource) == (allowed.principal, allowed.scopes, allowed.resource)
    for wrong in (pair.access + "x", pair.refresh, "assayat_", pair.access + "x" * 10_000):
        assert await load_token(table, wrong) is None
    frozen.now += ACCESS_SECONDS + 1
    assert await load_token(table, pair.access) is None


async def test_a_refresh_token_is_replaced_and_its_reuse_after_the_grace_period_revokes_all(table, frozen, allowed):
    first = await grants.create_grant(table, allowed, frozen())
    second = await grants.refresh_grant(table, first.refresh, "client-1", frozen())
    assert second.refresh != first.refresh
    frozen.now += grants.GRACE_SECONDS - 1
    repeated = await grants.refresh_grant(table, first.refresh, "client-1", frozen())
    assert repeated.refresh == second.refresh
    frozen.now += 2
    with pytest.raises(OAuthError, match="revoked"):
        await grants.refresh_grant(table, first.refresh, "client-1", frozen())
    for token in (first, second, repeated):
        assert await load_token(table, token.access) is None
    with pytest.raises(OAuthError):
        await grants.refresh_grant(table, second.refresh, "client-1", frozen())
    assert await grants.list_grants(table, "acme", "ada") == []


async def test_a_token_from_two_rotations_ago_revokes_all_even_at_once(table, frozen, allowed):
    first = await grants.create_grant(table, allowed, frozen())
    second = await grants.refresh_grant(table, first.refresh, "client-1", frozen())
    third = await grants.refresh_grant(table, second.refresh, "client-1", frozen())
    with pytest.raises(OAuthError) as refused:
        await grants.refresh_grant(table, first.refresh, "client-1", frozen())
    assert refused.value.code == "invalid_grant"
    assert first.refresh not in refused.value.description
    assert await load_token(table, third.access) is None


async def test_fifty_refreshes_of_one_token_at_once_leave_one_family_and_log_nobody_out(table, frozen, allowed):
    first = await grants.create_grant(table, allowed, frozen())
    pairs = await asyncio.gather(*(grants.refresh_grant(table, first.refresh, "client-1", frozen()) for _ in range(50)))
    assert len({pair.refresh for pair in pairs}) == 1
    assert len({pair.access for pair in pairs}) == 50
    assert all(await asyncio.gather(*(load_token(table, pair.access) for pair in pairs)))
    assert len(await grants.list_grants(table, "acme", "ada")) == 1
    frozen.now += grants.GRACE_SECONDS + 1
    assert await grants.refresh_grant(table, pairs[7].refresh, "client-1", frozen())


async def test_a_revocation_during_refreshes_leaves_no_token(table, frozen, allowed):
    first = await grants.create_grant(table, allowed, frozen())
    work = [grants.refresh_grant(table, first.refresh, "client-1", frozen()) for _ in range(10)]
    results = await asyncio.gather(
        *work[:5], grants.revoke_grant(table, first.grant), *work[5:], return_exceptions=True
    )
    pairs = [one for one in results if isinstance(one, grants.TokenPair)]
    assert not any(isinstance(one, Exception) and not isinstance(one, OAuthError) for one in results)
    for pair in [first, *pairs]:
        assert await load_token(table, pair.access) is None


async def test_the_live_tokens_of_a_grant_are_bounded(table, frozen, allowed, monkeypatch):
    monkeypatch.setattr(grants, "MOST_TOKENS", 3)
    first = await grants.create_grant(table, allowed, frozen())
    pairs = [await grants.refresh_grant(table, first.refresh, "client-1", frozen()) for _ in range(4)]
    assert [await load_token(table, pair.access) is not None for pair in (first, *pairs)] == [
        False,
        False,
        True,
        True,
        True,
    ]


async def test_a_refresh_neither_changes_hands_nor_adds_scopes(table, frozen, allowed):
    pair = await grants.create_grant(table, allowed, frozen())
    with pytest.raises(OAuthError, match="another client"):
        await grants.refresh_grant(table, pair.refresh, "client-2", frozen())
    with pytest.raises(OAuthError) as refused:
        await grants.refresh_grant(table, pair.refresh, "client-1", frozen(), scopes=frozenset({"core"}))
    assert refused.value.code == "invalid_scope"
    for wrong in ("", "assayrt_", "assayrt_x.y", "x" * 10_000, "assayrt_" + "x" * 10_000 + ".y"):
        with pytest.raises(OAuthError):
            await grants.refresh_grant(table, wrong, "client-1", frozen())
    assert await grants.refresh_grant(table, pair.refresh, "client-1", frozen())


async def test_a_grant_ends_when_idle_and_at_last_in_any_case(table, frozen, allowed):
    idle = await grants.create_grant(table, allowed, frozen())
    busy, began = await grants.create_grant(table, allowed, frozen()), frozen()
    while frozen() - began < grants.LONGEST_SECONDS - grants.IDLE_SECONDS:
        frozen.now += grants.IDLE_SECONDS - 60
        busy = await grants.refresh_grant(table, busy.refresh, "client-1", frozen())
    with pytest.raises(OAuthError):
        await grants.refresh_grant(table, idle.refresh, "client-1", frozen())
    frozen.now = began + grants.LONGEST_SECONDS + 1
    with pytest.raises(OAuthError):
        await grants.refresh_grant(table, busy.refresh, "client-1", frozen())


async def test_revoking_a_token_revokes_its_grant_for_its_own_client_only(table, frozen, allowed):
    for kind in ("access", "refresh"):
        pair = await grants.create_grant(table, allowed, frozen())
        await grants.revoke_token(table, getattr(pair, kind), "client-2")
        assert await load_token(table, pair.access)
        await grants.revoke_token(table, getattr(pair, kind), "client-1")
        assert await load_token(table, pair.access) is None
    for unknown in ("", "x", "assayrt_x.y", "x" * 10_000):
        await grants.revoke_token(table, unknown, "client-1")


def exchange(code, **changes):
    return CodeExchange(
        **{"code": code, "client": "client-1", "redirect_uri": "https://app.example/cb", "verifier": VERIFIER} | changes
    )


async def issue(table, allowed, now):
    uri = "https://app.example/cb"
    return await create_code(table, allowed, redirect_uri=uri, challenge=build_challenge(VERIFIER), now=now)


async def test_a_code_works_once_and_its_reuse_revokes_its_tokens(table, frozen, allowed):
    code = await issue(table, allowed, frozen())
    pair = await redeem_code(table, exchange(code), frozen())
    assert await load_token(table, pair.access)
    with pytest.raises(OAuthError, match="used before"):
        await redeem_code(table, exchange(code), frozen())
    assert await load_token(table, pair.access) is None


async def test_of_concurrent_uses_of_a_code_none_keeps_a_token(table, frozen, allowed):
    code = await issue(table, allowed, frozen())
    results = await asyncio.gather(
        *(redeem_code(table, exchange(code), frozen()) for _ in range(5)), return_exceptions=True
    )
    pairs = [one for one in results if isinstance(one, grants.TokenPair)]
    assert len(pairs) <= 1
    for pair in pairs:
        assert await load_token(table, pair.access) is None
    assert await grants.list_grants(table, "acme", "ada") == []


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"client": "client-2"}, "invalid_grant"),
        ({"redirect_uri": "https://app.example/cb/"}, "invalid_grant"),
        ({"verifier": ""}, "invalid_grant"),
        ({"verifier": "w" * 50}, "invalid_grant"),
        ({"verifier": build_challenge(VERIFIER)}, "invalid_grant"),
        ({"verifier": "v" * 10_000}, "invalid_grant"),
        ({"resource": "https://other.example/mcp"}, "invalid_target"),
    ],
)
async def test_a_stolen_code_is_worth_nothing(tmp_path, frozen, allowed, changes, error):
    from tests.support import table_factories

    table = table_factories.sqlite(tmp_path, frozen)
    code = await issue(table, allowed, frozen())
    with pytest.raises(OAuthError) as refused:
        await redeem_code(table, exchange(code, **changes), frozen())
    assert refused.value.code == error
    assert await redeem_code(table, exchange(code), frozen())
    await table.close()


async def test_a_code_expires(table, frozen, allowed):
    code = await issue(table, allowed, frozen())
    frozen.now += 121
    with pytest.raises(OAuthError, match="expired"):
        await redeem_code(table, exchange(code), frozen())
    for wrong in ("", "assayac_x", "x" * 100_000):
        with pytest.raises(OAuthError):
            await redeem_code(table, exchange(wrong), frozen())
