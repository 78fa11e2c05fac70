"""The stored record of a tool call that a worker makes, its arguments and its answer."""

import json
from typing import Any

from assay.services import Services
from assay.state.json_documents import Document
from assay.text.json_encoding import encode_json
from assay.work_queue.job_record import Job, JobStore

DAY = 86_400.0
MESSAGE_CHARS = 300


class CallJob(Job):
    """A tool call: who made it, and how far it is. `followed` is the id of the job that the tool has started.

    The caller's scopes are those at the time of the call.
    """

    tool: str
    name: str = ""  # of the caller's key
    scopes: tuple[str, ...] = ()
    read_only: bool = False
    request_id: str = ""
    followed: str = ""
    allowed_cost: int | None = None  # micro-dollars that the person allowed, beyond the limit of a call
    done: float | None = None
    total: float | None = None
    message: str | None = None
    is_error: bool = False  # the tool has answered with an error
    updated: float

    @property
    def subject(self) -> str:
        return self.tool


CALLS = JobStore("tool-call", CallJob)


async def save_arguments(services: Services, job: CallJob, arguments: Any) -> None:
    await _save(services, job, "arguments", arguments)


async def load_arguments(services: Services, job: CallJob) -> Any:
    """Return the arguments; None once they have expired."""
    return await _load(services, job, "arguments")


async def save_answer(services: Services, job: CallJob, answer: Document | None) -> None:
    await _save(services, job, "answer", answer)


async def load_answer(services: Services, job: CallJob) -> Document | None:
    answer: Document | None = await _load(services, job, "answer")
    return answer


async def delete_answer(services: Services, job: CallJob) -> None:
    await services.bucket.delete(_name(job, "answer"))


def list_object_names(job: CallJob) -> list[str]:
    """Return the names of every object that a call can have."""
    return [_name(job, "arguments"), _name(job, "answer")]


async def _save(services: Services, job: CallJob, part: str, value: Any) -> None:
    body = encode_json(value)
    await services.bucket.put(_name(job, part), body, content_type="application/json", until=job.until)


async def _load(services: Services, job: CallJob, part: str) -> Any:
    body = await services.bucket.get(_name(job, part))
    return None if body is None else json.loads(body)


def _name(job: CallJob, part: str) -> str:
    return f"tool-call/{job.id}/{part}"
