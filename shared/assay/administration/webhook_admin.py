"""Messages of webhooks that could not be delivered."""

from typing import Annotated, Any

from pydantic import Field

from assay.administration.admin_call import AdminCall, Paged, TenantChoice
from assay.models.common import Output, Pattern
from assay.toolkit.tool import tool
from assay.webhooks.parked_messages import drop_parked, list_parked, retry_parked


class WebhookChoice(TenantChoice, Paged):
    pass


class WebhookMessage(Output):
    """A message without its body."""

    id: str
    message_id: Annotated[str, Field(description="Id for the receiver, the same at each attempt.")]
    tenant_id: str
    user_id: str
    event: str
    url: str
    state: Annotated[str, Field(description="parked, waiting, delivered or dropped.")]
    created_at: str
    tries: int
    next_at: Annotated[str | None, Field(description="Next attempt.")] = None
    reason: Annotated[str | None, Field(description="Why it is parked.")] = None
    last_attempt: Annotated[dict[str, Any] | None, Field(description="Time, status and excerpt of the answer.")] = None


class WebhookMessageList(Output):
    messages: Annotated[list[WebhookMessage], Field(description="By id.")]
    next: Annotated[str | None, Field(description="Pass it as `after` for more; absent at the end.")] = None


@tool()
async def list_webhook_messages(ask: WebhookChoice, call: AdminCall) -> WebhookMessageList:
    """List messages of webhooks that are parked after their last attempt."""
    parked = sorted(await list_parked(call.services, ask.tenant_id), key=lambda message: str(message["id"]))
    left = [message for message in parked if ask.after is None or message["id"] > ask.after]
    page = [WebhookMessage.model_validate(message) for message in left[: ask.limit]]
    return WebhookMessageList(messages=page, next=page[-1].id if len(left) > len(page) else None)


class WebhookMessageIdentity(TenantChoice):
    id: Annotated[str, Pattern(r"[0-9a-f]{32}", "the id of a message"), Field(description="From the list.")]


@tool(read_only=False)
async def retry_webhook_message(ask: WebhookMessageIdentity, call: AdminCall) -> WebhookMessage:
    """Deliver a parked message of a webhook again, with all of its attempts."""
    return WebhookMessage.model_validate(await retry_parked(call.services, ask.id, ask.tenant_id))


@tool(read_only=False, destructive=True)
async def drop_webhook_message(ask: WebhookMessageIdentity, call: AdminCall) -> WebhookMessage:
    """Give up a parked message of a webhook and delete its body."""
    return WebhookMessage.model_validate(await drop_parked(call.services, ask.id, ask.tenant_id))
