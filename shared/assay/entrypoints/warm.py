"""Imports the modules of the first calls in advance, on a thread, while the server is idle."""

import logging
import threading
from importlib import import_module

log = logging.getLogger("assay")
# scrape_page is the most frequent call and imports most of what other tools need. The page parser is left out to keep
# an idle server small: it runs in worker processes.
MODULES = (
    "assay.tools.scrape_page",
    "assay.net.guarded_client",
    "assay.local",
    "assay.scraping.parse_executor",
)


def warm() -> None:
    """Start the imports on a daemon thread. A concurrent call waits only for the modules that it imports itself."""
    threading.Thread(target=_import, name="warm", daemon=True).start()


def _import() -> None:
    try:
        for name in MODULES:
            import_module(name)
    except ImportError:  # the call that needs the module reports it
        log.debug("a module could not be imported ahead of its first use", exc_info=True)
