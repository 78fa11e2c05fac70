"""The declaration of a tool: everything that `invoke` and the entry points use."""

import difflib
import hashlib
import inspect
import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple, TypedDict, Unpack, get_type_hints

from pydantic import ValidationError

from assay.errors import InvalidInput
from assay.toolkit.base import AlsoNamed, Input, NotKeyed, Output, clean
from assay.toolkit.error_words import describe_error
from assay.toolkit.json_schema import slim_input, slim_output
from assay.toolkit.json_tools import JsonContract


class FollowedJob(NamedTuple):
    """The job that a tool starts: its call lasts, as a task, until that job has ended.

    `field` is the answer's field with the job's id. `at_once` are arguments with which the tool does not wait.
    `refresh` builds the answer anew, as it is stored, from the context, the id and those arguments of the call that
    `shaping` names.
    """

    kind: str
    field: str
    refresh: Callable[[Any, str, Mapping[str, Any]], Awaitable[dict[str, Any]]]
    at_once: Mapping[str, Any] = MappingProxyType({})
    shaping: frozenset[str] = frozenset()


class UncleanArgument(ValueError):
    """`field` is the name of the argument; None if its name is what is wrong."""

    def __init__(self, reason: str, field: str | None) -> None:
        super().__init__(f"{field or 'the name of an argument'} {reason}")
        self.field = field


def _clean(value: Any, field: str | None) -> Any:
    try:
        return clean(value)
    except ValueError as wrong:
        raise UncleanArgument(str(wrong), field) from None


