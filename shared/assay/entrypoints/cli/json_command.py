"""Command line of the plain-JSON tools: a JSON object in, one JSON line out; errors are `{"error", "hint"?}`."""

import atexit
import gc
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from assay.entrypoints.cli.option_parser import OptionParser
from assay.entrypoints.cli.standard_streams import describe_failed_file, drop_output, prepare_streams
from assay.text.strict_json import describe_json_error, refuse_constant

if TYPE_CHECKING:
    from assay.errors import ToolError
    from assay.toolkit.tool import Tool

INPUT_BYTES = 64 * 1024 * 1024
FAILED, INTERRUPTED = 1, 130
LINE_ENDS = {
    0x85: "\\u0085",
    0x2028: "\\u2028",
    0x2029: "\\u2029",
}  # valid in JSON, but some line readers split at them


def main(arguments: list[str] | None = None) -> int:
    """Run `assay-tools NAME [JSON]`; without JSON, read standard input. Exit codes: 0, 1, or 2 for wrong usage."""
    from assay.errors import NotFound, ToolError

    atexit.register(gc.freeze)  # as `assay` does
    prepare_streams()
    parser = OptionParser(prog="assay-tools", description="Tools of plain JSON.")
    parser.add_argument("tool")
    parser.add_argument("arguments", nargs="?", help="a JSON object (default: read from standard input)")
    try:
        options = parser.parse_args(arguments)
        tool = json_tool(options.tool)
        if tool is None:
            raise NotFound(f"unknown tool: {options.tool[:60]}", hint="assay tools lists them")
        return call(tool, options.arguments)
    except ToolError as failure:
        return print_failure(failure)
    except BrokenPipeError:  # the reader has closed the pipe
        drop_output()
        return 0
    except OSError as failure:
        return print_failure(describe_failed_file(failure))
    except KeyboardInterrupt:
        return INTERRUPTED


def json_tool(name: str) -> "Tool[Any, Any] | None":
    """The plain-JSON tool with this name; None if there is none."""
    from assay.toolkit import tool_registry

    tool = tool_registry.find_tool(name) if name in tool_registry.tool_names() else None
    return tool if tool is not None and tool.plain else None


def call(tool: "Tool[Any, Any]", text: str | None, *, print_error: "Callable[[ToolError], int] | None" = None) -> int:
    """Print the result to standard output. Print an error with `print_error`, by default as JSON to standard error."""
    from assay.entrypoints.cli.tool_call import call_tool
    from assay.errors import ToolError

    print_error = print_error or print_failure
    body = text.encode(errors="surrogateescape") if text is not None else sys.stdin.buffer.read(INPUT_BYTES + 1)
    try:
        document = parse_object(body, tool)
        arguments = select_known(document, tool)
        is_saved = tool.name == "wayback_lookup" and parse_save(document)
        log_to_file()
        reply = call_tool(tool.name, arguments, allow_large=True, waits=_waits(tool, arguments))
        if reply.error is not None:
            return print_error(reply.error)
        write_line(sys.stdout, reply.wire or (save_snapshot(document["url"]) if is_saved else {}))
    except ToolError as failure:
        return print_error(failure)
    except BrokenPipeError:  # the reader has closed the pipe
        drop_output()
    return 0


def _waits(tool: "Tool[Any, Any]", arguments: dict[str, Any]) -> bool:
    return tool.plain is None or tool.plain.waits(arguments)


def parse_save(document: dict[str, Any]) -> bool:
    """The `save` of `wayback_lookup`, which the command line alone takes: elsewhere the tool only reads.

    Raises InvalidInput in the tool's error format.
    """
    from assay.errors import InvalidInput

    save = document.get("save")
    if save is not None and not isinstance(save, bool):
        raise InvalidInput("parse json: save: input should be a valid boolean", field="save")
    return save is True


def save_snapshot(url: str) -> dict[str, Any]:
    """Archive a page that has no snapshot, with `archive_source`. Raises ToolError if its URL cannot be archived."""
    from assay.entrypoints.cli.tool_call import call_tool

    reply = call_tool("archive_source", {"url": url})
    if reply.error is not None:
        raise reply.error
    answer = reply.wire
    if answer["status"] in ("archived", "existing") or answer.get("httpStatus", 500) < 400:
        return {"saved": True}
    return {"saved": False, "save_error": answer["reason"]}


