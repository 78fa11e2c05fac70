"""Lambda function of one tool, selected by the environment variable TOOL."""

import os

from assay.entrypoints.http.http_api import handler_for
from assay.entrypoints.init_phase import prepare_tool

handler = handler_for(os.environ["TOOL"])
prepare_tool(os.environ["TOOL"])
