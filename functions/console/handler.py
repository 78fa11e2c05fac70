"""Lambda function for the pages of the console and of /docs."""

from assay.entrypoints.http.service_info import handler_for

handler = handler_for()