def parse_object(body: bytes, tool: "Tool[Any, Any]") -> dict[str, Any]:
    """Parse the first JSON value, an object; null counts as an empty one.

    Raises InvalidInput in the tool's error format.
    """
    plain = tool.plain
    assert plain is not None
    if len(body) > INPUT_BYTES:
        raise plain.unreadable(f"input too large: limit {INPUT_BYTES} bytes")
    try:
        value = _first_value(body.decode("utf-8-sig"), strict=plain.strict)
    except UnicodeDecodeError:
        raise plain.unreadable("invalid UTF-8") from None
    except RecursionError:
        raise plain.unreadable("exceeded max depth") from None
    except ValueError as wrong:
        raise plain.unreadable(describe_json_error(wrong)) from None
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise plain.unreadable(f"cannot unmarshal {_kind(value)}: one JSON object is needed")
    return value


def select_known(document: dict[str, Any], tool: "Tool[Any, Any]") -> dict[str, Any]:
    """The members that the tool takes; the others are ignored."""
    known = {info.alias or name for name, info in tool.ask.model_fields.items()}
    return {name: inner for name, inner in document.items() if name in known}


def _first_value(text: str, *, strict: bool) -> Any:
    """Parse the first JSON value of the text. Raises ValueError with the reason if it is malformed."""
    text = text.strip(" \t\r\n")
    cut = "unexpected end of JSON input" if strict else "unexpected EOF" if text else "EOF"
    if not text:
        raise ValueError(cut)
    try:
        value, end = json.JSONDecoder(parse_constant=refuse_constant).raw_decode(text)
    except json.JSONDecodeError as wrong:
        if wrong.pos >= len(text) or wrong.msg.startswith("Unterminated string"):
            raise ValueError(cut) from None
        raise ValueError(f"invalid character {text[wrong.pos]!r} at offset {wrong.pos}") from None
    if strict and (rest := text[end:].lstrip(" \t\r\n")):
        raise ValueError(f"invalid character {rest[0]!r} after top-level value")
    return value


def _kind(value: Any) -> str:
    kinds = {bool: "bool", list: "array", str: "string"}
    return next((word for kind, word in kinds.items() if isinstance(value, kind)), "number")


def log_to_file() -> None:
    """Send the log to a file, because standard error must hold only one line of JSON."""
    import logging

    from assay.settings import Settings

    class FileHandler(logging.Handler):
        """Opens the file for each record. Drops the record if it is not writable, so that the call succeeds."""

        lost = 0

        def emit(self, record: logging.LogRecord) -> None:
            home = Settings.read().home
            try:
                home.mkdir(mode=0o700, parents=True, exist_ok=True)
                with (home / "assay.log").open("a", encoding="utf-8") as file:
                    file.write(self.format(record) + "\n")
            except OSError:
                self.lost += 1

    logging.basicConfig(handlers=[FileHandler()], format="%(asctime)s %(name)s %(levelname)s %(message)s")
    logging.captureWarnings(capture=True)


def print_sentence(failure: "ToolError") -> int:
    """Print the failure as a sentence, for a terminal. Returns the exit code."""
    from assay.entrypoints.cli.terminal import print_failure

    print_failure(failure)
    return FAILED


def print_failure(failure: "ToolError") -> int:
    """Print the failure as one JSON line to standard error. Returns the exit code."""
    from assay.toolkit.json_tools import build_error_document

    write_line(sys.stderr, build_error_document(failure))
    return FAILED


def write_line(stream: Any, value: dict[str, Any]) -> None:
    """Write one line in UTF-8, whatever the terminal's encoding. A lone surrogate is written as an escape."""
    line = json.dumps(value, ensure_ascii=False, separators=(",", ":")).translate(LINE_ENDS)
    stream.flush()
    stream.buffer.write(line.encode(errors="backslashreplace") + b"\n")
    stream.buffer.flush()


if __name__ == "__main__":
    sys.exit(main())
