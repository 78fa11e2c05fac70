"""Addresses to which a person's webhooks go, each with a secret that signs them."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from assay.caller import Caller
from assay.errors import InvalidInput, NotFound, RateLimited
from assay.net.urls import parse_url
from assay.services import Services
from assay.state import json_documents
from assay.state.json_documents import Document
from assay.state.ports import Conflict, TableStore
from assay.state.table_rows import hash_names, query_all
from assay.text.timestamps import format_utc
from assay.webhooks.webhook_signature import create_secret

MAX_ENDPOINTS = 20  # of one person
ROTATION_SECONDS = 86_400.0  # for which the previous secret also signs
UNKNOWN = "You have no webhook with this address; register it first."


@dataclass(frozen=True)
class WebhookEndpoint:
    """An address of a person. Until `previous_until`, messages are also signed with the previous secret."""

    id: str
    url: str
    secret: str
    created: float
    previous: str = ""
    previous_until: float = 0.0
    paused_until: float = 0.0  # it failed; until then nothing else is sent to it

    def list_secrets(self, now: float) -> list[str]:
        return [self.secret, *([self.previous] if self.previous and now < self.previous_until else [])]

    def wire(self) -> dict[str, Any]:
        """The endpoint for its owner, without its secrets."""
        return {"id": self.id, "url": self.url, "createdAt": format_utc(self.created)}

    @classmethod
    def from_document(cls, identity: str, document: Document) -> "WebhookEndpoint":
        return cls(identity, **document)


def build_endpoints_key(tenant: str, user: str) -> str:
    return "webhook-endpoint/" + hash_names(tenant, user)


def build_endpoint_id(url: str) -> str:
    """Return the id of a canonical address, the same for each person, so that a registration can be repeated."""
    return hashlib.sha256(url.encode()).hexdigest()[:32]


async def check_webhook_url(services: Services, url: str) -> str:
    """Return the canonical address. Raises InvalidInput unless it is a public https URL."""
    parsed = parse_url(url)
    if parsed.scheme != "https" and not services.settings.allow_private_ips:
        raise InvalidInput("The URL of a webhook must be https, because the events are personal data.", field="url")
    return await services.web.check(url)


async def register_endpoint(services: Services, caller: Caller, url: str) -> tuple[WebhookEndpoint, bool]:
    """Return the person's endpoint with this address, and whether it is new: only then show its secret.

    Raises InvalidInput for an address that may not be used, RateLimited if the person has too many.
    """
    url = await check_webhook_url(services, url)
    key, identity = build_endpoints_key(caller.tenant, caller.user), build_endpoint_id(url)
    endpoints = await query_all(services.table, key)
    if any(row.sort == identity for row in endpoints):
        return await load_endpoint(services.table, caller.tenant, caller.user, identity), False
    if len(endpoints) >= MAX_ENDPOINTS:
        raise RateLimited(f"You have {MAX_ENDPOINTS} webhook addresses, which is the limit. Remove one.")
    document = {"url": url, "secret": create_secret(), "created": services.clock()}
    try:
        await services.table.put(key, identity, json_documents.encode(document), expect=0)
    except Conflict:  # another call of the person registered it
        return await load_endpoint(services.table, caller.tenant, caller.user, identity), False
    return WebhookEndpoint.from_document(identity, document), True


async def load_endpoint(table: TableStore, tenant: str, user: str, identity: str) -> WebhookEndpoint:
    """Return the person's endpoint with this id. Raises NotFound."""
    document = await json_documents.load(table, build_endpoints_key(tenant, user), identity)
    if document is None:
        raise NotFound(UNKNOWN, field="url")
    return WebhookEndpoint.from_document(identity, document)


async def list_endpoints(table: TableStore, tenant: str, user: str) -> list[WebhookEndpoint]:
    rows = await query_all(table, build_endpoints_key(tenant, user))
    return [WebhookEndpoint.from_document(row.sort, json.loads(row.value)) for row in rows]


async def rotate_secret(
    services: Services, caller: Caller, identity: str, seconds: float = ROTATION_SECONDS
) -> WebhookEndpoint:
    """Give the endpoint a new secret; for `seconds` the previous one signs as well. Raises NotFound."""
    fresh, until = create_secret(), services.clock() + seconds

    def edit(document: Document) -> Document:
        return document | {"secret": fresh, "previous": document["secret"], "previous_until": until}

    return await _change(services.table, caller, identity, edit)


async def pause_endpoint(table: TableStore, caller: Caller, identity: str, until: float) -> None:
    """Send nothing to the endpoint until that time; a time that has passed ends the pause. Raises NotFound."""
    await _change(table, caller, identity, lambda document: document | {"paused_until": until})


async def remove_endpoint(table: TableStore, caller: Caller, identity: str) -> None:
    """Remove the endpoint with its secret; what was not delivered to it yet is dropped at its next attempt."""
    await table.delete(build_endpoints_key(caller.tenant, caller.user), identity)


async def _change(table: TableStore, caller: Caller, identity: str, edit: Any) -> WebhookEndpoint:
    def edit_existing(document: Document | None) -> Document:
        if document is None:
            raise NotFound(UNKNOWN, field="url")
        changed: Document = edit(document)
        return changed

    key = build_endpoints_key(caller.tenant, caller.user)
    return WebhookEndpoint.from_document(identity, await json_documents.update(table, key, identity, edit_existing))
