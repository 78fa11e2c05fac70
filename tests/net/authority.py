"""Certificates as a company's own authority issues them, with extensions left out."""

import datetime as dt
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


class Authority:
    """A root certificate and a server's, without key identifiers; `key_usage` says whether the root declares its use."""

    def __init__(self, *, key_usage: bool = True) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Otter Works Internal")])
        builder = self._begin(self._name, self._key).add_extension(x509.BasicConstraints(True, None), critical=True)
        if key_usage:
            builder = builder.add_extension(
                x509.KeyUsage(False, False, False, False, False, True, True, False, False), critical=True
            )
        self._root = builder.sign(self._key, hashes.SHA256())

    def environ(self, folder: Path) -> dict[str, str]:
        """The environment in which it is trusted."""
        path = folder / "company.pem"
        path.write_bytes(self._root.public_bytes(serialization.Encoding.PEM))
        return {"SSL_CERT_FILE": str(path)}

    def context(self, host: str, folder: Path, *, days: int = 30) -> ssl.SSLContext:
        """A server's context with a certificate for `host` that ends in so many days."""
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
        builder = self._begin(name, key, days).add_extension(
            x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False
        )
        path = folder / f"{host}.pem"
        path.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context

    def _begin(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, days: int = 30) -> x509.CertificateBuilder:
        now = dt.datetime.now(dt.UTC)
        return x509.CertificateBuilder(
            issuer_name=self._name,
            subject_name=subject,
            public_key=key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=now - dt.timedelta(days=60),
            not_valid_after=now + dt.timedelta(days=days),
        )
