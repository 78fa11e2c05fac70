"""`assay audit FILE`: audits a manuscript in the foreground, then prints the report."""

import argparse
import asyncio
import base64
import json
from pathlib import Path
from typing import Any

from assay.document_audit.report_pages import load_whole_report
from assay.entrypoints.cli.foreground_work import (
    FAILED,
    INTERRUPTED,
    FollowedWork,
    ToolCall,
    command_context,
    follow_work,
    invoke_tool,
)
from assay.entrypoints.cli.input_files import read_file, read_text_file

TOOL, WAIT = "audit_document", 20.0  # seconds that one status request waits


def audit(options: argparse.Namespace) -> int:
    if options.source == "verify":  # a file of that name is ./verify
        from assay.entrypoints.cli.audit_trail_command import verify_audit_trail

        return verify_audit_trail()
    if options.source == "deliver":
        from assay.entrypoints.cli.audit_trail_command import deliver_audit_trail

        return deliver_audit_trail()
    if (options.source is None) == (options.resume is None):
        from assay.errors import InvalidInput

        raise InvalidInput("Give a file or URL, or --resume with the id of an audit.", field="source")
    return asyncio.run(run_audit(options))


async def run_audit(options: argparse.Namespace) -> int:
    """Audit until done or stopped by a signal, then print or save the report on what was audited so far."""
    arguments = None if options.resume else build_arguments(options)
    async with command_context() as (ctx, stop):
        started = None if arguments is None else await invoke_tool(ctx, ToolCall(TOOL, arguments))
        identity = started["auditId"] if started else options.resume
        await follow_work(ctx, to_work(identity), stop)
        report = await load_whole_report(
            lambda asked: invoke_tool(ctx, ToolCall(TOOL, asked)), identity, options.format
        )
    write_report(report, options)
    if stop.is_set():
        return INTERRUPTED
    return 0 if report["status"] == "completed" else FAILED


def build_arguments(options: argparse.Namespace) -> dict[str, Any]:
    """The tool's arguments. Raises InvalidInput if a file cannot be read or is empty."""
    from assay.errors import InvalidInput

    values: dict[str, Any] = {"claims": options.claims, "quotations": options.quotations}
    if options.source.lower().startswith(("http://", "https://")):
        values["url"] = options.source
    else:
        body = read_file(options.source, "source")
        if not body.strip() and not options.bibliography:
            raise InvalidInput("The manuscript is empty.", field="source")
        values["content_base64"] = base64.b64encode(body).decode()
        values["filename"] = "" if options.source == "-" else Path(options.source).name
    if options.bibliography:
        values["bibliography"] = read_text_file(options.bibliography, "bibliography")
    return {name: value for name, value in values.items() if value is not None} | {"wait_seconds": 0}


def to_work(identity: str) -> FollowedWork:
    return FollowedWork(
        "parts",
        ToolCall(TOOL, {"audit_id": identity, "page_size": 1, "wait_seconds": WAIT}),
        ToolCall(TOOL, {"audit_id": identity, "page_size": 1, "wait_seconds": 0, "cancel": True}),
        "audit",
        f"assay audit --resume {identity}",
    )


def write_report(answer: dict[str, Any], options: argparse.Namespace) -> None:
    text = answer["report"] if options.format != "json" else json.dumps(answer, ensure_ascii=False)
    if not options.output:
        print(text.rstrip("\n"))
        return
    try:
        Path(options.output).write_text(text.rstrip("\n") + "\n", encoding="utf-8")
    except OSError as failure:
        from assay.errors import InvalidInput

        again = f"assay audit --resume {answer['auditId']} --output FILE"
        raise InvalidInput(
            f"The report cannot be written to {options.output[:200]!r}: {failure.strerror}. "
            f"The audit is kept: {again} writes it elsewhere.",
            field="output",
        ) from None
