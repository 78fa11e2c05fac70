"""Forbidden IP addresses: private, reserved and special-purpose ranges, and cloud metadata services.

Sources: the IANA special-purpose registries for IPv4 and IPv6, the IPv6 address space registry, and the documentation
of the clouds. `ipaddress.is_global` is not used, because its table differs between Python versions.
"""

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

METADATA = "a cloud metadata service"
LOOPBACK = "a loopback address"
PRIVATE = "a private address"
ALLOWED_IF_PRIVATE = {LOOPBACK, PRIVATE}  # what ALLOW_PRIVATE_IPS allows

SERVICES = frozenset(
    ip_address(text)
    for text in (
        "169.254.169.254",  # AWS, GCP, Azure, DigitalOcean, OpenStack …
        "169.254.170.2",  # AWS ECS
        "169.254.170.23",  # AWS EKS
        "169.254.169.253",  # AWS, the network's resolver
        "168.63.129.16",  # Azure, inside public address space
        "100.100.100.200",  # Alibaba
        "192.0.0.192",  # Oracle
        "fd00:ec2::254",  # AWS
        "fd00:ec2::23",  # AWS EKS
        "fd00:ec2::253",  # AWS, the network's resolver
        "fd20:ce::254",  # GCP
        "fd00:c1::a9fe:a9fe",  # Oracle
        "fd00:42::42",  # Scaleway
    )
)

RANGES_4 = (
    ("0.0.0.0/8", "this network"),
    ("10.0.0.0/8", PRIVATE),
    ("100.64.0.0/10", "shared address space"),
    ("127.0.0.0/8", LOOPBACK),
    ("169.254.0.0/16", "a link-local address"),
    ("172.16.0.0/12", PRIVATE),
    ("192.0.0.0/24", "an address for protocols"),
    ("192.0.2.0/24", "an address for documentation"),
    ("192.31.196.0/24", "an address for protocols"),
    ("192.52.193.0/24", "an address for protocols"),
    ("192.88.99.0/24", "a 6to4 relay"),
    ("192.168.0.0/16", PRIVATE),
    ("192.175.48.0/24", "an address for protocols"),
    ("198.18.0.0/15", "an address for benchmarks"),
    ("198.51.100.0/24", "an address for documentation"),
    ("203.0.113.0/24", "an address for documentation"),
    ("224.0.0.0/4", "a multicast address"),
    ("240.0.0.0/4", "a reserved address"),
)

RANGES_6 = (
    ("::/128", "no address"),
    ("::1/128", LOOPBACK),
    ("::ffff:0:0/96", "an IPv4-mapped address"),
    ("::ffff:0:0:0/96", "an IPv4-translated address"),
    ("::/96", "an IPv4-compatible address"),
    ("64:ff9b:1::/48", "a local NAT64 address"),
    ("100::/64", "a discard-only address"),
    ("100:0:0:1::/64", "a dummy address"),
    ("2001::/32", "a Teredo address"),
    ("2001::/23", "an address for protocols"),
    ("2001:db8::/32", "an address for documentation"),
    ("2002::/16", "a 6to4 address"),
    ("2620:4f:8000::/48", "an address for protocols"),
    ("3fff::/20", "an address for documentation"),
    ("5f00::/16", "a segment routing address"),
    ("fc00::/7", PRIVATE),
    ("fe80::/10", "a link-local address"),
    ("fec0::/10", "a site-local address"),
    ("ff00::/8", "a multicast address"),
)

TABLE_4 = tuple((IPv4Network(net), what) for net, what in RANGES_4)
TABLE_6 = tuple((IPv6Network(net), what) for net, what in RANGES_6)
GLOBAL_6 = IPv6Network("2000::/3")
NAT64 = IPv6Network("64:ff9b::/96")
ISATAP = (0x00005EFE, 0x02005EFE)  # bits 32 to 63 of an address that ends with an IPv4 address (RFC 5214)


@lru_cache(maxsize=8192)
def find_violation(text: str, private: bool = False) -> str | None:
    """Why the IP address `text` is forbidden, as a noun phrase without the address; None if it is allowed.

    `private` allows loopback and private addresses.
    """
    try:
        address = ip_address(text)
    except ValueError:
        return "an invalid IP address"
    what = _violation_4(address) if isinstance(address, IPv4Address) else _violation_6(address)
    return None if private and what in ALLOWED_IF_PRIVATE else what


def _violation_4(address: IPv4Address) -> str | None:
    if address in SERVICES:
        return METADATA
    return next((what for net, what in TABLE_4 if address in net), None)


def _violation_6(address: IPv6Address) -> str | None:
    if address.scope_id:
        return "an address with a zone"
    if address in SERVICES or METADATA in map(_violation_4, _embedded_ipv4(address)):
        return METADATA
    if address in NAT64:
        what = _violation_4(_low_bits(address))
        return what and f"a NAT64 form of {what}"
    range_name = next((what for net, what in TABLE_6 if address in net), None)
    if range_name or address not in GLOBAL_6:
        return range_name or "a reserved address"
    if int(address) >> 32 & 0xFFFFFFFF in ISATAP and _violation_4(_low_bits(address)):
        return "an ISATAP address"
    return None


def _embedded_ipv4(address: IPv6Address) -> list[IPv4Address]:
    """The IPv4 addresses that translators and tunnels may extract from an IPv6 address."""
    embedded = [_low_bits(address)]
    if address.sixtofour:
        embedded.append(address.sixtofour)
    if address.teredo:
        embedded.extend(address.teredo)
    return embedded


def _low_bits(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & 0xFFFFFFFF)
