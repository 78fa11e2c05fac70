"""Lambda function for schedules; the event names a job or a tool."""

from assay.entrypoints.init_phase import prepare_function
from assay.entrypoints.lambda_schedule import handler_for

handler = handler_for()
prepare_function(["assay.jobs.runner"])
