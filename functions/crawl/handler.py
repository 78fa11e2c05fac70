"""Lambda function that processes crawl turns from the queue and, on a schedule, resumes stalled crawls."""

from assay.entrypoints import lambda_crawl
from assay.entrypoints.init_phase import prepare_function

handler = lambda_crawl.handler_for()
prepare_function(lambda_crawl.MODULES, lambda services: services.scrape)
