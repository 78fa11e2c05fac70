"""What all arguments and answers are made of. snake_case here, camelCase on the wire, by `Output` alone."""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema
from pydantic_core.core_schema import no_info_after_validator_function


def clean(value: Any) -> Any:
    """Text in NFC, whatever it is nested in; NUL and lone surrogates are refused."""
    try:
        return value if _is_plain(value) else _clean_nested(value)
    except RecursionError:
        raise ValueError("is nested deeper than anything is read; flatten it") from None


def _is_plain(value: Any) -> bool:
    """Nothing in it needs a look: millions of numbers are told so at the speed of C."""
    try:
        return "\\u" not in json.dumps(value)
    except (TypeError, ValueError):  # no JSON, so it is looked at
        return False


def _clean_nested(value: Any) -> Any:
    if isinstance(value, str):
        if "\x00" in value:
            raise ValueError("holds a NUL character; remove it")
        if not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise ValueError("holds half of a surrogate pair; send well-formed Unicode") from None
            return unicodedata.normalize("NFC", value)
        return value
    if isinstance(value, Mapping):
        return {_clean_nested(key): _clean_nested(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_clean_nested(inner) for inner in value]
    return value


class Input(BaseModel):
    """A tool's arguments: strict about names, lenient about types, field names exactly as in the contract."""

    model_config = ConfigDict(
        defer_build=True, extra="forbid", coerce_numbers_to_str=True, frozen=True, str_strip_whitespace=True
    )


class Output(BaseModel):
    """A tool's answer, or a part of one: camelCase on the wire, what is None is left out."""

    model_config = ConfigDict(
        defer_build=True,
        alias_generator=to_camel,
        populate_by_name=True,
        serialize_by_alias=True,
        json_schema_serialization_defaults_required=True,  # what has a default is sent, too
    )

    def wire(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def markdown(self) -> str | None:
        """The answer as text that stands alone, where that reads better than JSON."""
        return None

    def sources(self) -> list["Source"]:
        """What a research session should remember having seen."""
        return []

    def in_short(self) -> tuple[str, dict[str, Any]]:
        """The words and the few fields that stand beside a link to the answer where it is too large to be sent.

        So much that often nothing more need be read: what was found and where, what failed, how each part begins.
        Without words of its own the text of the answer is shown as far as there is room.
        """
        return "", {}

    def is_empty(self) -> bool:
        """Nothing was found: such an answer is not kept in the cache."""
        return False


@dataclass(frozen=True)
class Pattern:
    """Marks text that has a form: `words` say which, since a pattern is no way out for whoever wrote something else."""

    pattern: str
    words: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_after_validator_function(self._validate, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"pattern": self.pattern} | handler(schema)

    def _validate(self, text: str) -> str:
        if not re.fullmatch(self.pattern, text):
            raise ValueError(f"is not {self.words}")
        return text


class Source(BaseModel):
    """A page a session has met. `relevance` says how: "search", "scraped", …"""

    url: str
    title: str | None = None
    relevance: str | None = None
    author: str | None = None
    date: str | None = None
    doi: str | None = None


@dataclass(frozen=True)
class AlsoNamed:
    """Marks an input that is taken under a second name, too, which the schema does not show."""

    name: str


class NotKeyed:
    """Marks an input that does not change the answer, so the cache ignores it."""
