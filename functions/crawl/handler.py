"""Lambda function that processes crawl turns from the queue and, on a schedule, resumes stalled crawls."""

from assay.entrypoints import lambda_crawl

handler = lambda_crawl.handler_for()
