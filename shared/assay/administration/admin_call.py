"""The call of an administrator, and what the endpoints of administration share: inputs, the tenant, audit events."""

from dataclasses import dataclass
from typing import Annotated, Any, Self

from pydantic import Field

from assay.errors import InvalidInput
from assay.models.common import Input, Pattern
from assay.oauth.grants import Authorization
from assay.oauth.principals import Principal
from assay.oauth.scopes import EVERYTHING, is_covered, narrow
from assay.services import Services
from assay.state.audit import EventKind, emit_event
from assay.state.key_store import KeyAccount

NAME = r"[A-Za-z0-9._@-]{1,128}"
NAME_WORDS = "1 to 128 letters, digits and . _ @ -"

type TenantName = Annotated[str, Pattern(NAME, NAME_WORDS)]


@dataclass(frozen=True)
class OwnAccess:
    """A person who rules over their own data alone, and what they may do.

    `key` is the digest of the key that they signed in with, "" for an `account` of the identity provider.
    """

    user: str
    scopes: frozenset[str]
    key: str = ""
    account: KeyAccount | None = None

    @classmethod
    def from_principal(cls, principal: Principal, scopes: frozenset[str], *, is_local: bool) -> Self:
        """The person who signed in, with what they may do today; with `is_local` the user of this machine."""
        has_account = not (principal.key or is_local)
        account = KeyAccount(principal.name, principal.roles) if has_account else None
        return cls(principal.user, scopes, principal.key, account)

    @property
    def has_every_tool(self) -> bool:
        """Whether they signed in with their account, or with a key that is not for some tools alone."""
        return not self.key or bool(self.scopes & EVERYTHING)

    def rules_over(self, scopes: frozenset[str]) -> bool:
        """Whether they may revoke what allows this: with a key that can do as much, or with their account."""
        return not self.key or is_covered(scopes, self.scopes)

    def rules_over_grant(self, allowed: Authorization) -> bool:
        """The same of what they allowed an application."""
        return self.rules_over(narrow(allowed.scopes, allowed.principal.scopes))


@dataclass(frozen=True)
class Administrator:
    """Who calls. `tenant` is the only one they rule over; None is the operator, who rules over all.

    A person who administers nothing but what is their own has `own`. A key that is read-only changes nothing here
    either.
    """

    name: str
    tenant: str | None = None
    is_read_only: bool = False
    own: OwnAccess | None = None

    @property
    def is_operator(self) -> bool:
        return self.tenant is None


@dataclass(frozen=True)
class AdminCall:
    """One call of an endpoint of administration."""

    services: Services
    administrator: Administrator
    entrypoint: str = "admin_api"
    request_id: str = ""

    def record(self, kind: EventKind, tenant: str, user: str, **about: Any) -> None:
        """Send an audit event to the observers."""
        services = self.services
        emit_event(services.observers, kind, tenant, user, services.clock(), entrypoint=self.entrypoint, **about)


class TenantChoice(Input):
    """A tenant. An administrator of a tenant may leave it out: it is their own."""

    tenant_id: Annotated[TenantName | None, Field(description="Tenant; an administrator of one may leave it out.")] = (
        None
    )

    @property
    def tenant(self) -> str:
        """The tenant. Raises InvalidInput where the operator named none."""
        if self.tenant_id is None:
            raise InvalidInput("tenant_id is required: name the tenant.", field="tenant_id")
        return self.tenant_id


class PersonChoice(TenantChoice):
    user_id: Annotated[str, Pattern(NAME, NAME_WORDS), Field(description="User of the tenant.")]


class UserFilter(TenantChoice):
    user_id: Annotated[
        Annotated[str, Pattern(NAME, NAME_WORDS)] | None, Field(description="User of the tenant; all if left out.")
    ] = None


class Paged(Input):
    limit: Annotated[int, Field(ge=1, le=500, description="Maximum number of entries.")] = 100
    after: Annotated[str | None, Field(max_length=1000, description="`next` of the previous page.")] = None
