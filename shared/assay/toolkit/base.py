"""Base models of arguments and answers. `Output` alone maps snake_case names to camelCase on the wire."""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, GetJsonSchemaHandler, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import CoreSchema
from pydantic_core.core_schema import no_info_after_validator_function, no_info_before_validator_function

from assay.text.strict_json import refuse_constant


def clean(value: Any) -> Any:
    """Normalize all nested text to NFC. Raises ValueError for NUL and lone surrogates."""
    if isinstance(value, str):
        return _clean_nested(value)
    try:
        return value if _is_plain(value) else _clean_nested(value)
    except RecursionError:
        raise ValueError("is nested too deeply; flatten it") from None


def _is_plain(value: Any) -> bool:
    """Whether the value is ASCII only. Serializing decides this faster than a walk in Python."""
    try:
        return "\\u" not in json.dumps(value)
    except (TypeError, ValueError):  # not JSON: inspect it
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
    """A tool's arguments: unknown names are refused, convertible types accepted, and null is as good as absent."""

    model_config = ConfigDict(
        defer_build=True, extra="forbid", coerce_numbers_to_str=True, frozen=True, str_strip_whitespace=True
    )

    @model_validator(mode="before")
    @classmethod
    def _leave_out_nulls(cls, value: Any) -> Any:
        """Leave out fields that are null, which many clients send for what they do not use; unknown ones stay."""
        if not isinstance(value, Mapping) or None not in value.values():
            return value
        known = {info.alias or name for name, info in cls.model_fields.items()}
        return {name: inner for name, inner in value.items() if inner is not None or name not in known}


class Output(BaseModel):
    """A tool's answer, or a part of one: camelCase on the wire, None left out."""

    model_config = ConfigDict(
        defer_build=True,
        alias_generator=to_camel,
        populate_by_name=True,
        serialize_by_alias=True,
        json_schema_serialization_defaults_required=True,  # fields with defaults are always sent
    )

    def wire(self) -> dict[str, Any]:
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def markdown(self) -> str | None:
        """The whole answer as markdown, or None if JSON reads better."""
        return None

    def sources(self) -> list["Source"]:
        """The sources that a research session records."""
        return []

    def summarize(self) -> tuple[str, dict[str, Any]]:
        """Return the summary and the few fields that accompany a link to an answer too large to send.

        The summary lists results, failures and the beginning of each part, so that often nothing more need be read.
        If it is empty, the beginning of the answer's text is used.
        """
        return "", {}

    def is_empty(self) -> bool:
        """Whether the answer has no results. Such answers are not cached."""
        return False

    def leave_out_long_fields(self) -> Self:
        """Build the brief answer: without the fields marked `LongField`, here and in all parts."""
        left: dict[str, Any] = {}
        for name, info in type(self).model_fields.items():
            value = getattr(self, name)
            brief = None if any(isinstance(mark, LongField) for mark in info.metadata) else _shorten_parts(value)
            if brief is not value:
                left[name] = brief
        return self.model_copy(update=left) if left else self

    def to_document(self, *, is_stored: bool = True) -> dict[str, Any]:
        """Build what is stored of the answer: wire, text, sources, short, empty.

        Of an answer that is not stored, `short` is the function that builds it, because few answers are replaced by it.
        """
        return {
            "wire": self.wire(),
            "text": self.markdown(),
            "sources": [source.model_dump(exclude_none=True) for source in self.sources()],
            "short": self.summarize() if is_stored else self.summarize,
            "empty": self.is_empty(),
        }


def _shorten_parts(value: Any) -> Any:
    if isinstance(value, Output):
        return value.leave_out_long_fields()
    if isinstance(value, list):
        return [_shorten_parts(each) for each in value]
    if isinstance(value, dict):
        return {name: _shorten_parts(each) for name, each in value.items()}
    return value


class TextCheck:
    """Marks text that is checked once it is known to be text."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_after_validator_function(self._validate, handler(source))

    def _validate(self, text: str) -> str:
        """Return the text. Raises ValueError, which says what is wrong with it."""
        raise NotImplementedError


@dataclass(frozen=True)
class Pattern(TextCheck):
    """Marks text that must match a pattern. `words` describe it in the error message."""

    pattern: str
    words: str

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"pattern": self.pattern} | handler(schema)

    def _validate(self, text: str) -> str:
        if not re.fullmatch(self.pattern, text):
            raise ValueError(f"is not {self.words}")
        return text


@dataclass(frozen=True)
class MaxBytes(TextCheck):
    """Marks text of at most so many bytes of UTF-8. `way` says in the error message what to do with more."""

    most: int
    way: str

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return handler(schema) | {"maxLength": self.most}  # in characters, of which none has less than a byte

    def _validate(self, text: str) -> str:
        if (size := len(text.encode())) > self.most:
            raise ValueError(f"has {size:,} bytes of UTF-8, and at most {self.most:,} are allowed; {self.way}")
        return text


class SourceClaim(Output):
    """A claim that was compared with the source."""

    claim: Annotated[str, Field(description="The claim that was compared.")]
    support: Annotated[str, Field(description="How far the source covers the claim, not whether it agrees.")]
    relation: Annotated[
        str | None, Field(description="How the source relates to the claim, by a model; neutral says neither.")
    ] = None
    tier: Annotated[str | None, Field(description="What compared the claim: words, nli or llm.")] = None
    evidence: Annotated[list[str] | None, Field(description="Sentences of the source that bear on the claim.")] = None


class Source(BaseModel):
    """A page that a session recorded. `relevance` says how it was met: "search", "scraped", …

    The fields after `doi` are of tools that check sources.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, serialize_by_alias=True)

    url: str
    title: str | None = None
    relevance: str | None = None
    author: str | None = None
    date: str | None = None
    doi: str | None = None
    link_outcome: str | None = None
    http_status: int | None = None
    verified: bool | None = None
    verified_at: str | None = None
    archived_url: str | None = None
    retraction_check: str | None = None
    claims: list[SourceClaim] | None = None


@dataclass(frozen=True)
class AlsoNamed:
    """Marks an input that is also accepted under a second name, not shown in the schema."""

    name: str


class JsonObject:
    """Marks an object whose fields the caller chooses. The schema shows it as JSON text; objects are accepted as well.

    Three model APIs have no schema for such an object, and one schema that they refuse costs the whole list of tools.
    """

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return no_info_before_validator_function(self._parse, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"type": "string"}

    def _parse(self, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            parsed = json.loads(value, parse_constant=refuse_constant) if value else None
        except (ValueError, RecursionError):
            raise ValueError("is not the JSON text of an object") from None
        return clean(parsed)


class LongField:
    """Marks an optional field of answers that a brief answer leaves out."""


class NotKeyed:
    """Marks an input that does not change the answer; the cache key leaves it out."""
