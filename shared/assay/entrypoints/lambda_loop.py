"""The loop of a Lambda function whose Function URL streams its responses.

The loop of Lambda's Python runtime streams nothing. The template starts this one in its place, through
AWS_LAMBDA_EXEC_WRAPPER (functions/mcp/stream). A handler gets the usual arguments; for an event of a Function URL its
context has a `response_stream`, and a response that it returns without having used it is sent as a stream too. Events
of the HTTP API are answered as usual.
"""

import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NoReturn

from assay.entrypoints.response_stream import ResponseStream
from assay.entrypoints.runtime_api import RuntimeApi, RuntimeApiError
from assay.state.lambda_invocation import describe_invocation

log = logging.getLogger("assay")
FUNCTION_URL = ".lambda-url."  # in the domain name of every Function URL
USUAL = frozenset(vars(logging.makeLogRecord({})))  # attributes of every record

type Handler = Callable[[Mapping[str, Any], object], Any]


class LoopContext:
    """The context of an invocation, with the attributes of Lambda's own that functions use."""

    def __init__(self, headers: Mapping[str, str], environ: Mapping[str, str]) -> None:
        self.aws_request_id = headers["lambda-runtime-aws-request-id"]
        self.invoked_function_arn = headers.get("lambda-runtime-invoked-function-arn", "")
        self.function_name = environ.get("AWS_LAMBDA_FUNCTION_NAME", "")
        self.function_version = environ.get("AWS_LAMBDA_FUNCTION_VERSION", "")
        self.memory_limit_in_mb = environ.get("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "")
        self.log_group_name = environ.get("AWS_LAMBDA_LOG_GROUP_NAME", "")
        self.log_stream_name = environ.get("AWS_LAMBDA_LOG_STREAM_NAME", "")
        self.response_stream: ResponseStream | None = None
        self._deadline = int(headers.get("lambda-runtime-deadline-ms", "0"))

    def get_remaining_time_in_millis(self) -> int:
        return max(self._deadline - round(time.time() * 1000), 0)


def run() -> NoReturn:
    """Load the handler that the environment names, and serve events with it for the life of the process."""
    # This loop passes on what Lambda sets; `assay.settings` takes longer to import than a frozen answer.
    environ = os.environ  # noqa: TID251
    set_up_logging()
    api = RuntimeApi(environ["AWS_LAMBDA_RUNTIME_API"])
    try:
        module, _, name = environ["_HANDLER"].rpartition(".")
        handler: Handler = getattr(import_module(module.replace("/", ".")), name)
    except Exception as failure:
        log.exception("The function cannot start")
        api.send_init_error(describe_failure(failure))
        sys.exit(1)
    while True:
        serve_event(api, handler)


def serve_event(api: RuntimeApi, handler: Handler) -> None:
    """Wait for one event and answer it."""
    environ = os.environ  # noqa: TID251
    received = api.wait_for_event()
    environ["_X_AMZN_TRACE_ID"] = received.headers.get("lambda-runtime-trace-id", "")
    context = LoopContext(received.headers, environ)
    try:
        event = json.loads(received.body)
        if is_streamable(event):
            context.response_stream = ResponseStream(api, context.aws_request_id)
        response = handler(event, context)
    except Exception as failure:  # the invocation has failed, and the next one may succeed
        log.exception("The invocation %s failed", context.aws_request_id)
        answer_failure(api, context, describe_failure(failure))
        return
    try:
        send(api, context, response)
    except (OSError, RuntimeApiError):
        log.exception("The response to %s could not be sent", context.aws_request_id)


def is_streamable(event: object) -> bool:
    """Whether the event is one of a Function URL. The HTTP API expects a whole response."""
    place = event.get("requestContext") if isinstance(event, dict) else None
    return FUNCTION_URL in str((place if isinstance(place, dict) else {}).get("domainName"))


def send(api: RuntimeApi, context: LoopContext, response: Any) -> None:
    """Send the response of the handler, unless it has streamed one."""
    stream = context.response_stream
    if stream is None:
        reply = api.send_response(context.aws_request_id, json.dumps(response).encode())
        if reply.status >= 400:
            raise RuntimeApiError(f"Lambda refused the response: {reply.status} {reply.body[:200]!r}.")
    elif stream.has_begun:
        stream.finish()
    else:
        stream.send_whole(response)


def answer_failure(api: RuntimeApi, context: LoopContext, error: Mapping[str, Any]) -> None:
    """Report the failure of the handler: after the first byte in the trailers of the stream."""
    stream = context.response_stream
    try:
        if stream is not None and stream.has_begun:
            stream.finish(error)
        else:
            api.send_error(context.aws_request_id, error)
    except (OSError, RuntimeApiError):
        log.exception("The failure of %s could not be reported", context.aws_request_id)


def describe_failure(failure: Exception) -> dict[str, Any]:
    """The report of the exception for the Runtime API."""
    lines = traceback.format_exception(failure)
    return {"errorMessage": str(failure), "errorType": type(failure).__name__, "stackTrace": lines}


class JsonFormatter(logging.Formatter):
    """One line of JSON for each record, with the names of Lambda's own log format."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(record.created)),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            **describe_invocation(),
            **{name: str(value) for name, value in vars(record).items() if name not in USUAL},
        }
        if record.exc_info:
            line["stackTrace"] = self.formatException(record.exc_info)
        return json.dumps(line)


def set_up_logging() -> None:
    """Write the records of all loggers to the log of the function."""
    handler = logging.StreamHandler(sys.stdout)
    handler.setFormatter(JsonFormatter())
    logging.getLogger().addHandler(handler)
