"""Health, the list of tools and OpenAPI."""

from assay.doors.desk import handler_for

handler = handler_for()
