"""Redirect URIs of clients: which are accepted, and when one matches a registered one (RFC 8252, RFC 9700)."""

import re
from urllib.parse import SplitResult, unquote

from assay.oauth.oauth_errors import OAuthError
from assay.text.url_parts import LOOPBACK, split_url

LONGEST = 2_000
PLAIN = re.compile(r"[!#$%&'()*+,\-./0-9:;=?@A-Z\[\]_a-z~]+")  # no white space, quotes, backslash or control characters
REVERSE_DOMAIN = re.compile(r"[a-z][a-z0-9-]*(\.[a-z0-9-]+)+")  # private-use schemes by RFC 8252, section 7.1
APP_SCHEMES = frozenset({"cursor", "vscode", "vscode-insiders", "vscodium", "windsurf", "zed", "raycast", "lmstudio"})


def invalid_redirect(reason: str) -> OAuthError:
    return OAuthError("invalid_redirect_uri", f"The redirect URI {reason}.")


def check_redirect_uri(uri: object) -> str:
    """The URI, if a client may register it. Raises OAuthError with the reason."""
    if not isinstance(uri, str) or not 0 < len(uri) <= LONGEST:
        raise invalid_redirect(f"is not a text of 1 to {LONGEST} characters")
    if not PLAIN.fullmatch(uri) or "#" in uri:
        raise invalid_redirect("has a fragment or characters that URIs do not have")
    try:
        parts = split_url(uri)
        _ = parts.port
    except ValueError:
        raise invalid_redirect("is malformed") from None
    if parts.scheme in ("http", "https"):
        _check_web_address(parts)
    elif not (REVERSE_DOMAIN.fullmatch(parts.scheme) or parts.scheme in APP_SCHEMES):
        raise invalid_redirect("has a scheme that is not accepted; use https, or http on loopback")
    if any(unquote(segment) in (".", "..") for segment in parts.path.split("/")):
        raise invalid_redirect("has dot segments")
    return uri


def _check_web_address(parts: SplitResult) -> None:
    if "@" in parts.netloc or "%" in parts.netloc or not parts.hostname:
        raise invalid_redirect("has credentials, an escape in its host, or no host")
    if parts.netloc != parts.netloc.lower():
        raise invalid_redirect("has capital letters in its host")
    if parts.scheme == "http" and parts.hostname not in LOOPBACK:
        raise invalid_redirect("uses http beyond loopback; use https")


def is_loopback(uri: str) -> bool:
    """Whether the URI leads to a program on the user's own machine, which any other program there can impersonate."""
    parts = split_url(uri)
    return parts.scheme == "http" and parts.hostname in LOOPBACK


def get_redirect_host(uri: str) -> str:
    """The host of the URI for people, or the scheme of an application.

    What stands in the place of the host of an application's URI says nothing about who receives the answer.
    """
    parts = split_url(uri)
    return parts.hostname if parts.hostname and parts.scheme in ("http", "https") else f"{parts.scheme}:"


def is_registered(uri: str, registered: tuple[str, ...]) -> bool:
    """Whether the URI equals a registered one. The port of a loopback address is ignored: clients choose it late."""
    if uri in registered:
        return True
    try:
        check_redirect_uri(uri)
    except OAuthError:
        return False
    return is_loopback(uri) and any(is_loopback(one) and _without_port(one) == _without_port(uri) for one in registered)


def _without_port(uri: str) -> tuple[str, ...]:
    parts = split_url(uri)
    return parts.scheme, parts.hostname or "", parts.path, parts.query
