"""The MCP methods of prompts, and the completion of their arguments and of resource templates."""

from collections.abc import Iterable, Sequence
from itertools import islice

from assay.entrypoints.mcp.client_requests import ASKING
from assay.entrypoints.mcp.elicitation_modes import can_show_forms
from assay.entrypoints.mcp.exchange import Exchange, Params, Result
from assay.entrypoints.mcp.jsonrpc import INVALID_PARAMS, RpcError
from assay.entrypoints.mcp.prompt_base import Prompt, PromptArgument
from assay.entrypoints.mcp.protocol_versions import is_modern
from assay.errors import NotFound
from assay.toolkit.person_form import PersonForm

MOST_VALUES = 100  # of a completion, as MCP allows
WEB = "web"  # operation of the providers that prompts let callers choose


def list_prompts(exchange: Exchange) -> Result:
    return {"prompts": [prompt.describe() for prompt in _list_offered(exchange)]}


async def get_prompt(params: Params, exchange: Exchange) -> Result:
    """The prompt's message for these arguments, or a form for those that it requires and the client has not sent.

    Raises RpcError or InvalidInput for an unknown prompt or argument.
    """
    prompt, given = _find_prompt(params["name"], exchange), dict(params.get("arguments") or {})
    missing = [each for each in prompt.arguments if each.required and each.name not in given]
    if missing and can_show_forms(params, exchange):
        form = _build_form(prompt, missing, exchange)
        asked = {"message": form.message, "requestedSchema": form.to_schema()}
        response = form.read_response((params.get("inputResponses") or {}).get(form.key))
        if response is None and is_modern(exchange.version):
            return {"resultType": "input_required", "inputRequests": {form.key: {"method": ASKING, "params": asked}}}
        if response is None and exchange.questioner is not None and exchange.questioner.ask is not None:
            response = form.read_response(await exchange.questioner.ask(asked))
        given |= (response.content if response else None) or {}
    values = prompt.check_values(given, lambda kind: list_names(kind, exchange))
    return {"description": prompt.description, "messages": prompt.build_messages(values)}


def _build_form(prompt: Prompt, missing: Sequence[PromptArgument], exchange: Exchange) -> PersonForm:
    """The form for the missing arguments; one with a fixed list of values offers them."""
    fields = {}
    for each in missing:
        values = each.list_values(lambda kind: list_names(kind, exchange))
        about = {"type": "string", "title": each.name, "description": each.description}
        fields[each.name] = about | ({"enum": values} if values else {"maxLength": each.max_chars})
    message = f"What the prompt {prompt.title} needs to know:"
    return PersonForm("arguments", message, fields, tuple(fields))


async def complete(params: Params, exchange: Exchange) -> Result:
    """The values of an argument that begin as the caller's text does, sorted. Free text has none."""
    ref, argument = params["ref"], params["argument"]
    if ref["type"] == "ref/prompt":
        values = _complete_prompt(ref["name"], argument["name"], argument["value"], exchange)
        found, total = list(islice(values, MOST_VALUES)), len(values)
        return {"completion": {"values": found, "total": total, "hasMore": total > len(found)}}
    found = list(await _complete_resource(ref["uri"], argument["name"], argument["value"], exchange))
    more = len(found) > MOST_VALUES
    return {"completion": {"values": found[:MOST_VALUES], "hasMore": more}}


def list_names(kind: str, exchange: Exchange) -> Iterable[str]:
    """The names of all lenses, or of the configured providers that search the web."""
    if kind == "lens":
        return exchange.services.search.lenses.names()
    return exchange.services.search.alternatives(WEB)


def _complete_prompt(name: str, argument: str, beginning: str, exchange: Exchange) -> Sequence[str]:
    values = _find_prompt(name, exchange).find_argument(argument).list_values(lambda kind: list_names(kind, exchange))
    return [value for value in values if value.startswith(beginning.lower())]


async def _complete_resource(uri: str, variable: str, beginning: str, exchange: Exchange) -> Sequence[str]:
    for resource in exchange.catalogue.resources:
        if resource.is_template and resource.card["uriTemplate"] == uri:
            if variable not in resource.list_variables():
                raise RpcError(INVALID_PARAMS, f"The template {uri[:100]} has no variable {variable[:40]!r}.")
            if resource.complete is None:
                return ()
            return await resource.complete(beginning, exchange.context(), MOST_VALUES + 1)
    raise RpcError(INVALID_PARAMS, NotFound(f"There is no resource template {uri[:100]!r}.", field="uri"))


def _list_offered(exchange: Exchange) -> list[Prompt]:
    """The prompts whose tools are all in the connected toolsets."""
    catalogue = exchange.catalogue
    return [
        prompt
        for prompt in catalogue.prompts
        if all(catalogue.offers(tool, exchange.selection) for tool in sorted(prompt.tools))
    ]


def _find_prompt(name: str, exchange: Exchange) -> Prompt:
    offered = _list_offered(exchange)
    for prompt in offered:
        if prompt.name == name:
            return prompt
    if name in (prompt.name for prompt in exchange.catalogue.prompts):
        raise RpcError(INVALID_PARAMS, f"{name} needs tools outside the connected toolsets. Connect with ?toolset=all.")
    known = ", ".join(prompt.name for prompt in offered) or "none"
    raise RpcError(INVALID_PARAMS, NotFound(f"There is no prompt {name[:60]!r}; there are {known}.", field="name"))
