"""Trying a tool: the list of tools, the form of one, and its answer as models, programs and people read it."""

import json
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import Response
from markupsafe import Markup

from assay.context import MCP_ANSWER_BYTES
from assay.entrypoints.background_calls import accept_call, can_run_in_background
from assay.entrypoints.console.answer_view import AnswerView
from assay.entrypoints.console.call_snippets import write_snippets
from assay.entrypoints.console.page_visit import PageVisit
from assay.entrypoints.console.special_views import render_special_view
from assay.entrypoints.console.tool_forms import build_fields, fill_values, parse_form
from assay.entrypoints.http.tool_cards import cards_shown
from assay.entrypoints.listing import card_shown, name_lenses, requirements_of
from assay.errors import CallContinues, NotFound
from assay.invoke import Reply
from assay.text.truncate import estimate_tokens
from assay.toolkit import tool_registry

LONGEST_SHOWN = 200_000  # characters of the model's text and of the JSON
SUCCESS = 200


@cache
def read_examples() -> dict[str, dict[str, Any]]:
    """Example inputs by tool."""
    text = (files("assay.entrypoints.console") / "tool_examples.json").read_text("utf-8")
    examples: dict[str, dict[str, Any]] = json.loads(text)
    return examples


async def list_tools(visit: PageVisit) -> Response:
    """All tools that are listed here, or those that contain the words of `q`."""
    words = visit.query.get("q", "")[:200].lower().split()
    cards = cards_shown(visit.services.settings)
    found = [card for card in cards if all(word in _list_words(card) for word in words)]
    return visit.show("tools.html", cards=found, total=len(cards), q=" ".join(words))


def _list_words(card: Any) -> str:
    return f"{card['name']} {card['title']} {card['description']}".lower()


async def show_tool(visit: PageVisit) -> Response:
    """The form, empty, with the example, or with what a link to a tool that only reads has filled in."""
    card = _find_card(visit)
    example = read_examples().get(card["name"])
    filled = example if example is not None and "example" in visit.query else {}
    values = fill_values(card["inputSchema"], filled)
    if not filled and card["annotations"]["readOnlyHint"]:  # a link of others must not prepare a change
        values = parse_form(card["inputSchema"], visit.query).values
    return _show_form(visit, card, values, {}, arguments=filled)


async def run_tool(visit: PageVisit) -> Response:
    """Call the tool with what was filled in. A worker makes calls that may take long; they have a page of their own."""
    card = _find_card(visit)
    name = card["name"]
    arguments, errors, values = parse_form(card["inputSchema"], visit.form)
    if errors:
        return _show_form(visit, card, values, errors, arguments=arguments, status=400)
    ctx = visit.build_context()
    if can_run_in_background(name, ctx):
        accepted = await accept_call(name, arguments, ctx)
        if not isinstance(accepted, Reply):
            return visit.redirect(f"/console/calls/{accepted.id}")
        reply = accepted
    else:
        reply = await visit.call_tool(name, arguments, links_large=True)
    if isinstance(reply.error, CallContinues):
        return visit.redirect(f"/console/calls/{reply.error.call}")
    errors, status = {}, SUCCESS
    if reply.error is not None:
        status = reply.error.status
        part = (reply.error.field or "").partition(".")[0].partition("[")[0]
        errors = {part: reply.error.sentence()} if part in values else {}
    return _show_form(visit, card, values, errors, arguments=arguments, reply=reply, status=status)


def _find_card(visit: PageVisit) -> dict[str, Any]:
    """The card of the tool that the path names. Raises NotFound."""
    name, settings = visit.parameters["name"], visit.services.settings
    card = card_shown(tool_registry.find_tool(name).card(), requirements_of(name), settings)
    if card is None:
        raise NotFound(f"{name} is not configured here, and therefore not listed.")
    return dict(name_lenses([card], settings)[0])


def _show_form(
    visit: PageVisit,
    card: dict[str, Any],
    values: dict[str, str],
    errors: dict[str, str],
    *,
    arguments: dict[str, Any],
    reply: Reply | None = None,
    status: int = SUCCESS,
) -> Response:
    return visit.show(
        "tool.html",
        status,
        title=card["title"],
        card=card,
        fields=build_fields(card["inputSchema"], values, errors),
        has_errors=bool(errors),
        has_example=card["name"] in read_examples(),
        snippets=write_snippets(card["name"], arguments, visit.base, needs_key=not visit.is_local) if arguments else [],
        failure=reply.error if reply is not None else None,
        answer=describe_answer(visit, card["name"], reply) if reply is not None and reply.error is None else None,
    )


def describe_answer(visit: PageVisit, tool: str, reply: Reply) -> dict[str, Any]:
    """A successful reply in the three forms that `answer.html` shows."""
    body = json.dumps(reply.body(), ensure_ascii=False, indent=2)
    can_filter = visit.page.method == "GET"  # a form would call the tool again
    view = render_special_view(tool, reply.wire, visit.query.get("flag", ""), can_filter=can_filter)
    if view is None:
        view = AnswerView(visit.find_image).render(reply.wire) if reply.wire else Markup("<p>The answer is empty.</p>")
    return {
        "view": view,
        "text": reply.text[:LONGEST_SHOWN],
        "tokens": estimate_tokens(reply.text),
        "characters": len(reply.text),
        "is_cut_for_models": len(reply.text.encode()) + len(body.encode()) > MCP_ANSWER_BYTES,
        "json": body[:LONGEST_SHOWN],
        "json_characters": len(body),
        "artifact": reply.linked.uri if reply.linked is not None else "",
    }
