"""Memo of one call: upstream answers that its parts share, so that each request is made once."""

from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from assay.errors import NotFound
from assay.state.context_values import ContextValue
from assay.state.single_flight import SingleFlight


@dataclass
class CallMemo:
    """Answers by key. NotFound counts as an answer; other failures are not stored, so that a later part may retry."""

    answers: dict[str, Any] = field(default_factory=dict)
    flights: SingleFlight = field(default_factory=SingleFlight)


# A context variable, because the parts of a call reach upstreams through unrelated functions.
_MEMO: ContextVar[CallMemo | None] = ContextVar("call_memo", default=None)


def open_memo() -> ContextValue[CallMemo]:
    """Start the memo of one call."""
    return ContextValue(_MEMO, CallMemo())


def remember(key: str, answer: Any) -> None:
    """Store an answer that another request has returned; NotFound if the upstream does not have it."""
    if memo := _MEMO.get():
        memo.answers.setdefault(key, answer)


def is_known(key: str) -> bool:
    """Whether the memo has an answer under `key`."""
    memo = _MEMO.get()
    return memo is not None and key in memo.answers


async def ask_once[T](key: str, make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """The answer under `key`, from `make` on the first request of this call."""
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
    stored: T = answer
    return stored
