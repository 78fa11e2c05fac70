"""Proof Key for Code Exchange (RFC 7636) with the method S256, the only one that is accepted."""

import base64
import hashlib
import hmac
import re

from assay.oauth.oauth_errors import invalid_request

CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")


def check_challenge(challenge: str, method: str) -> None:
    """Raises OAuthError for a missing or malformed challenge, and for the method `plain`."""
    if not challenge:
        raise invalid_request("code_challenge is required (PKCE).")
    if method != "S256":
        raise invalid_request("code_challenge_method must be S256.")
    if not CHALLENGE.fullmatch(challenge):
        raise invalid_request("code_challenge is not a SHA-256 in base64url.")


def build_challenge(verifier: str) -> str:
    """The challenge of the verifier."""
    return base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=").decode()


def is_verified(challenge: str, verifier: str) -> bool:
    """Whether the verifier belongs to the challenge."""
    return VERIFIER.fullmatch(verifier) is not None and hmac.compare_digest(build_challenge(verifier), challenge)
