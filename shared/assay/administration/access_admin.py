"""Keys of the table and grants of clients."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Annotated

from pydantic import Field

from assay.administration.admin_call import (
    NAME,
    NAME_WORDS,
    AdminCall,
    OwnAccess,
    Paged,
    PersonChoice,
    UserFilter,
)
from assay.errors import Forbidden, InvalidInput, NotFound
from assay.models.common import Output, Pattern
from assay.oauth import grants
from assay.oauth.consents import forget_consents
from assay.oauth.scopes import ADMIN, SUPPORTED, narrow
from assay.settings.parsers import parse_duration
from assay.state import key_store
from assay.state.key_store import StoredKey
from assay.text.timestamps import format_utc
from assay.toolkit import tool_registry
from assay.toolkit.tool import tool

SCANNED = 5_000  # rows that one page looks at
SCANNED_AT_ONCE = 500
MOST_OWN_KEYS = 20  # of a person who makes keys for themself
OWN_KEY_SECONDS = 180 * 86_400  # how long such a key lives at most, as a grant does


class KeyEntry(Output):
    """A key without its secret; the last use is known to the hour."""

    id: str
    name: str
    tenant_id: str
    user_id: str
    scopes: list[str]
    read_only: bool
    created_at: str
    expires_at: str | None = None
    last_used_at: str | None = None


class KeyChoice(UserFilter, Paged):
    pass


class KeyList(Output):
    keys: list[KeyEntry]
    next: Annotated[str | None, Field(description="Pass it as `after` for more; absent at the end.")] = None


@tool()
async def list_keys(ask: KeyChoice, call: AdminCall) -> KeyList:
    """List the keys of the table."""
    return await _find_keys(ask, call)


async def _find_keys(ask: KeyChoice, call: AdminCall) -> KeyList:
    """The keys; a key for some tools alone sees those that can do no more than it."""
    found: list[KeyEntry] = []
    own = call.administrator.own
    after, scanned = ask.after, 0
    while True:
        page = await call.services.table.query(key_store.PARTITION, after=after, limit=SCANNED_AT_ONCE)
        for item in page.items:
            after, scanned = item.sort, scanned + 1
            key = StoredKey.from_item(item)
            if _is_chosen(key, ask) and (own is None or own.has_every_tool or own.rules_over(key.scopes)):
                found.append(_to_entry(key))
                if len(found) == ask.limit:
                    return KeyList(keys=found, next=after)
        if page.after is None or scanned >= SCANNED:
            return KeyList(keys=found, next=page.after)


def _is_chosen(key: StoredKey, ask: UserFilter) -> bool:
    return ask.tenant_id in (None, key.tenant) and ask.user_id in (None, key.user)


class KeyCreation(PersonChoice):
    name: Annotated[str, Pattern(NAME, NAME_WORDS), Field(description="Name of the key.")]
    scopes: Annotated[
        tuple[str, ...], Field(max_length=100, description="*, tool:*, tool:<name>, a toolset, or admin.")
    ] = ("*",)
    read_only: Annotated[bool, Field(description="Allow only tools that change nothing.")] = False
    expires: Annotated[str | None, Field(max_length=20, description="Life of the key, such as 90d.")] = None


class CreatedKey(Output):
    key: Annotated[str, Field(description="The secret. It is not shown again.")]
    entry: KeyEntry


@tool(read_only=False, idempotent=False)
async def create_key(ask: KeyCreation, call: AdminCall) -> CreatedKey:
    """Create a key for a user of the tenant. Only the operator can give it the scope admin."""
    check_key_scopes(ask.scopes)
    if ADMIN in ask.scopes and not call.administrator.is_operator:
        raise Forbidden("Only the operator can create keys with the scope admin. Leave it out.", field="scopes")
    services, own, seconds = call.services, call.administrator.own, _parse_life(ask.expires)
    if own is not None:
        await _check_own_key(ask, own, call)
        seconds = min(seconds or OWN_KEY_SECONDS, OWN_KEY_SECONDS)
    secret, key = key_store.build_key(
        ask.name,
        services.clock(),
        tenant=ask.tenant,
        user=ask.user_id,
        scopes=ask.scopes,
        read_only=ask.read_only,
        seconds=seconds,
        parent=own.key if own else "",
        account=own.account if own else None,
    )
    await key_store.save_key(services.table, key)
    call.record("key.create", key.tenant, key.user, subject=key.id)
    return CreatedKey(key=secret, entry=_to_entry(key))


async def _check_own_key(ask: KeyCreation, own: OwnAccess, call: AdminCall) -> None:
    """Raises Forbidden or InvalidInput for a key that could do more than the person, or is one too many."""
    wanted = frozenset(ask.scopes)
    if narrow(wanted, own.scopes) != wanted:
        raise Forbidden(f"Your own scopes are {', '.join(sorted(own.scopes))}. Choose among them.", field="scopes")
    choice, count = KeyChoice(tenant_id=ask.tenant_id, user_id=ask.user_id, limit=MOST_OWN_KEYS), 0
    while True:  # a page ends after `SCANNED` rows, whoever's they are
        page = await _find_keys(choice, call)
        count += len(page.keys)
        if count >= MOST_OWN_KEYS:
            raise InvalidInput(f"You have {MOST_OWN_KEYS} keys, which is the limit. Revoke one first.", field="name")
        if page.next is None:
            return
        choice = choice.model_copy(update={"after": page.next})


def check_key_scopes(scopes: Iterable[str]) -> None:
    """Raises InvalidInput for a scope that covers nothing, such as a misspelt one."""
    known = ["*", *SUPPORTED, ADMIN, *(f"tool:{name}" for name in tool_registry.tool_names())]
    for scope in scopes:
        if scope not in known:
            raise InvalidInput(
                f"No tool has the scope {scope[:80]!r}. Scopes are *, {', '.join(SUPPORTED)}, {ADMIN} and tool:<name>.",
                field="scope",
                alternatives=get_close_matches(scope[:80], known, 3),
            )


def _parse_life(text: str | None) -> int | None:
    if text is None:
        return None
    if not (seconds := parse_duration(text)):
        raise InvalidInput(f"{text!r} is not a duration; use a form such as 90m, 1h or 7d.", field="expires")
    return seconds


class KeyIdentity(UserFilter):
    id: Annotated[str, Pattern(r"[0-9a-f]{16}", "the id of a key"), Field(description="Id of the key.")]


class RevokedKey(Output):
    revoked: KeyEntry


@tool(read_only=False, destructive=True)
async def revoke_key(ask: KeyIdentity, call: AdminCall) -> RevokedKey:
    """Revoke a key; it is refused at once, and so are the tokens that rest on it."""
    table = call.services.table
    key = await key_store.find_key_by_id(table, ask.id)
    if key is None or not _is_chosen(key, ask):
        raise NotFound("No key has this id. `list-keys` shows the ids.", field="id")
    own = call.administrator.own
    if own is not None and not own.rules_over(key.scopes):
        raise Forbidden("This key can do more than yours. Sign in with it, or with a key for every tool.", field="id")
    await key_store.revoke_key(table, ask.id)
    call.record("key.revoke", key.tenant, key.user, subject=key.id)
    return RevokedKey(revoked=_to_entry(key))


def _to_entry(key: StoredKey) -> KeyEntry:
    return KeyEntry(
        id=key.id,
        name=key.name,
        tenant_id=key.tenant,
        user_id=key.user,
        scopes=sorted(key.scopes),
        read_only=key.read_only,
        created_at=format_utc(key.created),
        expires_at=None if key.expires is None else format_utc(key.expires),
        last_used_at=None if key.used is None else format_utc(key.used),
    )


class GrantEntry(Output):
    id: str
    client: str
    client_name: str
    host: Annotated[str, Field(description="Where the client's answers go.")]
    scopes: list[str]
    created_at: str


class GrantList(Output):
    grants: Annotated[list[GrantEntry], Field(description="Live grants of the person, 100 at most.")]


@tool()
async def list_grants(ask: PersonChoice, call: AdminCall) -> GrantList:
    """List what a person allowed OAuth clients to do."""
    own, found = call.administrator.own, await grants.list_grants(call.services.table, ask.tenant, ask.user_id)
    if own is not None:
        found = [grant for grant in found if own.has_every_tool or own.rules_over_grant(grant.allowed)]
    return GrantList(
        grants=[
            GrantEntry(
                id=grant.key,
                client=grant.allowed.client,
                client_name=grant.allowed.client_name,
                host=grant.allowed.host,
                scopes=sorted(grant.allowed.scopes),
                created_at=format_utc(grant.created),
            )
            for grant in found
        ]
    )


class GrantIdentity(PersonChoice):
    id: Annotated[str, Pattern(r"[0-9a-f]{64}", "the id of a grant"), Field(description="Id of the grant.")]


class RevokedGrant(Output):
    revoked: Annotated[str, Field(description="Id of the grant.")]
    client: str


@tool(read_only=False, destructive=True)
async def revoke_grant(ask: GrantIdentity, call: AdminCall) -> RevokedGrant:
    """Revoke a grant with all its tokens; each of the person's clients has to ask again."""
    table, owner = call.services.table, (ask.tenant, ask.user_id)
    allowed, own = await grants.find_own_grant(table, *owner, ask.id), call.administrator.own
    if allowed is not None and own is not None and not own.rules_over_grant(allowed):
        raise Forbidden("This application can do more than your key. Sign in with a key for every tool.", field="id")
    if allowed is None or await grants.revoke_grant(table, ask.id) is None:
        raise NotFound("The person has no grant with this id. `list-grants` shows the ids.", field="id")
    await forget_consents(table, *owner)
    call.record("grant.revoke", *owner, subject=allowed.client)
    return RevokedGrant(revoked=ask.id, client=allowed.client)
