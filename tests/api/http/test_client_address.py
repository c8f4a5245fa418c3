"""The caller's address never depends on headers that the caller controls."""

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from api.http.client_address import (
    NO_ADDRESS,
    Network,
    client_address,
    client_network,
    limited_address,
)
from tests.support.core.engine import LiveEngine

PRIVATE: tuple[Network, ...] = (ip_network("10.0.0.0/8"), ip_network("fd00::/8"))
PROXY, OUTER_PROXY, PROXY_6 = "10.0.0.1", "10.0.0.2", "fd00::1"

PUBLIC = st.ip_addresses(v=4).filter(lambda address: address not in PRIVATE[0])
PUBLIC_6 = st.integers(0x2000 << 112, (0x3000 << 112) - 1).map(IPv6Address)
# Anything that a caller could write: any valid header value, and values that look like hops.
HOPS = (
    st.text(st.characters(max_codepoint=255))
    | st.ip_addresses().map(str)
    | st.builds("{}:{}".format, st.ip_addresses(v=4), st.integers(0, 99999))
    | st.builds("[{}]:{}".format, st.ip_addresses(v=6), st.integers(0, 99999))
    | st.sampled_from(["", ",", "unknown", "_hidden", "[", "]", "[]", ":", "::", "1.2.3.4:", "%"])
)
LINES = st.lists(st.lists(HOPS, max_size=5).map(",".join), max_size=4)


@pytest.mark.parametrize(
    ("peer", "lines", "expected"),
    [
        # No proxy is trusted.
        ("203.0.113.7", [], "203.0.113.7"),
        ("203.0.113.7", ["198.51.100.1"], "203.0.113.7"),
        # A proxy appends the address of its peer.
        (PROXY, ["198.51.100.1"], "198.51.100.1"),
        (PROXY, ["1.1.1.1, 198.51.100.1"], "198.51.100.1"),
        (PROXY, ["1.1.1.1", "2.2.2.2,198.51.100.1"], "198.51.100.1"),
        (PROXY, ["198.51.100.1", OUTER_PROXY], "198.51.100.1"),
        (PROXY, [f"1.1.1.1, 198.51.100.1 ,\t{OUTER_PROXY}"], "198.51.100.1"),
        # All hops are ours: the farthest one.
        (PROXY, [], PROXY),
        (PROXY, [OUTER_PROXY], OUTER_PROXY),
        # A hop without an address: the proxy that forwarded it.
        (PROXY, ["198.51.100.1, unknown"], PROXY),
        (PROXY, [f"198.51.100.1, garbage, {OUTER_PROXY}"], OUTER_PROXY),
        (PROXY, ["198.51.100.1,"], PROXY),
        (PROXY, ["010.1.1.1"], PROXY),
        (PROXY, [""], PROXY),
        # With ports, in brackets.
        (PROXY, ["198.51.100.1:4711"], "198.51.100.1"),
        (PROXY, ["[2001:db8:1:2:3::4]:4711"], "2001:db8:1:2:3::4"),
        (PROXY, ["[2001:db8:1:2:3::4]"], "2001:db8:1:2:3::4"),
        (PROXY, ["2001:db8:1:2:3::4"], "2001:db8:1:2:3::4"),
        (PROXY, ["198.51.100.1:port"], PROXY),
        (PROXY, ["[2001:db8::4]4711"], PROXY),
        (PROXY, ["[198.51.100.1]:4711"], "198.51.100.1"),
        # IPv6, and IPv4 mapped to it.
        ("2001:db8:1:2:3::4", [], "2001:db8:1:2:3::4"),
        ("fe80::1%eth0", [], "fe80::1"),
        (PROXY_6, ["198.51.100.1"], "198.51.100.1"),
        ("::ffff:203.0.113.7", [], "203.0.113.7"),
        ("::ffff:10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        (PROXY, ["::ffff:198.51.100.1"], "198.51.100.1"),
        (PROXY, ["198.51.100.1, ::ffff:10.0.0.2"], "198.51.100.1"),
        # A connection without an address.
        (None, ["198.51.100.1"], None),
        ("", ["198.51.100.1"], None),
    ],
)
def test_whose_address(peer: str | None, lines: Sequence[str], expected: str | None) -> None:
    found = client_address(peer, lines, PRIVATE)

    assert (None if found is None else str(found)) == expected


@given(peer=st.ip_addresses(), lines=LINES)
def test_header_says_nothing_without_a_trusted_proxy(
    peer: IPv4Address | IPv6Address, lines: list[str]
) -> None:
    assert client_address(str(peer), lines, ()) == client_address(str(peer), [], ())


@given(peer=PUBLIC, lines=LINES)
def test_header_of_a_stranger_says_nothing(peer: IPv4Address, lines: list[str]) -> None:
    assert client_address(str(peer), lines, PRIVATE) == peer


@given(caller=PUBLIC | PUBLIC_6, lines=LINES, proxies=st.lists(st.just(OUTER_PROXY), max_size=3))
def test_what_a_caller_writes_never_outweighs_its_address(
    caller: IPv4Address | IPv6Address, lines: list[str], proxies: list[str]
) -> None:
    """Proxies append to the existing value, in the same header line or in another."""
    expected = client_address(str(caller), [], ())
    hops = [str(caller), *proxies]
    joined = [*lines[:-1], ", ".join([*lines[-1:], *hops])]

    assert client_address(PROXY, joined, PRIVATE) == expected
    assert client_address(PROXY, [*lines, *hops], PRIVATE) == expected


@given(peer=st.none() | HOPS, lines=LINES)
def test_never_breaks(peer: str | None, lines: list[str]) -> None:
    client_address(peer, lines, PRIVATE)


def test_long_chain_is_read_fast() -> None:
    """Request headers have at most 64 KiB."""
    line = ",".join([OUTER_PROXY] * 7000)

    assert str(client_address(PROXY, [line], PRIVATE)) == OUTER_PROXY


@pytest.mark.parametrize(
    ("peer", "limited", "kept"),
    [
        ("203.0.113.7", "203.0.113.7", "203.0.113.0/24"),
        # A provider assigns such a network to each customer.
        ("2001:db8:1:2:3::4", "2001:db8:1:2::/64", "2001:db8:1::/48"),
        (None, NO_ADDRESS, NO_ADDRESS),
    ],
)
def test_what_limits_count_on_and_what_records_keep(
    front: LiveEngine, peer: str | None, limited: str, kept: str
) -> None:
    client = None if peer is None else (peer, 1)
    request = Request({"type": "http", "headers": [], "client": client, "app": front.app})

    assert limited_address(request) == limited
    assert client_network(request) == kept
