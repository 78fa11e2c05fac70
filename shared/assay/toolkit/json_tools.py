"""Tools of plain JSON: snake_case in and out, and on the command line a contract of their own."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, model_validator

from assay.errors import InvalidInput, ToolError, mask_credentials
from assay.toolkit.base import Input, Output


def always(_: Mapping[str, Any]) -> bool:
    return True


def never(_: Mapping[str, Any]) -> bool:
    return False


@dataclass(frozen=True)
class JsonContract:
    """How a tool of plain JSON words its failures, which are kept to the letter.

    `prefix` stands before what is wrong with the JSON or with the type of a field; a `strict` tool takes no text after
    its object; `hint` goes with JSON that cannot be read. `waits` tells of arguments whether the answer waits for
    anything outside this process.
    """

    prefix: str = "parse json: "
    strict: bool = False
    hint: str | None = None
    waits: Callable[[Mapping[str, Any]], bool] = always

    def unreadable(self, reason: str) -> InvalidInput:
        return InvalidInput(self.prefix + reason, hint=self.hint, field="arguments")

    def first_error(self, wrong: ValidationError) -> InvalidInput:
        """The first thing that is wrong: `url is required`, a validator's own words, or a field of another type."""
        first = wrong.errors(include_url=False, include_input=False)[0]
        field = ".".join(str(part) for part in first["loc"])
        if first["type"] == "missing":
            return InvalidInput(f"{field} is required", field=field)
        if first["type"] == "value_error":
            return InvalidInput(first["msg"].removeprefix("Value error, "), field=field or None)
        reason = first["msg"][:1].lower() + first["msg"][1:]
        return InvalidInput(f"{self.prefix}{field}: {reason}", field=field, hint=self.hint)


def _without_nulls(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: inner for name, inner in value.items() if inner is not None}
    return value


class JsonToolPart(BaseModel):
    """A part of the arguments. null is as good as absent; what rows of other tools carry besides is passed over."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    _null_is_absent = model_validator(mode="before")(_without_nulls)


class JsonToolInput(Input):
    """The arguments of a tool of plain JSON: texts are taken as they are, null is as good as absent."""

    model_config = ConfigDict(str_strip_whitespace=False, coerce_numbers_to_str=False)

    _null_is_absent = model_validator(mode="before")(_without_nulls)


class JsonToolOutput(Output):
    """An answer in plain JSON: names as they are here, what is None left out."""

    model_config = ConfigDict(alias_generator=None)


def or_else(default: int, most: int | None = None) -> AfterValidator:
    """A number below one stands for `default`; one above `most` for `most`."""

    def choose(number: int) -> int:
        number = number if number > 0 else default
        return number if most is None else min(number, most)

    return AfterValidator(choose)


def require_text(name: str) -> AfterValidator:
    """A text that may not be blank: `name is required`."""

    def present(text: str) -> str:
        if not text.strip():
            raise ValueError(f"{name} is required")
        return text

    return AfterValidator(present)


def error_document(failure: ToolError) -> dict[str, Any]:
    """What the command line says of a failure: `{"error", "hint"?}`, and of a limit how long to wait."""
    told: dict[str, Any] = {"error": " ".join(mask_credentials(failure.message).split())}
    if failure.hint:
        told["hint"] = failure.hint
    if failure.kind == "rate_limited" and failure.retry_after is not None:
        told["retry_after_ms"] = failure.retry_after * 1000
    return told


def absolute(url: str) -> str:
    """An address with scheme and host; raises ValueError for another. It is given back as it came."""
    from assay.text.url_parts import split_url

    try:
        parts = split_url(url.strip())
        found = bool(parts.scheme and parts.hostname)
    except ValueError:
        found = False
    if not found:
        raise ValueError("base_url must be an absolute URL")
    return url


def within(html: str, most: int) -> None:
    """Raises InvalidInput for more bytes of HTML than `most`."""
    size = len(html) if html.isascii() else len(html.encode())
    if size > most:
        raise InvalidInput(f"html too large: limit {most} bytes", field="html")
