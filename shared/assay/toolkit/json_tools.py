"""Base classes of plain JSON tools: snake_case fields, and their own contract on the command line."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, model_validator

from assay.errors import InvalidInput, ToolError, mask_credentials
from assay.toolkit.base import Input, Output
from assay.toolkit.error_words import describe_error


def always(_: Mapping[str, Any]) -> bool:
    return True


def never(_: Mapping[str, Any]) -> bool:
    return False


@dataclass(frozen=True)
class JsonContract:
    """The exact error messages of a plain JSON tool.

    `prefix` precedes messages about invalid JSON and wrong types; a `strict` tool accepts no text after the object;
    `hint` accompanies invalid JSON. `waits` returns whether a call with these arguments waits for anything outside
    this process.
    """

    prefix: str = "parse json: "
    strict: bool = False
    hint: str | None = None
    waits: Callable[[Mapping[str, Any]], bool] = always

    def unreadable(self, reason: str) -> InvalidInput:
        return InvalidInput(self.prefix + reason, hint=self.hint, field="arguments")

    def first_error(self, wrong: ValidationError) -> InvalidInput:
        """Return the first error: `url is required`, a validator's message, or a wrong type."""
        first = wrong.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        if first["type"] == "missing":
            return InvalidInput(f"{field} is required", field=field)
        if first["type"] == "value_error":
            return InvalidInput(first["msg"].removeprefix("Value error, "), field=field or None)
        return InvalidInput(f"{self.prefix}{field}: {describe_error(first)}", field=field, hint=self.hint)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: inner for name, inner in value.items() if inner is not None}
    return value


class JsonToolPart(BaseModel):
    """A nested object of the arguments. null means absent; unknown fields are ignored, so rows of other tools fit."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    _null_is_absent = model_validator(mode="before")(_without_nulls)


class JsonToolInput(Input):
    """The arguments of a plain JSON tool: text is not stripped, null means absent, also of unknown fields."""

    model_config = ConfigDict(str_strip_whitespace=False, coerce_numbers_to_str=False)

    _leave_out_nulls = model_validator(mode="before")(_without_nulls)  # in place of the one for all tools


class JsonToolOutput(Output):
    """The answer of a plain JSON tool: field names unchanged, None left out."""

    model_config = ConfigDict(alias_generator=None)


class OutsideOutput(JsonToolOutput):
    """An answer, or a part of one, that repeats what services or pages say: see `clean_outside`."""

    @model_validator(mode="before")
    @classmethod
    def _clean_texts(cls, value: Any) -> Any:
        from assay.text.outside_json import clean_outside

        return clean_outside(value)


def _clean_link(address: str) -> str:
    from assay.text.outside_json import clean_link

    return clean_link(address)


OutsideLink = Annotated[str, AfterValidator(_clean_link)]
OptionalLink = Annotated[str | None, AfterValidator(lambda address: _clean_link(address) or None if address else None)]


def or_else(default: int, maximum: int | None = None) -> AfterValidator:
    """Return a validator that replaces numbers below 1 by `default` and numbers above `most` by `most`."""

    def choose(number: int) -> int:
        number = number if number > 0 else default
        return number if maximum is None else min(number, maximum)

    return AfterValidator(choose)


def require_text(name: str) -> AfterValidator:
    """Return a validator that refuses blank text with `name is required`."""

    def present(text: str) -> str:
        if not text.strip():
            raise ValueError(f"{name} is required")
        return text

    return AfterValidator(present)


def require_text_or_upload(name: str) -> AfterValidator:
    """Return a validator of a field after `upload_id` that has a default: the call has one of the two documents."""

    def is_one(text: str, info: ValidationInfo) -> str:
        if info.data.get("upload_id"):
            if text.strip():
                raise ValueError(f"give {name} or upload_id, not both")
        elif not text.strip():
            raise ValueError(f"{name} is required")
        return text

    return AfterValidator(is_one)


def build_error_document(failure: ToolError) -> dict[str, Any]:
    """Build the command line's error: `{"error", "hint"?, "retry_after_ms"?}`."""
    document: dict[str, Any] = {"error": " ".join(mask_credentials(failure.message).split())}
    if failure.hint:
        document["hint"] = failure.hint
    if failure.kind == "rate_limited" and failure.retry_after is not None:
        document["retry_after_ms"] = failure.retry_after * 1000
    return document


def validate_absolute_url(url: str) -> str:
    """Validate that the URL has scheme and host; returns it unchanged. Raises ValueError."""
    from assay.text.url_parts import split_url

    try:
        parts = split_url(url.strip())
        found = bool(parts.scheme and parts.hostname)
    except ValueError:
        found = False
    if not found:
        raise ValueError("base_url must be an absolute URL")
    return url


UploadId = Annotated[str, Field(max_length=64, description="Id of the document, if sent after create_upload.")]
BaseUrl = Annotated[
    str,
    require_text("base_url"),
    AfterValidator(validate_absolute_url),
    Field(description="Absolute URL of the page, for its relative links."),
]


def has_upload(arguments: Mapping[str, Any]) -> bool:
    return bool(arguments.get("upload_id"))
