"""The security headers of every HTTP response."""

from collections.abc import Mapping

# Responses are data: no sniffing, no embedding, no referrer. See OWASP, "HTTP Security Response Headers".
SECURITY_HEADERS: Mapping[str, str] = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
}
