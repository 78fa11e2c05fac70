"""Why no connection came about: the name, the host, its port and its certificate fail in different ways."""

import errno
import socket
import ssl

from assay.net.exceptions import Reason

UNKNOWN_AUTHORITY = {18, 19, 20, 21}  # OpenSSL: self-signed, or an issuer that is not in the bundle
OWN_AUTHORITY = "; an authority of your own network belongs in the file that SSL_CERT_FILE names"


def explain_failure(failure: BaseException | None) -> tuple[Reason, str]:
    """The reason and words that follow the host's name; they hold no address."""
    match failure:
        case ssl.SSLCertVerificationError():
            hint = OWN_AUTHORITY if failure.verify_code in UNKNOWN_AUTHORITY else ""
            return "tls", f"has no certificate to be trusted ({failure.verify_message}{hint})"
        case ssl.SSLError():
            reason = (failure.reason or "").replace("_", " ").lower()
            return "tls", f"fails at TLS ({reason})" if reason else "fails at TLS"
        case socket.gaierror():
            return "dns", "has no address that can be found; check the name"
        case ConnectionRefusedError():
            return "refused", "refuses connections"
        case ConnectionResetError():
            return "reset", "closed the connection at once"
        case TimeoutError():
            return "timeout", "does not answer in time"
        case OSError(errno=errno.ENETUNREACH | errno.EHOSTUNREACH):
            return "other", "cannot be reached from here"
    return "other", "cannot be connected to"


def find_cause(failure: BaseException) -> BaseException:
    """The operating system's own error below a library's, or the library's where none of those says more."""
    seen: list[BaseException] = []
    one: BaseException | None = failure
    while one is not None and one not in seen:
        if isinstance(one, OSError) and explain_failure(one)[0] != "other":
            return one
        seen.append(one)
        one = one.exceptions[0] if isinstance(one, BaseExceptionGroup) else one.__cause__ or one.__context__
    return next((one for one in seen if isinstance(one, OSError)), failure)
