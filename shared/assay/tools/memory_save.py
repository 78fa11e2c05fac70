"""Remember a finding across sessions, or edit what was remembered."""

from typing import Annotated

from pydantic import Field, field_validator

from assay.consent.consent_views import ConsentNeeded
from assay.context import Context
from assay.errors import InvalidInput, NotFound
from assay.memory.memory_records import MAX_TAG, MAX_TAGS, MAX_TOPIC, Memory, MemoryFull, MemoryMissing
from assay.memory.memory_store import MemoryStore
from assay.memory.memory_views import MemoryId, MemoryStatus, Reason
from assay.models.common import NOTE_TOO_LARGE, Cleared, Input, Note, Output
from assay.net.urls import canonicalize_url
from assay.state.ports import ValueTooLarge
from assay.text.timestamps import format_utc
from assay.toolkit.tool import tool

type Tag = Annotated[str, Field(min_length=1, max_length=MAX_TAG)]


class MemorySaveInput(Input):
    note: Annotated[Note, Field(description="Finding or conclusion to remember, up to 65536 bytes of UTF-8.")]
    topic: Annotated[
        Cleared[Annotated[str, Field(max_length=MAX_TOPIC)]], Field(description="Group to recall it by later.")
    ] = None
    url: Annotated[Cleared[str], Field(description="Source of the note.")] = None
    tags: Annotated[
        list[Tag] | None, Field(max_length=MAX_TAGS, description="Labels of the memory, such as methods.")
    ] = None
    session: Annotated[
        Cleared[Annotated[str, Field(max_length=128)]],
        Field(alias="sessionId", description="Research session that the finding is from."),
    ] = None
    id: Annotated[Cleared[MemoryId], Field(description="Memory to edit: given fields replace its own.")] = None

    @field_validator("topic")
    @classmethod
    def _on_one_line(cls, topic: str | None) -> str | None:
        return " ".join(topic.split()) if topic else topic

    @field_validator("tags")
    @classmethod
    def _each_on_one_line(cls, tags: list[str] | None) -> list[str] | None:
        return None if tags is None else [" ".join(tag.split()) for tag in tags]


class MemorySaveOutput(Output):
    status: MemoryStatus
    reason: Reason = None
    consent: ConsentNeeded = None
    id: str | None = None
    created_at: Annotated[str | None, Field(description="RFC 3339, UTC.")] = None
    expires_at: Annotated[str | None, Field(description="When it is deleted unless saved again or edited.")] = None
    merged: Annotated[bool | None, Field(description="True if the same note was there and was kept once.")] = None
    notice: Annotated[str | None, Field(description="Why it is not found by meaning yet, if so.")] = None


@tool(open_world=False, read_only=False, destructive=True, idempotent=False, flag="MEMORY_ENABLED")
async def memory_save(ask: MemorySaveInput, ctx: Context) -> MemorySaveOutput:
    """Save a finding to the caller's long-term memory, which outlasts research sessions, with its source. The same note
    is kept once. With `id`, edit a memory. Recall with memory_recall."""
    memories = ctx.own.memories
    if refusal := await ctx.refuse_without_consent("memory"):
        return MemorySaveOutput(status=refusal.status, reason=refusal.reason, consent=refusal.request)
    urls = [canonicalize_url(ask.url)] if ask.url else []
    try:
        if ask.id is not None:
            return build_answer(await edit(ask, urls, memories), memories, merged=None)
        goal = (await ctx.own.sessions.read(ask.session)).goal if ask.session else ""
        memory, merged = await memories.save(
            ask.note, topic=ask.topic or "", urls=urls, tags=ask.tags or (), session=ask.session or "", goal=goal
        )
    except ValueTooLarge:
        raise InvalidInput(NOTE_TOO_LARGE, field="note") from None
    except MemoryFull:
        raise InvalidInput(
            f"You have {ctx.services.settings.memory_most} memories, which is the limit. Delete some with "
            "memory_forget.",
            field="note",
        ) from None
    return build_answer(memory, memories, merged=merged)


async def edit(ask: MemorySaveInput, urls: list[str], memories: MemoryStore) -> Memory:
    if ask.session is not None:
        raise InvalidInput("An edit keeps the session of the memory; leave out sessionId.", field="sessionId")
    try:
        return await memories.edit(ask.id or "", note=ask.note, topic=ask.topic, urls=urls or None, tags=ask.tags)
    except MemoryMissing:
        raise NotFound("You have no memory with this id. memory_recall lists them.", field="id") from None


def build_answer(memory: Memory, memories: MemoryStore, *, merged: bool | None) -> MemorySaveOutput:
    failure = memories.meaning.failure
    notice = (
        f"It is saved and found by its words. The embedding model failed ({failure}); a later search adds its meaning."
    )
    return MemorySaveOutput(
        status="ok",
        id=memory.id,
        created_at=format_utc(memory.created),
        expires_at=format_utc(memory.until),
        merged=merged or None,
        notice=notice if failure else None,
    )
