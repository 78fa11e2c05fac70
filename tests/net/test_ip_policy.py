"""Every special range is refused from its first address to its last, and what lies beside it is not."""

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.net.ip_policy import LOOPBACK, METADATA, PRIVATE, find_violation

SPECIAL_4 = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "255.255.255.255/32",
]
SPECIAL_6 = [
    "::/128",
    "::1/128",
    "::/96",
    "::ffff:0:0/96",
    "::ffff:0:0:0/96",
    "64:ff9b:1::/48",
    "100::/64",
    "100:0:0:1::/64",
    "2001::/23",
    "2001::/32",
    "2001:1::1/128",
    "2001:1::2/128",
    "2001:2::/48",
    "2001:3::/32",
    "2001:4:112::/48",
    "2001:10::/28",
    "2001:20::/28",
    "2001:30::/28",
    "2001:db8::/32",
    "2002::/16",
    "2620:4f:8000::/48",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
]
BESIDE = [
    "1.0.0.0", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0",
    "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "191.255.255.255", "192.0.1.0", "192.0.3.0",
    "192.31.195.255", "192.31.197.0", "192.52.192.255", "192.52.194.0", "192.88.98.255", "192.88.100.0",
    "192.167.255.255", "192.169.0.0", "192.175.47.255", "192.175.49.0", "198.17.255.255", "198.20.0.0",
    "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "168.63.129.15", "2000::1",
    "2001:200::1", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2620:4f:7fff::1", "2620:4f:8001::1",
    "2606:4700:4700::1111", "2a00:1450:4001:831::200e", "3ffe:ffff::1", "3fff:1000::1",
]  # fmt: skip
SERVICES = [
    "169.254.169.254", "169.254.170.2", "169.254.170.23", "168.63.129.16", "100.100.100.200", "192.0.0.192",
    "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254", "fd00:c1::a9fe:a9fe", "fd00:42::42",
]  # fmt: skip


@pytest.mark.parametrize("net", SPECIAL_4 + SPECIAL_6)
def test_a_special_range_is_refused_at_both_ends_and_in_the_middle(net):
    net = ip_network(net)
    for address in (net[0], net[net.num_addresses // 2], net[-1]):
        assert find_violation(str(address)), address


OPENED = {"10.0.0.0/8", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "::1/128"}


@pytest.mark.parametrize("net", SPECIAL_4 + SPECIAL_6)
def test_only_loopback_and_private_ranges_open(net):
    assert (find_violation(str(ip_network(net)[0]), private=True) is None) == (net in OPENED)
    assert (find_violation(str(ip_network(net)[-1]), private=True) is None) == (net in OPENED)


@pytest.mark.parametrize("address", BESIDE)
def test_what_lies_beside_a_special_range_is_reached(address):
    assert find_violation(address) is None


@pytest.mark.parametrize("address", SERVICES)
@pytest.mark.parametrize("private", [False, True])
def test_metadata_services_are_refused_always(address, private):
    assert find_violation(address, private) == METADATA


FORMS = [
    "::",
    "::ffff:0:0",
    "::ffff:0:0:0",
    "64:ff9b::",
    "64:ff9b:1::",
    "fe80::5efe:0:0",
    "2600::5efe:0:0",
    "2600::200:5efe:0:0",
]
INNER = [
    "127.0.0.1",
    "10.1.2.3",
    "169.254.169.254",
    "168.63.129.16",
    "192.168.0.1",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
]


@pytest.mark.parametrize("inner", INNER)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("private", [False, True])
def test_no_ipv6_form_smuggles_an_ipv4_address(inner, form, private):
    address = IPv6Address(int(IPv6Address(form)) | int(IPv4Address(inner)))
    assert find_violation(str(address), private), address


def test_a_tunnel_to_a_metadata_service_is_named_as_such():
    assert find_violation("2002:a9fe:a9fe::1", private=True) == METADATA
    assert find_violation("2001:0:7f00:1::", private=True) == "a Teredo address"
    assert (
        find_violation("2001:0:4136:e378:8000:63bf:5601:5601", private=True) == METADATA
    )  # the client, its bits turned


@pytest.mark.parametrize("address", ["64:ff9b::808:808", "64:ff9b::1.1.1.1"])
def test_nat64_of_a_public_host_is_reached(address):
    assert find_violation(address) is None


@pytest.mark.parametrize("address", ["127.0.0.1", "127.255.255.254", "::1"])
def test_loopback_is_called_loopback_and_opens(address):
    assert find_violation(address) == LOOPBACK
    assert find_violation(address, private=True) is None


@pytest.mark.parametrize("address", ["10.0.0.1", "172.31.255.255", "192.168.1.1", "fd12:3456::1"])
def test_private_addresses_are_called_private_and_open(address):
    assert find_violation(address) == PRIVATE
    assert find_violation(address, private=True) is None


@pytest.mark.parametrize(
    "text", ["", "localhost", "127.1", "0x7f000001", "1.2.3.4:80", "[::1]", "fe80::1%eth0", "::1%lo", "2600::1%1"]
)
def test_what_is_not_a_plain_address_is_refused(text):
    assert find_violation(text)


def test_the_words_hold_no_address():
    assert "10." not in find_violation("10.1.2.3")
    assert "127" not in find_violation("64:ff9b::7f00:1")


@given(st.integers(0, 2**32 - 1))
def test_nothing_that_the_library_calls_special_passes_in_ipv4(number):
    address = ip_address(number)
    if not address.is_global or address.is_multicast:
        assert find_violation(str(address))


@given(
    st.one_of(
        st.integers(2**32, 2**128 - 1),
        st.integers(0x2000 << 112, 0x2004 << 112),
        st.integers(0x3FF0 << 112, 0x4000 << 112),
    )
)
def test_nothing_that_the_library_calls_special_passes_in_ipv6(number):
    address = IPv6Address(number)
    if not address.is_global or address.is_multicast or address.is_site_local:
        assert find_violation(str(address))
