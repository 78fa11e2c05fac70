"""A Chromium of our own: started, contained, watched, and asked to render pages."""

from assay.chromium.browser import Chromium
from assay.chromium.launch import executable

__all__ = ["Chromium", "executable"]
