"""Headless Chromium: an event names a page, the answer is what it holds once its scripts have run."""

from assay.entrypoints.lambda_browser import handler_for

handler = handler_for()
