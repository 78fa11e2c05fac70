"""TLS settings: the bundle of trusted certificates of all clients, and the context of the provider client."""

import ssl
from functools import lru_cache
from pathlib import Path

from assay.errors import ConfigError
from assay.settings import Settings


def find_bundle(settings: Settings) -> str:
    """The file of trusted certificates: SSL_CERT_FILE, else that of certifi. Raises ConfigError."""
    path = settings.key("SSL_CERT_FILE")
    if path and not Path(path).is_file():
        raise unreadable_bundle()
    if path:
        return path
    import certifi

    return certifi.where()


@lru_cache(maxsize=4)
def build_context(cafile: str) -> ssl.SSLContext:
    """A client context that verifies certificates and host names and offers HTTP/1.1. Raises ConfigError."""
    try:
        created = ssl.create_default_context(cafile=cafile)
    except OSError as failure:
        raise unreadable_bundle() from failure
    # Python 3.13 rejects certificates that browsers and curl accept: private authorities often omit the Authority Key
    # Identifier or the key usage. Signatures, names, dates and the chain are still verified.
    created.verify_flags &= ~ssl.VERIFY_X509_STRICT
    created.set_alpn_protocols(["http/1.1"])
    return created


def unreadable_bundle() -> ConfigError:
    """The error for a file of trusted certificates that is missing or contains none."""
    return ConfigError(
        "The file of trusted certificates cannot be read; set SSL_CERT_FILE to a file in PEM form, or unset it.",
        field="SSL_CERT_FILE",
        action="inform_user",
    )
