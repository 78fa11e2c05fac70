"""Browsers that people sign in with: a cookie each, and the person, once signed in.

Forms carry a token that is derived from the cookie, which other sites can neither read nor set.
"""

import hashlib
import hmac

from assay.oauth.principals import Principal
from assay.oauth.secret_values import COOKIE, LONGEST, create_secret, digest
from assay.state.json_documents import load, save
from assay.state.owned_data import record_owner
from assay.state.ports import TableStore

SESSION_SECONDS = 3600
SIGN_IN_KIND = "sign-in"  # in the index of what a person owns


def create_cookie() -> str:
    """The value of a new browser's cookie."""
    return create_secret(COOKIE)


def is_cookie(value: str) -> bool:
    """Whether the value can be one of our cookies."""
    return value.startswith(COOKIE) and len(value) <= LONGEST


def build_form_token(cookie: str) -> str:
    """The token of the forms that the browser with this cookie receives."""
    return hashlib.sha256(f"form {cookie}".encode()).hexdigest()


def sign_for_browser(cookie: str, text: str) -> str:
    """A signature by which a text that comes back from this browser is known to have been sent to it."""
    return hmac.new(cookie.encode(), text.encode(errors="replace"), hashlib.sha256).hexdigest()[:32]


def is_form_token(sent: str, cookie: str) -> bool:
    """Whether a form was made for the browser with this cookie."""
    return hmac.compare_digest(sent.encode(), build_form_token(cookie).encode())


async def start_session(table: TableStore, principal: Principal, now: float) -> str:
    """Remember the person under a new cookie: one that was known before signing in is worth nothing afterwards."""
    cookie = create_cookie()
    hashed, until = digest(cookie), now + SESSION_SECONDS
    await record_owner(table, principal.tenant, principal.user, SIGN_IN_KIND, hashed, until=until)
    await save(table, session_key(hashed), "-", principal.to_document(), until=until)
    return cookie


async def find_session(table: TableStore, cookie: str) -> Principal | None:
    """The person who signed in with this browser."""
    row = await load(table, session_key(digest(cookie))) if is_cookie(cookie) else None
    return None if row is None else Principal.from_document(row)


async def end_session(table: TableStore, cookie: str) -> None:
    await table.delete(session_key(digest(cookie)))


def session_key(hashed: str) -> str:
    """The key of the row of the browser whose cookie has this digest."""
    return f"oauth/session/{hashed}"
