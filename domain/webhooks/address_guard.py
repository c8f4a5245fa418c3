"""SSRF protection: decide which IP addresses the service may connect to for a merchant's URL.

Python's `is_global` is True for multicast and for tunnels to any IPv4 address, and depends on the
Python version. An address must therefore be global and in none of the denied networks below.
"""

from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_network
from typing import Final

Address = IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True)
class _Denied:
    """A denied network. `private` means that it may be an installation's internal network, which a
    setting can allow."""

    network: IPv4Network | IPv6Network
    reason: str
    private: bool


def _denied(network: str, reason: str, *, private: bool = False) -> _Denied:
    return _Denied(ip_network(network), reason, private)


# The first network that contains the address determines the reason, so narrow networks precede
# wider ones.
_TABLE: Final = (
    # Metadata services return the machine's own credentials, so they are denied even if private
    # networks are allowed. Azure's metadata service has a public address, so no other entry denies
    # it.
    _denied("169.254.169.254/32", "a cloud's metadata"),
    _denied("100.100.100.200/32", "a cloud's metadata"),
    _denied("168.63.129.16/32", "a cloud's metadata"),
    _denied("fd00:ec2::/32", "a cloud's metadata"),
    _denied("fd20:ce::/32", "a cloud's metadata"),
    _denied("0.0.0.0/8", "unspecified"),
    _denied("10.0.0.0/8", "private", private=True),
    _denied("100.64.0.0/10", "shared by a carrier's customers", private=True),
    _denied("127.0.0.0/8", "loopback", private=True),
    _denied("169.254.0.0/16", "link-local"),
    _denied("172.16.0.0/12", "private", private=True),
    _denied("192.0.0.0/24", "kept for protocols"),
    _denied("192.0.2.0/24", "documentation"),
    _denied("192.88.99.0/24", "6to4"),
    _denied("192.168.0.0/16", "private", private=True),
    _denied("198.18.0.0/15", "benchmarks"),
    _denied("198.51.100.0/24", "documentation"),
    _denied("203.0.113.0/24", "documentation"),
    _denied("224.0.0.0/4", "multicast"),
    _denied("255.255.255.255/32", "broadcast"),
    _denied("240.0.0.0/4", "reserved"),
    _denied("::/128", "unspecified"),
    _denied("::1/128", "loopback", private=True),
    _denied("::/96", "IPv4 within IPv6"),
    _denied("::ffff:0:0:0/96", "IPv4 translated"),
    _denied("64:ff9b::/96", "NAT64"),
    _denied("64:ff9b:1::/48", "NAT64"),
    _denied("100::/64", "discard"),
    _denied("100:0:0:1::/64", "discard"),
    _denied("2001::/32", "Teredo"),
    _denied("2001::/23", "kept for protocols"),
    _denied("2001:db8::/32", "documentation"),
    _denied("2002::/16", "6to4"),
    _denied("3fff::/20", "documentation"),
    _denied("5f00::/16", "segment routing"),
    _denied("fc00::/7", "private", private=True),
    _denied("fe80::/10", "link-local"),
    _denied("fec0::/10", "site-local"),
    _denied("ff00::/8", "multicast"),
)
# The part of the IPv6 address space that is allocated to networks on the Internet.
_UNICAST: Final = IPv6Network("2000::/3")


def canonical(address: Address) -> Address:
    """Return an IPv4-mapped IPv6 address (`::ffff:…`) as an IPv4 address, and any other address
    unchanged."""
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def forbidden(address: Address, allow_private: bool) -> str | None:
    """Return the reason why the service must not connect to an address, or None.

    If `allow_private` is true, this machine and the installation's networks are allowed, but never
    link-local addresses, tunnels and multicast.
    """
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        return "of one link"
    plain = canonical(address)
    for denied in _TABLE:
        # An IPv4 network never contains an IPv6 address, and vice versa.
        if plain in denied.network:
            return None if denied.private and allow_private else denied.reason
    if isinstance(plain, IPv6Address) and plain not in _UNICAST:
        return "not given out"
    return None if plain.is_global else "not global"
