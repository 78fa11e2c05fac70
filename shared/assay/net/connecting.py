"""Explains connection failures: DNS, TLS, refused, reset or timed-out connections."""

import errno
import socket
import ssl

from assay.net.exceptions import Reason

UNKNOWN_ISSUER = {18, 19, 20, 21}  # OpenSSL: self-signed, or an issuer that is not in the bundle
PRIVATE_AUTHORITY_HINT = "; add a private authority to the file that SSL_CERT_FILE names"


def explain_failure(failure: BaseException | None) -> tuple[Reason, str]:
    """The reason, and a phrase that continues a sentence after the host name; it contains no IP address."""
    match failure:
        case ssl.SSLCertVerificationError():
            return "tls", explain_certificate(failure.verify_message, failure.verify_code)
        case ssl.SSLError():
            reason = (failure.reason or "").replace("_", " ").lower()
            return "tls", f"fails at TLS ({reason})" if reason else "fails at TLS"
        case socket.gaierror():
            return "dns", "has no address; check the name"
        case ConnectionRefusedError():
            return "refused", "refuses connections"
        case ConnectionResetError():
            return "reset", "closed the connection immediately"
        case TimeoutError():
            return "timeout", "does not respond in time"
        case OSError(errno=errno.ENETUNREACH | errno.EHOSTUNREACH):
            return "other", "cannot be reached from here"
    return "other", "cannot be connected to"


def explain_certificate(detail: str, code: int) -> str:
    """The phrase for a certificate that is not trusted; `code` is OpenSSL's result of verification."""
    hint = PRIVATE_AUTHORITY_HINT if code in UNKNOWN_ISSUER else ""
    return f"has no trusted certificate ({detail}{hint})" if detail else "has no trusted certificate"


def find_cause(failure: BaseException) -> BaseException:
    """The operating system's error that caused a library's error, or the latter if none is more specific."""
    seen: list[BaseException] = []
    one: BaseException | None = failure
    while one is not None and one not in seen:
        if isinstance(one, OSError) and explain_failure(one)[0] != "other":
            return one
        seen.append(one)
        one = one.exceptions[0] if isinstance(one, BaseExceptionGroup) else one.__cause__ or one.__context__
    return next((one for one in seen if isinstance(one, OSError)), failure)
