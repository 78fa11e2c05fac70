"""Starts the loop that streams responses, in place of that of Lambda's runtime; `stream` in this folder runs it."""

import sys

sys.path.insert(1, "/opt/python")  # where Lambda's own loop adds the layers

from assay.entrypoints.lambda_loop import run

run()
