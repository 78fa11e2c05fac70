"""Every schedule's handler; the event names the job, or a tool."""

from assay.entrypoints.lambda_schedule import handler_for

handler = handler_for()
