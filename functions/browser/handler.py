"""Lambda function that renders the page named by the event in headless Chromium."""

from assay.entrypoints.lambda_browser import handler_for

handler = handler_for()
