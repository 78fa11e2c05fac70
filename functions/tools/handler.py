"""Lambda function of one tool, selected by the environment variable TOOL."""

import os

from assay.entrypoints.http.http_api import handler_for

handler = handler_for(os.environ["TOOL"])
