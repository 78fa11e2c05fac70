"""Turns of crawls from their queue, and the look for stuck ones on a schedule."""

from assay.entrypoints import lambda_crawl

handler = lambda_crawl.handler_for()
