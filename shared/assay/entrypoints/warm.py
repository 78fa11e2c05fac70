"""What the first calls import, imported while a server that has just started is idle."""

import logging
import threading
from importlib import import_module

log = logging.getLogger("assay")
# Fetching a page, the most frequent call, has most of what every other tool needs. The rest is left out, so that a
# server that nobody uses stays small; a process of its own, which starts with the first page, reads it.
MODULES = (
    "assay.tools.scrape_page",
    "assay.net.guarded_client",
    "assay.local",
    "assay.scraping.parse_executor",
)


def warm() -> None:
    """Begin, on a thread of its own. A call that comes meanwhile waits for no more than it would import itself."""
    threading.Thread(target=_import, name="warm", daemon=True).start()


def _import() -> None:
    try:
        for name in MODULES:
            import_module(name)
    except ImportError:  # the call that needs it will tell
        log.debug("a module could not be imported ahead of its first use", exc_info=True)
