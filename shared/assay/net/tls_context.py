"""Whom we trust to vouch for a server: one bundle of certificates for every client."""

import ssl
from functools import lru_cache
from pathlib import Path

from assay.errors import ConfigError
from assay.settings import Settings


def bundle(settings: Settings) -> str:
    """The file of trusted certificates: SSL_CERT_FILE, else the one that comes with httpx. Raises ConfigError."""
    given = settings.key("SSL_CERT_FILE")
    if given and not Path(given).is_file():
        raise _unreadable()
    if given:
        return given
    import certifi

    return certifi.where()


@lru_cache(maxsize=4)
def context(cafile: str) -> ssl.SSLContext:
    """A client's context that checks certificates and names; HTTP/1.1 is all it offers."""
    try:
        made = ssl.create_default_context(cafile=cafile)
    except OSError as failure:
        raise _unreadable() from failure
    # Python 3.13 refuses certificates that browsers and curl take: authorities of companies often leave out the
    # Authority Key Identifier or the key usage. Signatures, names, times and the chain are checked as before.
    made.verify_flags &= ~ssl.VERIFY_X509_STRICT
    made.set_alpn_protocols(["http/1.1"])
    return made


def _unreadable() -> ConfigError:
    return ConfigError(
        "The file of trusted certificates cannot be read; set SSL_CERT_FILE to a file in PEM form, or unset it.",
        field="SSL_CERT_FILE",
        action="inform_user",
    )
