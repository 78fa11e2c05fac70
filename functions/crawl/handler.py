"""Turns of crawls from their queue, and the look for stuck ones on a schedule."""

from assay.doors import crawls

handler = crawls.handler_for()
