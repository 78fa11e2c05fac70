"""Forms that a person fills in during a call, as the elicitation of MCP defines them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.errors import ToolError

KINDS: Mapping[str, type | tuple[type, ...]] = {
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "array": list,
}


@dataclass(frozen=True)
class FormResponse:
    """What the person decided. `content` is None if they declined."""

    content: Mapping[str, Any] | None


@dataclass(frozen=True)
class PersonForm:
    """A form. `key` names it within its call. `fields` are JSON schemas of primitive types by name."""

    key: str
    message: str
    fields: Mapping[str, Mapping[str, Any]]
    required: tuple[str, ...] = ()

    def to_schema(self) -> dict[str, Any]:
        """The form as the `requestedSchema` of an elicitation."""
        fields = {name: dict(field) for name, field in self.fields.items()}
        return {"type": "object", "properties": fields, "required": list(self.required)}

    def read_response(self, response: object) -> FormResponse | None:
        """Read the client's response; None if there is none yet, or one that does not fit the form."""
        if not isinstance(response, Mapping):
            return None
        if response.get("action") in ("decline", "cancel"):
            return FormResponse(None)
        content = response.get("content")
        if response.get("action") != "accept" or not isinstance(content, Mapping):
            return None
        given = {name: content[name] for name in self.fields if name in content}
        fits = all(_fits(self.fields[name], value) for name, value in given.items())
        return FormResponse(given) if fits and given.keys() >= set(self.required) else None


class FormRequired(ToolError):
    """The call goes on once a person has filled in the form: entry points show it, and repeat the call."""

    kind, status, action = "input_required", 409, "inform_user"

    def __init__(self, form: PersonForm) -> None:
        super().__init__(f"A person has to answer first: {form.message}")
        self.form = form


def _fits(field: Mapping[str, Any], value: object) -> bool:
    """Whether the value has the field's type and is one of its choices."""
    kind = field.get("type")
    if not isinstance(value, KINDS[str(kind)]) or (isinstance(value, bool) and kind != "boolean"):
        return False
    values, options = (value, field.get("items", {})) if isinstance(value, list) else ([value], field)
    choices = _list_choices(options)
    return not choices or all(each in choices for each in values)


def _list_choices(options: Mapping[str, Any]) -> list[Any]:
    titled = options.get("oneOf") or options.get("anyOf") or ()
    return [*options.get("enum", ()), *(each["const"] for each in titled)]
