"""What is wrong with an argument, in the words of JSON instead of those of Python."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

LIST, OBJECT = "input should be a valid list", "input should be a valid object"
KINDS = {
    "tuple_type": LIST,
    "set_type": LIST,
    "frozen_set_type": LIST,
    "dict_type": OBJECT,
    "model_type": OBJECT,
    "model_attributes_type": OBJECT,
    "dataclass_type": OBJECT,
    "int_parsing_size": "input should be a valid integer, this number is too large",
}


def describe_error(error: "ErrorDetails") -> str:
    """Return the reason of one of pydantic's errors, beginning with a small letter and without a full stop."""
    reason = KINDS.get(error["type"]) or error["msg"].removeprefix("Value error, ")
    if error["type"] in ("too_long", "too_short"):  # of a list of any kind
        reason = f"list{reason[reason.index(' ') :]}".replace(" after validation", "")
    return (reason[:1].lower() + reason[1:]).removesuffix(".")
