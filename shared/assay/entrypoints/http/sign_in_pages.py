"""The pages of signing in, as HTML without scripts. Every text that comes from outside is escaped."""

import base64
import hashlib
from collections.abc import Iterable
from html import escape

from assay.oauth.principals import Principal
from assay.oauth.redirect_uris import get_redirect_host, is_loopback
from assay.oauth.scopes import describe_scope
from assay.oauth.sign_in_requests import SignInRequest

ACCOUNT_PATH = "/console/account"  # what a person allowed, and where they revoke it
STYLE = """:root{color-scheme:light dark}
body{font:1rem/1.5 system-ui,sans-serif;max-width:32rem;margin:3rem auto;padding:0 1rem}
input{font:inherit;width:100%;box-sizing:border-box;padding:.4rem}
button{font:inherit;padding:.4rem 1.2rem;margin:1rem 1rem 0 0}
h2{font-size:1.1rem;margin:2rem 0 0}.error{color:#a00}.host{font-weight:bold;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){.error{color:#f99}}"""
STYLE_HASH = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()


def build_security_headers(form_targets: str = "") -> dict[str, str]:
    """The headers of a page. Browsers apply `form-action` to redirects after a form too, hence `form_targets`."""
    return {
        "content-security-policy": (
            f"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; base-uri 'none'; frame-ancestors 'none'; "
            f"form-action 'self'{form_targets}"
        ),
        "x-frame-options": "DENY",
        "x-content-type-options": "nosniff",
        "referrer-policy": "same-origin",  # no-referrer would make browsers send `Origin: null` with the forms
        "cache-control": "no-store",
    }


def list_form_targets(request: SignInRequest) -> str:
    """Where the answer to a form may redirect to: addresses with the scheme of the client's redirect URI."""
    return f" {request.redirect_uri.partition(':')[0]}:" if request.kind == "code" else ""


def format_page(title: str, body: Iterable[str]) -> str:
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n'
        f"<title>{escape(title)} – Assay</title>\n<style>{STYLE}</style>\n<h1>{escape(title)}</h1>\n"
        + "\n".join(body)
        + "\n</html>\n"
    )


def format_form(action: str, token: str, fields: dict[str, str], body: str) -> str:
    """A form with hidden fields and the token of the browser."""
    hidden = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">'
        for name, value in {**fields, "form_token": token}.items()
    )
    return f'<form method="post" action="{action}" autocomplete="off">{hidden}{body}</form>'


def format_sign_in(request: SignInRequest, token: str, *, has_keys: bool, has_provider: bool, error: str = "") -> str:
    """The page that asks who the person is."""
    body = [_describe_client(request)] if request.client else []
    if error:
        body.append(f'<p class="error">{escape(error)}</p>')
    if has_provider:
        body.append(f'<p><a href="/oauth/sso?request={escape(request.id)}">Sign in with your organization</a></p>')
    if has_keys:
        field = (
            '<p><label for="key">Your Assay key</label><input id="key" name="key" type="password" required '
            'maxlength="512" autofocus></p>'
            "<p>The operator of this server makes keys: <code>assay key create NAME</code>.</p><button>Sign in</button>"
        )
        body.append(format_form("/oauth/sign-in", token, {"request": request.id}, field))
    return format_page("Sign in", body)


def format_consent(request: SignInRequest, principal: Principal, scopes: frozenset[str], token: str) -> str:
    """The page that asks whether the client may act for the person."""
    listed = "".join(f"<li>{escape(describe_scope(scope))}</li>" for scope in sorted(scopes))
    body = [
        _describe_client(request),
        f"<p>It will be able to:</p><ul>{listed}</ul>",
        describe_person(principal),
        f'<p>You can revoke this later at <a href="{ACCOUNT_PATH}">your account</a>.</p>',
        format_form(
            "/oauth/consent",
            token,
            {"request": request.id},
            '<button name="decision" value="allow">Allow</button><button name="decision" value="deny">Deny</button>',
        ),
    ]
    return format_page("Allow access?", body)


def describe_person(principal: Principal) -> str:
    return f"<p>You are signed in as {escape(principal.name or principal.user)} of {escape(principal.tenant)}.</p>"


def _describe_client(request: SignInRequest) -> str:
    """Who asks, and where the answer goes: the name is the client's own claim, the host is a fact."""
    client = request.read_client()
    name = escape(client.name or "An application without a name")
    if request.kind == "device":
        return (
            f"<p><b>{name}</b> asks for access with the code "
            f'<span class="host">{escape(request.user_code)}</span>. Allow it only if a program of yours shows this '
            "code now, and nobody sent it to you.</p>"
        )
    host = escape(get_redirect_host(request.redirect_uri))
    where = f'<p><b>{name}</b> asks for access. The answer goes to <span class="host">{host}</span>.'
    if is_loopback(request.redirect_uri):
        where += " That is a program on your own computer: allow it only if you have just started it."
    if client.id.startswith(("https://", "http://")):
        where += f' It is described at <span class="host">{escape(client.id)}</span>.'
    return where + "</p>"


def format_device_entry(token: str, user_code: str = "", error: str = "") -> str:
    """The page that asks for the code that a program shows."""
    field = (
        '<p><label for="code">The code that your program shows</label>'
        f'<input id="code" name="user_code" value="{escape(user_code[:20])}" required maxlength="20" autofocus></p>'
        "<button>Continue</button>"
    )
    problem = [f'<p class="error">{escape(error)}</p>'] if error else []
    return format_page("Connect a program", [*problem, format_form("/oauth/device", token, {}, field)])


def format_notice(title: str, text: str, link: str = "") -> str:
    """A page with one sentence, and a link back to the client if there is one."""
    body = [f"<p>{escape(text)}</p>"]
    if link:
        host = escape(get_redirect_host(link))
        body.append(f'<p><a href="{escape(link)}" rel="noreferrer">Return to <span class="host">{host}</span></a></p>')
    return format_page(title, body)
