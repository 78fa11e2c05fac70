"""Lambda function for schedules; the event names a job or a tool."""

from assay.entrypoints.lambda_schedule import handler_for

handler = handler_for()
