"""Delete memories of the caller."""

from collections.abc import AsyncGenerator
from typing import Annotated

from pydantic import Field

from assay.context import Context
from assay.errors import InvalidInput
from assay.memory.memory_records import MAX_TOPIC, Memory
from assay.memory.memory_store import MemoryStore
from assay.memory.memory_views import MEMORY_TRUST, MemoryId, MemoryStatus, MemoryTrust, Reason
from assay.models.common import Cleared, Input, Output
from assay.net.urls import canonicalize_url
from assay.toolkit.person_form import PersonForm
from assay.toolkit.tool import tool

SHOWN, EXCERPT = 50, 120  # memories named in an answer, characters of each


class MemoryForgetInput(Input):
    ids: Annotated[list[MemoryId] | None, Field(max_length=100, description="Ids of the memories to delete.")] = None
    topic: Annotated[
        Cleared[Annotated[str, Field(max_length=MAX_TOPIC)]], Field(description="Delete the memories of this topic.")
    ] = None
    url: Annotated[Cleared[str], Field(description="Delete the memories that rest on this source.")] = None
    everything: Annotated[bool, Field(description="Delete all memories of the caller.")] = False
    dry_run: Annotated[bool, Field(alias="dryRun", description="Only say what would be deleted; false deletes it.")] = (
        True
    )


class ForgottenMemory(Output):
    id: str
    topic: Annotated[str | None, Field(description="Group that it belongs to.")] = None
    note: Annotated[str, Field(description="Beginning of the note.")]


class MemoryForgetOutput(Output):
    status: MemoryStatus
    reason: Reason = None
    dry_run: Annotated[bool, Field(description="True if nothing was deleted.")]
    count: Annotated[int, Field(description="Number of memories deleted, or that would be.")] = 0
    memories: list[ForgottenMemory] = Field(default_factory=list, description="The first fifty of them.")
    trust: MemoryTrust = MEMORY_TRUST


@tool(open_world=False, read_only=False, destructive=True, flag="MEMORY_ENABLED")
async def memory_forget(ask: MemoryForgetInput, ctx: Context) -> MemoryForgetOutput:
    """Delete memories of the caller: by ids, topic or source, or everything. First call with dryRun true (the default)
    and show the person what would go; dryRun false deletes it for good."""
    memories = ctx.own.memories
    if sum(given is not None for given in (ask.ids, ask.topic, ask.url)) + ask.everything != 1:
        raise InvalidInput("Say which memories: give one of ids, topic, url and everything.", field="ids")
    if refusal := ctx.refuse_unknown_user():  # consent is not needed to delete
        return MemoryForgetOutput(status=refusal.status, reason=refusal.reason, dry_run=True)
    found = [(memory.created, describe(memory)) async for memory in iterate_memories(ask, memories)]
    if ask.everything:
        found.sort(key=lambda pair: pair[0])  # the oldest first
    count, dry_run = len(found), ask.dry_run
    if ask.everything and not dry_run and count and ctx.can_ask:
        dry_run = await ctx.ask_person(ask_for_all(count)) != {"delete": True}
    if not dry_run:
        count = await (memories.erase() if ask.everything else memories.forget(memory.id for _, memory in found))
    shown = [memory for _, memory in found[:SHOWN]]
    return MemoryForgetOutput(status="ok", dry_run=dry_run, count=count, memories=shown)


def ask_for_all(count: int) -> PersonForm:
    agree = {"type": "boolean", "title": f"Delete all {count}", "default": False}
    return PersonForm(
        "delete_all",
        f"Delete all your {count} memories for good? Nobody can restore them.",
        {"delete": agree},
        ("delete",),
    )


def iterate_memories(ask: MemoryForgetInput, memories: MemoryStore) -> AsyncGenerator[Memory]:
    if ask.everything:
        return memories.iterate_all()
    if ask.ids is not None:
        return memories.find(ids=ask.ids)
    return memories.find(topic=ask.topic, url=canonicalize_url(ask.url) if ask.url else None)


def describe(memory: Memory) -> ForgottenMemory:
    note = memory.note if len(memory.note) <= EXCERPT else memory.note[:EXCERPT].rstrip() + "…"
    return ForgottenMemory(id=memory.id, topic=memory.topic or None, note=note)
