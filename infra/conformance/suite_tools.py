"""The tools that the conformance suite calls by name, written as Assay's own are."""

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import assay.tools
from assay.context import Context
from assay.errors import InvalidInput, NotFound, ToolError
from assay.models.common import Input, Output
from assay.toolkit import tool_registry
from assay.toolkit.person_form import PersonForm
from assay.toolkit.tool import Tool, tool

# Workers find tools by their modules; these are of the suite too.
assay.tools.__path__.append(str(Path(__file__).with_name("background_tools")))
BACKGROUND = ("failing_job", "slow_compute")

TEXT = {"type": "string"}
NAME = PersonForm("user_name", "What is your name?", {"name": TEXT}, ("name",))
CONFIRM = PersonForm("confirm", "Please confirm", {"ok": {"type": "boolean"}}, ("ok",))
STEPS = (
    PersonForm("step1", "Step 1: What is your name?", {"name": TEXT}, ("name",)),
    PersonForm("step2", "Step 2: What is your favorite color?", {"color": TEXT}, ("color",)),
)
DEFAULTS = PersonForm(
    "defaults",
    "Check what is filled in",
    {
        "name": TEXT | {"default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": TEXT | {"enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
)
VALUES = {"value1": "First", "value2": "Second", "value3": "Third"}
OPTIONS = ["option1", "option2", "option3"]


def _title_values(noun: str) -> list[dict[str, str]]:
    return [{"const": value, "title": f"{title} {noun}"} for value, title in VALUES.items()]


ENUMS = PersonForm(
    "enums",
    "Choose",
    {
        "untitledSingle": TEXT | {"enum": OPTIONS},
        "titledSingle": TEXT | {"oneOf": _title_values("Option")},
        "legacyEnum": TEXT
        | {"enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]},
        "untitledMulti": {"type": "array", "items": TEXT | {"enum": OPTIONS}},
        "titledMulti": {"type": "array", "items": {"anyOf": _title_values("Choice")}},
    },
)


class NoInput(Input):
    pass


class GreetInput(Input):
    name: str


class MessageInput(Input):
    message: str


class SuiteOutput(Output):
    text: str = "This is a simple text response for testing."
    kind: str = "text"

    def markdown(self) -> str:
        return self.text


async def _ask(form: PersonForm, ctx: Context) -> Mapping[str, Any] | None:
    if not ctx.can_ask:
        raise InvalidInput("This tool asks a person, and this client cannot. Declare the capability elicitation.")
    return await ctx.ask_person(form)


async def _progress(_: NoInput, ctx: Context) -> SuiteOutput:
    for step in (0, 50, 100):
        if ctx.report is not None:
            await ctx.report(step, 100, f"{step} of 100")
        await asyncio.sleep(0.05)
    return SuiteOutput()


async def _failure(_: NoInput, __: Context) -> SuiteOutput:
    raise ToolError("This tool intentionally returns an error for testing.")


async def _typed_content(_: NoInput, __: Context, kind: str) -> SuiteOutput:
    return SuiteOutput(kind=kind)


async def _forms(_: NoInput, ctx: Context, forms: tuple[PersonForm, ...], begin: str) -> SuiteOutput:
    answers = [await _ask(form, ctx) for form in forms]
    return SuiteOutput(text=f"{begin}: {answers}")


def _tool(name: str, run: Any) -> Tool[Any, Any]:
    async def named(ask: NoInput, ctx: Context) -> SuiteOutput:
        return await run(ask, ctx)

    named.__name__, named.__doc__ = name, f"What the suite calls {name}."
    return tool(open_world=False)(named)


@tool(open_world=False)
async def greet(ask: GreetInput, ctx: Context) -> SuiteOutput:  # noqa: ARG001
    """Greet."""
    return SuiteOutput(text=f"Hello, {ask.name}!")


@tool(open_world=False)
async def test_elicitation(ask: MessageInput, ctx: Context) -> SuiteOutput:
    """Ask with the caller's message."""
    fields = {name: TEXT | {"description": f"User's {name}"} for name in ("username", "email")}
    return SuiteOutput(text=f"User response: {await _ask(PersonForm('user', ask.message, fields, tuple(fields)), ctx)}")


FORMS = {
    "test_input_required_result_elicitation": ((NAME,), "Hello"),
    "test_input_required_result_request_state": ((CONFIRM,), "state-ok"),
    "test_input_required_result_multi_round": (STEPS, "Both steps"),
    "test_input_required_result_tampered_state": ((CONFIRM,), "state-ok"),
    "test_elicitation_sep1034_defaults": ((DEFAULTS,), "Elicitation completed"),
    "test_elicitation_sep1330_enums": ((ENUMS,), "Elicitation completed"),
}
RUNS = {
    "test_simple_text": partial(_typed_content, kind="text"),
    "test_image_content": partial(_typed_content, kind="image"),
    "test_audio_content": partial(_typed_content, kind="audio"),
    "test_embedded_resource": partial(_typed_content, kind="resource"),
    "test_multiple_content_types": partial(_typed_content, kind="mixed"),
    "test_tool_with_progress": _progress,
    "test_streaming_elicitation": _progress,
    "test_logging_tool": partial(_typed_content, kind="text"),
    "test_error_handling": _failure,
} | {name: partial(_forms, forms=forms, begin=begin) for name, (forms, begin) in FORMS.items()}
TOOLS = {name: _tool(name, run) for name, run in RUNS.items()}
TOOLS |= {"greet": greet, "test_elicitation": test_elicitation}


def list_names() -> tuple[str, ...]:
    return tuple(sorted([*TOOLS, *BACKGROUND]))


def find(name: str) -> Tool[Any, Any]:
    if name in BACKGROUND:
        return tool_registry.find_tool(name)
    if name not in TOOLS:
        raise NotFound(f"There is no tool called {name[:60]!r}.")
    return TOOLS[name]
