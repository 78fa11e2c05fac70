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


def within(host: str, domains: Iterable[str]) -> bool:
    """Whether the host is one of the domains or below one, at the border of a label."""
    return any(host == domain or host.endswith("." + domain) for domain in domains)


def fault(host: str, private: bool = False) -> str | None:
    """What is wrong with a canonical host name as a destination, None if nothing. `private` opens local names."""
    if within(host, METADATA):
        return "a cloud metadata service"
    if within(host, HIDDEN):
        return "a hidden service"
    if private:
        return None
    if within(host, LOCAL):
        return "a local name"
    return None if "." in host else "a name without a domain"
