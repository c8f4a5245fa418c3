"""Forbidden addresses: each range by name, and addresses that embed one."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.webhooks.address_guard import canonical, forbidden

PUBLIC = (
    "1.1.1.1", "8.8.8.8", "93.184.216.34", "100.63.255.255", "100.128.0.0", "172.15.255.255",
    "172.32.0.0", "192.0.1.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
    "2606:4700::1111", "2a00:1450::1", "2001:4860::8888", "2003::1", "::ffff:8.8.8.8",
)  # fmt: skip
OUR_OWN = (
    "127.0.0.1", "127.255.255.255", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
    "100.64.0.1", "::1", "fc00::1", "fdff::1", "::ffff:127.0.0.1", "::ffff:10.1.2.3",
)  # fmt: skip
NEVER = (
    "0.0.0.0", "0.1.2.3", "169.254.0.1", "169.254.169.254", "100.100.100.200", "168.63.129.16",
    "192.0.0.8", "192.0.0.192", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255",
    "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255",
    "::", "::2", "::127.0.0.1", "::8.8.8.8", "::ffff:0:127.0.0.1", "::ffff:169.254.169.254",
    "64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b::808:808", "64:ff9b:1::1", "100::1",
    "100:0:0:1::1", "2001::1", "2001:1::1", "2001:2::1", "2001:10::1", "2001:20::1", "2001:db8::1",
    "2002:7f00:1::", "2002:808:808::1", "3fff::1", "5f00::1", "fd00:ec2::254", "fd20:ce::254",
    "fe80::1", "febf::1", "fe80::1%eth0", "2606:4700::1%eth0", "fec0::1", "ff02::1", "ff0e::1",
    "4000::1", "8000::1", "e000::1", "200::1",
)  # fmt: skip

v4 = st.integers(0, 2**32 - 1).map(IPv4Address)
v6 = st.integers(0, 2**128 - 1).map(IPv6Address)


@pytest.mark.parametrize("text", PUBLIC)
def test_a_public_address_is_allowed(text: str) -> None:
    assert forbidden(ip_address(text), False) is None
    assert forbidden(ip_address(text), True) is None


@pytest.mark.parametrize("text", OUR_OWN)
def test_a_private_address_is_allowed_by_the_setting_alone(text: str) -> None:
    assert forbidden(ip_address(text), False)
    assert forbidden(ip_address(text), True) is None


@pytest.mark.parametrize("text", NEVER)
def test_what_is_never_allowed(text: str) -> None:
    assert forbidden(ip_address(text), False)
    assert forbidden(ip_address(text), True)


@given(v4 | v6)
def test_what_is_allowed_is_global_unicast(address: IPv4Address | IPv6Address) -> None:
    if forbidden(address, False) is None:
        plain = canonical(address)
        assert plain.is_global
        assert not plain.is_multicast
        assert not plain.is_private
        assert not plain.is_reserved


@given(v4 | v6)
def test_the_setting_forbids_nothing_more(address: IPv4Address | IPv6Address) -> None:
    if forbidden(address, True):
        assert forbidden(address, False)


@given(v4, st.booleans())
def test_a_mapped_address_is_what_it_maps(address: IPv4Address, private: bool) -> None:
    mapped = IPv6Address(0xFFFF << 32 | int(address))
    assert forbidden(mapped, private) == forbidden(address, private)


@given(v4, st.integers(0, 2**32 - 1), st.integers(0, 2**80 - 1), st.booleans())
def test_no_tunnel_leads_anywhere(
    address: IPv4Address, server: int, rest: int, private: bool
) -> None:
    """Every form of an IPv4 address within an IPv6 address that networks translate or unpack."""
    inner = int(address)
    carriers = (
        inner,
        0xFFFF << 48 | inner,
        0x64FF9B << 96 | inner,
        0x64FF9B0001 << 80 | rest & (2**48 - 1) << 32 | inner,
        0x2002 << 112 | inner << 80 | rest,
        0x20010000 << 96 | server << 64 | inner ^ 0xFFFFFFFF,
        0x20010000 << 96 | inner << 64 | server,
    )
    for carrier in carriers:
        found = IPv6Address(carrier)
        loopback = found == IPv6Address("::1")
        assert forbidden(found, private) or (private and loopback)
