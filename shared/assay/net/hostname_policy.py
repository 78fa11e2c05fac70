"""Forbidden host names: local names, cloud metadata services and hidden services."""

from collections.abc import Iterable

METADATA = (
    "metadata.google.internal",
    "metadata.goog",
    "metadata.azure.com",
    "metadata.azure.internal",
    "metadata.tencentyun.com",
    "metadata.oraclecloud.com",
    "metadata.platformequinix.com",
    "metadata.packet.net",
    "metadata",
    "instance-data",
    "instance-data.ec2.internal",
    "rancher-metadata",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "svc.cluster.local",
    "cluster.local",
)
HIDDEN = ("onion",)
LOCAL = ("localhost", "localdomain", "local", "internal", "home.arpa")


class Domains:
    """Domains including their subdomains: `host in domains` compares whole labels."""

    def __init__(self, names: Iterable[str]) -> None:
        self._ends = tuple(f".{name}" for name in names)

    def __bool__(self) -> bool:
        return bool(self._ends)

    def __contains__(self, host: str) -> bool:
        return f".{host}".endswith(self._ends)


_METADATA, _HIDDEN, _LOCAL = Domains(METADATA), Domains(HIDDEN), Domains(LOCAL)


def find_violation(host: str, private: bool = False) -> str | None:
    """Why a canonical host name is forbidden, as a noun phrase; None if it is allowed. `private` allows local names."""
    if host in _METADATA:
        return "a cloud metadata service"
    if host in _HIDDEN:
        return "a hidden service"
    if private:
        return None
    if host in _LOCAL:
        return "a local name"
    return None if "." in host else "a name without a domain"
