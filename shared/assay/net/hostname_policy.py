"""Which host names a caller's URL may hold: not those that mean this machine, its network or its cloud."""

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
    """Domains with all that is below them: `host in domains` ends at the border of a label."""

    def __init__(self, names: Iterable[str]) -> None:
        self._ends = tuple(f".{name}" for name in names)

    def __bool__(self) -> bool:
        return bool(self._ends)

    def __contains__(self, host: str) -> bool:
        return f".{host}".endswith(self._ends)


_METADATA, _HIDDEN, _LOCAL = Domains(METADATA), Domains(HIDDEN), Domains(LOCAL)


def violation(host: str, private: bool = False) -> str | None:
    """What is wrong with a canonical host name as a destination, None if nothing. `private` opens local names."""
    if host in _METADATA:
        return "a cloud metadata service"
    if host in _HIDDEN:
        return "a hidden service"
    if private:
        return None
    if host in _LOCAL:
        return "a local name"
    return None if "." in host else "a name without a domain"
