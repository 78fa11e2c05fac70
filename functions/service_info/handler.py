"""Lambda function for health, the tool list and the OpenAPI document."""

from assay.entrypoints.http.frozen_info import handler_for

handler = handler_for()
