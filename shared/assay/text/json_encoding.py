"""Encodes answers and stored documents as compact JSON."""

import json
from typing import Any

import orjson

# Values that `json` does not know are errors, as they are there.
AS_STANDARD_LIBRARY = orjson.OPT_PASSTHROUGH_DATACLASS | orjson.OPT_PASSTHROUGH_DATETIME


def encode_json(value: Any, errors: str = "strict") -> bytes:
    """Return the JSON of the value, without white space, in UTF-8. Numbers that JSON lacks, such as NaN, become null.

    `errors` says what becomes of lone surrogates, which UTF-8 cannot represent. Raises UnicodeEncodeError for them if
    it is "strict", and TypeError for a value that is no JSON.
    """
    try:
        return orjson.dumps(value, option=AS_STANDARD_LIBRARY)
    except TypeError:  # a lone surrogate, a key that is no text, an integer of more than 64 bits, or an error
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(errors=errors)
