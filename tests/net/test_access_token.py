"""A token that is fetched once however many need it."""

import asyncio

import pytest

from assay.net.access_token import IssuedToken, Token


class Lender:
    def __init__(self, seconds=1200.0):
        self.requests, self.seconds, self.trouble, self.moment = 0, seconds, None, 1000.0
        self.gate = asyncio.Event()
        self.gate.set()

    async def lend(self):
        self.requests += 1
        number = self.requests
        await self.gate.wait()
        if self.trouble:
            raise self.trouble
        return IssuedToken(f"token-{number}", self.seconds)

    def token(self):
        return Token(self.lend, lambda: self.moment)


async def test_many_at_a_time_are_one_request():
    lender = Lender()
    token = lender.token()
    assert set(await asyncio.gather(*(token.get() for _ in range(50)))) == {"token-1"}
    assert lender.requests == 1


@pytest.mark.parametrize(("later", "asked"), [(1139, 1), (1141, 2), (5000, 2)])
async def test_it_is_renewed_a_minute_before_it_ends(later, asked):
    lender = Lender()
    token = lender.token()
    await token.get()
    lender.moment += later
    await token.get()
    assert lender.requests == asked


async def test_a_short_one_is_kept_for_half_of_its_time():
    lender = Lender(seconds=10)
    token = lender.token()
    await token.get()
    lender.moment += 4
    assert await token.get() == "token-1"
    lender.moment += 2
    assert await token.get() == "token-2"


async def test_a_failure_reaches_all_who_wait_and_the_next_tries_again():
    lender = Lender()
    token, lender.trouble = lender.token(), ValueError("no")
    outputs = await asyncio.gather(*(token.get() for _ in range(3)), return_exceptions=True)
    assert [type(one) for one in outputs] == [ValueError] * 3
    assert lender.requests == 1
    lender.trouble = None
    assert await token.get() == "token-2"


async def test_one_who_leaves_takes_it_from_nobody():
    lender = Lender()
    token = lender.token()
    lender.gate.clear()
    first, second = asyncio.create_task(token.get()), asyncio.create_task(token.get())
    await asyncio.sleep(0)
    first.cancel()
    lender.gate.set()
    assert await second == "token-1"
    with pytest.raises(asyncio.CancelledError):
        await first


async def test_a_refused_one_is_replaced_but_not_by_who_comes_late():
    lender = Lender()
    token = lender.token()
    old = await token.get()
    token.invalidate(old)
    assert await token.get() == "token-2"
    token.invalidate(old)
    assert await token.get() == "token-2"


def test_another_loop_is_served_too():
    async def twice():
        return await token.get()

    token = None

    async def first():
        nonlocal token
        token = Lender().token()
        lend = asyncio.create_task(token.get())
        await asyncio.sleep(0)
        lend.cancel()
        await asyncio.gather(lend, return_exceptions=True)

    asyncio.run(first())
    assert asyncio.run(twice()).startswith("token-")


def test_it_shows_in_no_representation():
    assert "secret" not in repr(IssuedToken("secret", 5))
    assert "secret" not in repr([IssuedToken("secret", 5)])
