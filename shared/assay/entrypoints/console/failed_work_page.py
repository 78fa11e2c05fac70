"""Jobs that failed, messages that no worker could process, and those of webhooks that could not be delivered."""

from typing import Any

from fastapi import Response

from assay.entrypoints.console.page_visit import PageVisit
from assay.errors import InvalidInput

PATH = "/console/operations/work"
SHOWN = "50"
CONFIRMED = "yes"
COMMANDS = {  # by the kind of what a form is about, and what to do with it
    ("job", "retry"): "retry-job",
    ("job", "drop"): "drop-job",
    ("dead-letter", "retry"): "retry-dead-letter",
    ("dead-letter", "drop"): "drop-dead-letter",
    ("webhook", "retry"): "retry-webhook-message",
    ("webhook", "drop"): "drop-webhook-message",
}


async def show_failed_work(visit: PageVisit) -> Response:
    """What waits for a decision, a page of each list."""
    jobs: Any = await visit.run_endpoint("list-jobs", {"state": "parked", "limit": SHOWN, **_read_place(visit, "jobs")})
    messages: Any = await visit.run_endpoint(
        "list-webhook-messages", {"limit": SHOWN, **_read_place(visit, "messages")}
    )
    letters = await visit.run_endpoint("list-dead-letters")
    return visit.show("failed_work.html", jobs=jobs, messages=messages, letters=letters)


async def decide_on_work(visit: PageVisit) -> Response:
    """Retry or drop what the form names. Dropping has to be confirmed."""
    action = visit.form.get("action", "")
    command = COMMANDS.get((visit.form.get("about", ""), action))
    if command is None:
        raise InvalidInput("The form names nothing that can be retried or dropped.", field="action")
    if action == "drop" and visit.form.get("confirmed") != CONFIRMED:
        raise InvalidInput("Nothing was dropped. Tick the box beside the button first.", field="confirmed")
    named = {"id": visit.form.get("id", "")} | (
        {"kind": visit.form.get("kind", "")} if visit.form["about"] == "job" else {}
    )
    await visit.run_endpoint(command, named)
    return visit.redirect(PATH)


def _read_place(visit: PageVisit, name: str) -> dict[str, str]:
    place = visit.query.get(name)
    return {"after": place} if place else {}
