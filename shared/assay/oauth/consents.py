"""What a person allowed a client before: remembered per client and redirect host, for web addresses only.

Consent for a loopback address or an application's own scheme is asked every time: any program on the machine can
receive its answer and show the name of another.
"""

from assay.oauth.principals import Principal
from assay.oauth.redirect_uris import get_redirect_host, is_loopback
from assay.oauth.secret_values import digest
from assay.oauth.sign_in_requests import SignInRequest
from assay.state.json_documents import load, save
from assay.state.ports import TableStore
from assay.state.table_rows import delete_rows, query_all

CONSENT_SECONDS = 90 * 86_400


def consent_key(tenant: str, user: str) -> str:
    """The key of what the person allowed."""
    return f"oauth/consent/{digest(f'{tenant}/{user}')}"


def _place(principal: Principal, request: SignInRequest) -> tuple[str, str]:
    client = digest(f"{digest(request.client['id'])} {get_redirect_host(request.redirect_uri)} {request.resource}")
    return consent_key(principal.tenant, principal.user), client


def is_rememberable(request: SignInRequest) -> bool:
    """Whether consent to this request may be remembered."""
    uri = request.redirect_uri
    return request.kind == "code" and uri.startswith("https://") and not is_loopback(uri)


async def has_consented(table: TableStore, principal: Principal, request: SignInRequest) -> bool:
    """Whether the person allowed this client, at this host, all these scopes before."""
    if not is_rememberable(request):
        return False
    row = await load(table, *_place(principal, request))
    return row is not None and set(request.scopes) <= set(row["scopes"])


async def remember_consent(table: TableStore, principal: Principal, request: SignInRequest, now: float) -> None:
    if is_rememberable(request):
        place = _place(principal, request)
        row = await load(table, *place)
        scopes = sorted({*request.scopes, *(row["scopes"] if row else ())})
        await save(table, *place, {"scopes": scopes}, until=now + CONSENT_SECONDS)


async def forget_consents(table: TableStore, tenant: str, user: str) -> None:
    """Ask this person again for every client: after a revocation, none is allowed silently."""
    key = consent_key(tenant, user)
    await delete_rows(table, key, [row.sort for row in await query_all(table, key)])
