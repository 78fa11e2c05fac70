"""Every tool's handler; the template says which one this Lambda runs."""

import os

from assay.entrypoints.http.http_api import handler_for

handler = handler_for(os.environ["TOOL"])
