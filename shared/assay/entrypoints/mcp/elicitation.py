"""Questions to the person during a tool call: a missing consent, a cost beyond the limit, and the forms of tools.

In 2026-07-28 the result of the call is the question, and the client repeats the call with the answer. In the older
revisions the server sends the question while the call runs. Who declines gets the result of a call without questions.
"""

import secrets
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.context import Context
from assay.entrypoints.mcp.client_requests import ASKING
from assay.entrypoints.mcp.elicitation_modes import can_show_forms, find_modes
from assay.entrypoints.mcp.exchange import Exchange, Params, Result, run_tool, to_tool_result
from assay.entrypoints.mcp.jsonrpc import RpcError
from assay.entrypoints.mcp.protocol_versions import is_modern
from assay.entrypoints.mcp.request_state import claim_state, open_state, seal_state
from assay.invoke import Reply
from assay.state.budget import CostLimitExceeded, format_dollars
from assay.toolkit.person_form import FormRequired

URL_REQUIRED = -32042  # of 2025-11-25
ORIGIN = "elicitation"  # where a consent by form was given
AGREE = "agree"  # the field of the form


@dataclass(frozen=True)
class Elicitation:
    """What the person decides. `page` is where they consent, "" if a form asks; `cost` is in micro-dollars.

    A form of a tool has a `key` and its own `schema`.
    """

    kind: Literal["consent", "cost", "form"]
    message: str
    agreement: str = ""
    page: str = ""
    purpose: str = ""
    terms: str = ""
    cost: int = 0
    key: str = ""
    schema: Mapping[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.key or self.kind

    def to_params(self, version: str) -> dict[str, Any]:
        """The params of `elicitation/create` in this revision."""
        if self.page:
            identity = {} if is_modern(version) else {"elicitationId": uuid.uuid4().hex}
            return {"mode": "url", "message": self.message, "url": self.page, **identity}
        if self.schema:
            return {"message": self.message, "requestedSchema": self.schema}
        agree = {"type": "boolean", "title": self.agreement, "default": False}
        schema = {"type": "object", "properties": {AGREE: agree}, "required": [AGREE]}
        return {"message": self.message, "requestedSchema": schema}


async def call_with_questions(params: Params, exchange: Exchange) -> Result:
    """The result of a `tools/call` of a client that can ask its person. Raises RpcError for an invalid state."""
    ctx, asked = exchange.context(), []
    ctx.can_ask = can_show_forms(params, exchange)
    if is_modern(exchange.version):
        ctx.form_responses = params.get("inputResponses") or {}
    if params.get("requestState") is not None:
        document = await open_state(params, exchange)
        declined = await _apply_responses(params, document, ctx, exchange)
        if declined is not None:
            return declined
        asked = document["asked"]
    while True:
        reply = await run_tool(params, exchange, ctx)
        result = to_tool_result(reply, exchange)
        question = _find_question(reply, ctx, find_modes(params, exchange))
        if question is None or (question.name in asked and not (question.key and is_modern(exchange.version))):
            return result
        asked = [*asked, question.name]
        if is_modern(exchange.version):
            return await _build_input_required(question, asked, result, ctx, params, exchange)
        response = await _ask_now(question, exchange)
        if not question.key and not _is_accepted(question, response):
            return result
        ctx = _build_next_context(question, response, ctx, exchange)
        await _apply_acceptance(question, ctx)


def _build_next_context(question: Elicitation, response: object, ctx: Context, exchange: Exchange) -> Context:
    """The context in which the call runs again, with what the person answered so far."""
    again = exchange.context()
    again.is_charged, again.can_ask = True, ctx.can_ask
    again.form_responses = {**ctx.form_responses, question.key: response} if question.key else ctx.form_responses
    return again


async def _apply_responses(
    params: Params, document: Mapping[str, Any], ctx: Context, exchange: Exchange
) -> Result | None:
    """Apply the responses to the question of the state; the result of the call if they do not accept it."""
    question = Elicitation(**document["question"])
    ctx.form_responses = {**ctx.form_responses, **document["answered"]}
    responses = params.get("inputResponses") or {}
    if not question.key and not _is_accepted(question, responses.get(question.kind)):
        declined: Result = document["result"]
        return declined
    if not question.page and not question.key:  # a page's record stays as it is, and a tool reads its form anew
        await claim_state(document, exchange)
    await _apply_acceptance(question, ctx)
    return None


async def _build_input_required(
    question: Elicitation, asked: list[str], result: Result, ctx: Context, params: Params, exchange: Exchange
) -> Result:
    document = {"id": secrets.token_urlsafe(16), "question": vars(question), "asked": asked, "result": result}
    state = await seal_state(document | {"answered": ctx.answered}, params, exchange)
    if state is None:
        return result
    request = {"method": ASKING, "params": question.to_params(exchange.version)}
    return {"resultType": "input_required", "inputRequests": {question.name: request}, "requestState": state}


async def _ask_now(question: Elicitation, exchange: Exchange) -> object:
    """Ask through the stream of the call and return the response. Raises RpcError if there is only a page."""
    params = question.to_params(exchange.version)
    if exchange.questioner is None or exchange.questioner.ask is None:
        if question.page:
            raise RpcError(URL_REQUIRED, question.message, elicitations=[params])
        return None
    return await exchange.questioner.ask(params)


def _is_accepted(question: Elicitation, response: object) -> bool:
    """Whether the response accepts. Accepting a form without its agreement is declining it."""
    if not isinstance(response, Mapping) or response.get("action") != "accept":
        return False
    content = response.get("content")
    return bool(question.page) or (isinstance(content, Mapping) and content.get(AGREE) is True)


async def _apply_acceptance(question: Elicitation, ctx: Context) -> None:
    """Record the consent, or raise the limit of the call. Consents of a page are recorded by the page."""
    if question.kind == "cost":
        ctx.allowed_cost = question.cost
    elif question.kind == "consent" and not question.page and question.terms == ctx.services.settings.terms_version:
        from assay.consent.consent_records import PURPOSES

        purpose = next(each for each in PURPOSES if each == question.purpose)
        await ctx.own.consents.decide(purpose, granted=True, decided_from=ORIGIN, terms_version=question.terms)


def _find_question(reply: Reply, ctx: Context, modes: frozenset[str]) -> Elicitation | None:
    """The question whose answer could change the reply; None if there is none that the client can ask."""
    if isinstance(reply.error, CostLimitExceeded):
        return _ask_for_cost(reply.error.cost, ctx) if "form" in modes else None
    if isinstance(reply.error, FormRequired):
        form = reply.error.form
        return Elicitation("form", form.message, key=form.key, schema=form.to_schema())
    needed = reply.wire.get("consent") if ctx.refusal == "no_consent" else None
    return _ask_for_consent(needed, ctx, modes) if isinstance(needed, Mapping) else None


def _ask_for_cost(cost: int, ctx: Context) -> Elicitation | None:
    """Ask for a higher limit of this call, only where the budget of the day limits what the tenant spends at most."""
    settings = ctx.services.settings
    if settings.daily_budget is None or settings.max_call_cost is None or not 0 < cost <= settings.daily_budget:
        return None
    message = (
        f"This call would cost {format_dollars(cost)}, and a call may cost {format_dollars(settings.max_call_cost)}. "
        f"May it cost up to {format_dollars(cost)}, once? Today's budget of your organization still applies."
    )
    return Elicitation("cost", message, f"Allow {format_dollars(cost)} for this call", cost=cost)


def _ask_for_consent(needed: Mapping[str, Any], ctx: Context, modes: frozenset[str]) -> Elicitation | None:
    """Ask for the consent: on the page of this server if the client can open it, else by a form."""
    purpose, terms, page = str(needed["purpose"]), str(needed.get("termsVersion") or ""), str(needed.get("url") or "")
    version = f", under version {terms} of its terms" if terms else ""
    subject = f"This server asks for your consent to store your own data for {purpose}{version}."
    if page and "url" in modes:
        return Elicitation("consent", f"{subject} You decide on its page.", page=page, purpose=purpose, terms=terms)
    if "form" not in modes or ctx.caller.read_only:  # a read-only key changes nothing
        return None
    message = f"{subject} Without it nothing is stored. You can withdraw it at any time."
    return Elicitation("consent", message, f"I consent to the storage of my data for {purpose}", "", purpose, terms)
