"""Audit events of grants: what a person allowed a client, and when that ended."""

from assay.oauth.grants import Authorization
from assay.services import Services
from assay.state.audit import EventKind, emit_event


def record_grant(services: Services, kind: EventKind, allowed: Authorization | None) -> None:
    """Send the event to the observers; none for a grant that had ended already."""
    if allowed is not None:
        person = allowed.principal
        emit_event(
            services.observers,
            kind,
            person.tenant,
            person.user,
            services.clock(),
            entrypoint="sign-in",
            subject=allowed.client,
        )
