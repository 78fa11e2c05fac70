"""Every tool's handler; the template says which one this Lambda runs."""

import os

from assay.doors.https import handler_for

handler = handler_for(os.environ["TOOL"])
