"""Declares a setting as a field of a dataclass, with its variable, parser and description."""

from dataclasses import Field, field, fields
from typing import Any

from assay.errors import Misconfigured
from assay.settings.parsers import Parser, parse_secret


def setting(
    variable: str, default: Any, parse: Parser, description: str, *, unit: str = "", shared_default: Any = None
) -> Any:
    """A field of `Settings` that the environment variable `variable` sets.

    An unset or empty variable means `default`; `shared_default` replaces it where a DynamoDB table is configured,
    because other callers share that deployment.
    """
    metadata = {
        "variable": variable,
        "parse": parse,
        "description": description,
        "unit": unit,
        "shared_default": shared_default,
    }
    shown = parse is not parse_secret
    if isinstance(default, dict):
        return field(default_factory=lambda: default, metadata=metadata, repr=shown)
    return field(default=default, metadata=metadata, repr=shown)


def list_settings(declared: type) -> list[Field[Any]]:
    """The fields of the dataclass that an environment variable sets."""
    return [one for one in fields(declared) if "variable" in one.metadata]


def parse_setting(one: Field[Any], text: str) -> Any:
    """The value of the setting. Raises Misconfigured, which names the variable and valid values."""
    variable, parse = one.metadata["variable"], one.metadata["parse"]
    try:
        return parse(text)
    except ValueError as error:
        shown = "not readable" if parse is parse_secret else repr(text[:200])
        sentence = f"{variable} is {shown}; {error}."
    raise Misconfigured(sentence, field=variable)
