"""What a call has learned from upstreams so far, so that its parts do not ask for the same thing twice."""

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from assay.errors import NotFound
from assay.state.single_flight import SingleFlight


@dataclass
class CallMemo:
    """Answers by key; a NotFound is an answer too. Other failures are not kept: a later part may ask again."""

    answers: dict[str, Any] = field(default_factory=dict)
    flights: SingleFlight = field(default_factory=SingleFlight)


# The parts of a call reach upstreams by ways that know nothing of each other, so no parameter could carry this.
_MEMO: ContextVar[CallMemo | None] = ContextVar("call_memo", default=None)


@contextmanager
def open_memo() -> Iterator[None]:
    """Whatever is asked inside is one call's."""
    token = _MEMO.set(CallMemo())
    try:
        yield
    finally:
        _MEMO.reset(token)


def remember(key: str, answer: Any) -> None:
    """Keep an answer that came by another question; a NotFound stands for an upstream that does not have it."""
    if memo := _MEMO.get():
        memo.answers.setdefault(key, answer)


def is_known(key: str) -> bool:
    memo = _MEMO.get()
    return memo is not None and key in memo.answers


async def ask_once[T](key: str, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The call's answer under `key`, made once however many of its parts ask for it."""
    memo = _MEMO.get()
    if memo is None:
        return await make()
    if key not in memo.answers:

        async def fresh() -> T:
            try:
                memo.answers[key] = await make()
            except NotFound as missing:
                memo.answers[key] = NotFound(missing.message, provider=missing.provider)
                raise
            answer: T = memo.answers[key]
            return answer

        return await memo.flights.run(key, fresh)
    answer = memo.answers[key]
    if isinstance(answer, NotFound):
        raise NotFound(answer.message, provider=answer.provider)
    known: T = answer
    return known
