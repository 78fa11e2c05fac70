"""A part of a long text by byte offset, and the offset of the next part."""

from collections.abc import Callable
from typing import NamedTuple

from assay.errors import InvalidInput
from assay.text.truncate import Cut, cut


class Window(NamedTuple):
    """The returned part. If it is not the whole text, `total` is its size in bytes and `onward` the next offset."""

    text: str
    truncated: bool
    total: int | None
    onward: int | None


def format_continuation(onward: int | None, total: int | None) -> str:
    """Return the line that tells a reader how to continue; "" at the end."""
    return f"[Up to byte {onward} of {total}. Go on with offset {onward}.]" if onward else ""


def slice_text(text: str, offset: int, room: int, cut: Callable[[str, int], Cut] = cut) -> Window:
    """Return the part after the first `offset` bytes, cut to `room` bytes. Raises InvalidInput if `offset` is past the
    end.
    """
    body = text.encode("utf-8", "surrogatepass") if offset else b""
    if offset and offset >= len(body):
        raise InvalidInput(f"The text ends at byte {len(body)}; send a smaller offset.", field="offset")
    rest = body[offset:].decode("utf-8", "ignore") if offset else text
    shown = cut(rest, room)
    if not offset and not shown.truncated:
        return Window(shown.text, shown.truncated, None, None)
    total = len(body) or len(text.encode("utf-8", "surrogatepass"))
    onward = offset + shown.kept if shown.truncated and shown.kept else None
    return Window(shown.text, shown.truncated, total, onward)


def truncate_raw(text: str, room: int) -> Cut:
    """Return the first `room` bytes of a raw body, without a truncation marker."""
    body = text.encode()
    shown = body[:room].decode(errors="ignore")
    return Cut(shown, truncated=len(body) > room, kept=len(shown.encode()))
