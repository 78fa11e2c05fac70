"""Providers with their circuit breakers, and the limits of the tenant."""

from typing import Any

from fastapi import Response

from assay.entrypoints.console.page_visit import PageVisit

PATH = "/console/operations/providers"


async def show_providers(visit: PageVisit) -> Response:
    """The health of providers, and how much of the limits is used."""
    report = await visit.run_endpoint("list-providers")
    limits: Any = await visit.run_endpoint("read-limits", {"tenant_id": visit.caller.tenant})
    return visit.show("providers.html", report=report, limits=limits)


async def close_breaker(visit: PageVisit) -> Response:
    """Close the breaker of the provider that the form names."""
    await visit.run_endpoint("close-breaker", {"provider": visit.form.get("provider", "")})
    return visit.redirect(PATH)
