"""Health, the list of tools and OpenAPI."""

from assay.entrypoints.http.service_info import handler_for

handler = handler_for()
