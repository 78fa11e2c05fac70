"""Prepares at INIT what the first call of a Lambda function certainly needs.

INIT has a whole processor and calls have a share of it, 0.29 at 512 MB: an import of 100 ms takes 350 in a call. INIT
may last 10 seconds and must not fail, so what is prepared here is prepared again by the first call if it failed.
"""

import gc
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any

from assay.entrypoints import runtime, snap_start

if TYPE_CHECKING:
    from assay.services import Services
    from assay.toolkit.tool import Tool

log = logging.getLogger("assay")
PATIENCE = 3.0  # seconds of INIT for the stored settings and keys, which a thread reads meanwhile
EVERY_CALL = (
    "assay.consent.consent_gate",
    "assay.statistics.recent_errors",
    "assay.statistics.tool_figures",
    "assay.toolkit.tool",
)


def prepare_tool(name: str) -> None:
    """Prepare the calls of one tool."""
    prepare_tools([name])


def prepare_tools(names: Sequence[str]) -> None:
    """Prepare the calls of these tools."""

    def prepare(services: "Services") -> None:
        from assay.toolkit.tool_registry import find_tool

        for name in names:
            _prepare_upstreams(find_tool(name), services)

    prepare_function([f"assay.tools.{name}" for name in names], prepare)


def prepare_function(modules: Sequence[str], prepare: "Callable[[Services], None]" = lambda _: None) -> None:
    """Import the modules, open the services and read the keys; then `prepare` what else depends on the services.

    Where Lambda takes a snapshot of the process, all but the imports is done again by each copy.
    """
    with _pause_collection():
        _prepare_process(prepare, lambda: _import_modules((*EVERY_CALL, *modules)))
    if snap_start.is_for_snapshot():
        with _attempt("the copies of a snapshot"):
            snap_start.register_hooks(lambda: _prepare_process(prepare))


@contextmanager
def _pause_collection() -> Iterator[None]:
    """Let no collection of garbage visit the objects of the modules, now or in a call: they are never free."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


def _import_modules(names: Sequence[str]) -> None:
    with _attempt("modules"):
        for name in names:
            import_module(name)


def _prepare_process(prepare: "Callable[[Services], None]", meanwhile: Callable[[], None] = lambda: None) -> None:
    opened: list[Services] = []
    reader = Thread(target=_open_services, args=(opened,), name="init", daemon=True)
    reader.start()
    meanwhile()
    with _attempt("the event loop"):
        runtime.runner().get_loop()
    reader.join(PATIENCE)
    for services in opened:
        with _attempt("the services"):
            _prepare_state(services)
            prepare(services)


def _open_services(opened: "list[Services]") -> None:
    from assay.entrypoints.http.http_api import keys_of

    with _attempt("the keys"):
        services = runtime.services()
        opened.append(services)
        keys_of(services)


def _prepare_state(services: "Services") -> None:
    from assay.aws import telemetry
    from assay.aws.dynamodb_table import DynamoTable

    if isinstance(services.table, DynamoTable):
        services.table.prepare()
        telemetry.prepare()
    _ = services.cache, services.limit_counters, services.statistics


def _prepare_upstreams(tool: "Tool[Any, Any]", services: "Services") -> None:
    """Open the client of the providers and the provider that is asked first, or the scraper."""
    if tool.provider is not None:
        services.search.source(tool.provider)
    elif tool.operation is not None:
        services.search.source(services.search.order(tool.operation)[0])
    elif tool.open_world:
        _ = services.scrape
        services.web.prepare()
        return
    else:
        return
    runtime.wait_for(services.http.prepare())


@contextmanager
def _attempt(what: str) -> Iterator[None]:
    """Suppress failures: the first call meets and reports them."""
    try:
        yield
    except Exception:  # whatever it is, a function that cannot start answers nothing
        log.info("%s could not be prepared at INIT; the first call tries again", what, exc_info=True)