@dataclass(frozen=True)
class Tool[Ask: Input, Answer: Output]:
    """A tool. `cache` is how long answers are cached, `limit` the time limit of a call."""

    name: str
    title: str
    description: str
    ask: type[Ask]
    answer: type[Answer]
    run: Callable[[Ask, Any], Awaitable[Answer]]
    cache: timedelta | None = None
    limit: timedelta = timedelta(seconds=60)
    heavy: Callable[[Ask], bool] = lambda _: False
    fresh_meta: bool = False
    read_only: bool = True
    idempotent: bool = True
    open_world: bool = True
    destructive: bool = False
    toolsets: tuple[str, ...] = ("research",)
    plain: JsonContract | None = None  # for plain JSON tools only
    operation: str | None = None  # that a configured provider must support
    provider: str | None = None  # that must be configured
    flag: str | None = None  # variable that must be true
    background: bool = False  # a call may take long, and a worker can make it
    follows: FollowedJob | None = None  # the job that a call starts
    polls: bool = False  # it asks for a call in the background, and counts as a poll instead of a call

    def parse(self, arguments: Mapping[str, Any]) -> Ask:
        """Validate the arguments. Raises InvalidInput, which names the first wrong field and how to fix it."""
        validated = self._validate(arguments)
        if not isinstance(validated, InvalidInput):
            return validated
        try:
            raise validated
        finally:
            del validated  # a frame that names the error it raised keeps itself, and with it the arguments

    def _validate(self, arguments: Mapping[str, Any]) -> Ask | InvalidInput:
        # The error is not raised in the except blocks: its context would keep pydantic's, which holds all arguments.
        try:
            return self.ask.model_validate(self._clean_arguments(arguments))
        except ValidationError as wrong:
            return self._to_invalid_input(wrong)
        except UncleanArgument as wrong:
            return InvalidInput(f"{self.name}: {wrong}.", field=wrong.field)

    def _clean_arguments(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Clean the text of known arguments. Unknown ones will be refused, so their values are not inspected."""
        known = {info.alias or name for name, info in self.ask.model_fields.items()}
        return {
            _clean(name, None): _clean(value, name) if name in known else None if value is None else True
            for name, value in self._rename_arguments(arguments).items()
        }

    def _rename_arguments(self, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Rename second names to those of the schema. If both differ, the second stays and is refused."""
        found = dict(arguments)
        for second, first in self._second_names.items():
            if second in found and found.get(first, found[second]) == found[second]:
                found[first] = found.pop(second)
        return found

    @cached_property
    def _second_names(self) -> dict[str, str]:
        return {
            mark.name: info.alias or name
            for name, info in self.ask.model_fields.items()
            for mark in info.metadata
            if isinstance(mark, AlsoNamed)
        }

    def _to_invalid_input(self, wrong: ValidationError) -> InvalidInput:
        """Return the first error; unknown names first, since one may be a misspelled required field."""
        errors = wrong.errors(include_url=False, include_input=False)
        unknown = [error for error in errors if error["type"] == "extra_forbidden"]
        first = unknown[0] if unknown and not self.plain else errors[0]
        names = [str(part) for part in first["loc"]]
        field = ".".join(names) or "arguments"
        if first["type"] == "extra_forbidden":
            known = self._list_field_names(first["loc"][:-1])
            near = difflib.get_close_matches(names[-1][:100], known, n=1, cutoff=0.5)
            way = f"did you mean {near[0]!r}?" if near else f"it takes {', '.join(known)}."
            return InvalidInput(f"{self.name} has no field {field[:60]!r}; {way}", field=field)
        if self.plain:
            return self.plain.first_error(wrong)
        if first["type"] == "missing":
            return InvalidInput(f"{self.name}: {field} is required.", field=field)
        return InvalidInput(f"{self.name}: {field}: {describe_error(first)}.", field=field)

    def _list_field_names(self, place: Iterable[str | int]) -> list[str]:
        """List the field names of the object at this path of the arguments."""
        node = self.input_schema
        for part in place:
            node = node.get("items", {}) if isinstance(part, int) else node.get("properties", {}).get(part, {})
        return list(node.get("properties", {}))

    def fit_detail(self, answer: Answer, arguments: Ask) -> Answer:
        """The answer as long as its arguments ask for: `detail` is the field of the tools whose answers run long."""
        return answer.leave_out_long_fields() if getattr(arguments, "detail", "full") == "brief" else answer

    def key(self, arguments: Ask) -> str:
        """Build the cache key from the tool, its output schema, and every input that changes the answer."""
        skipped = {
            name for name, info in self.ask.model_fields.items() if any(isinstance(m, NotKeyed) for m in info.metadata)
        }
        inputs = arguments.model_dump(mode="json", exclude=skipped)
        digest = hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()
        return f"{self.name}/{self.version}/{digest}"

    @cached_property
    def version(self) -> str:
        return hashlib.sha256(json.dumps(self.output_schema, sort_keys=True).encode()).hexdigest()[:12]

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        return slim_input(self.ask.model_json_schema(by_alias=True))

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        """JSON Schema of the answer, or of the link that replaces it."""
        return slim_output(self.answer.model_json_schema(mode="serialization", by_alias=True))

    @property
    def annotations(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "readOnlyHint": self.read_only,
            "destructiveHint": self.destructive,
            "idempotentHint": self.idempotent,
            "openWorldHint": self.open_world,
        }

    def card(self) -> dict[str, Any]:
        """The tool as an entry of MCP's tools/list."""
        card = {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            "inputSchema": self.input_schema,
            "outputSchema": self.output_schema,
            "annotations": self.annotations,
        }
        if self.background or self.follows:
            card["execution"] = {"taskSupport": "optional"}
        return card


class ToolOptions(TypedDict, total=False):
    """Fields of `Tool` that a declaration may set."""

    cache: timedelta | None
    limit: timedelta
    fresh_meta: bool
    read_only: bool
    idempotent: bool
    open_world: bool
    toolsets: tuple[str, ...]
    plain: JsonContract | None
    operation: str | None
    provider: str | None
    flag: str | None
    destructive: bool
    background: bool
    follows: FollowedJob | None
    polls: bool


def tool[Ask: Input, Answer: Output](
    *, title: str | None = None, heavy: bool | Callable[[Ask], bool] = False, **options: Unpack[ToolOptions]
) -> Callable[[Callable[[Ask, Any], Awaitable[Answer]]], Tool[Ask, Answer]]:
    """Declare an async function `(ask, context) -> answer` as a tool; it supplies name, schemas and description.

    `title` is the display name, if the name with spaces does not read well. `operation`, `provider` and `flag` name
    what must be configured for the tool to work; otherwise it is not listed. `background` is for read-only tools:
    after a crash, another worker makes the call again.
    """

    def wrap(run: Callable[[Ask, Any], Awaitable[Answer]]) -> Tool[Ask, Answer]:
        hints = get_type_hints(run)
        return Tool(
            name=run.__name__,
            title=title or run.__name__.replace("_", " ").capitalize(),
            description=inspect.cleandoc(run.__doc__ or ""),
            ask=hints["ask"],
            answer=hints["return"],
            run=run,
            heavy=heavy if callable(heavy) else lambda _: bool(heavy),
            **options,
        )

    return wrap
