"""The request log of the local server: one line per call on standard error."""

import sys
from datetime import datetime

from assay.state.audit import Call


def print_call(call: Call) -> None:
    """`12:03:04 web_search ok 0.53 s https duckduckgo` on standard error, without the arguments."""
    at = datetime.fromtimestamp(call.at).astimezone()
    outcome = call.error or ("ok, cached" if call.cached else "ok")
    provider = f" {call.provider}" if call.provider else ""
    trace = f" trace {call.trace.trace_id}" if call.trace and call.trace.parent else ""  # of a caller who sent one
    line = f"{at:%H:%M:%S} {call.tool} {outcome} {call.seconds:.2f} s {call.entrypoint}{provider}{trace}"
    print(line, file=sys.stderr, flush=True)
