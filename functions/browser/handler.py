"""Headless Chromium: an event names a page, the answer is what it holds once its scripts have run."""

from assay.doors.browser import handler_for

handler = handler_for()
