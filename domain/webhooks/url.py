"""A webhook's URL: the checks when it is saved, and again at each delivery.

Names are not resolved here. Their addresses can change at any time, so the addresses are checked
when the connection is opened.
"""

import re
from ipaddress import IPv4Address, IPv6Address
from typing import Final
from urllib.parse import quote, urlsplit

import idna

from domain.webhooks.address_guard import Address, canonical, forbidden
from domain.webhooks.errors import InvalidWebhook

MAX_URL: Final = 2048
"""In characters."""
_UNREADABLE: Final = ("url: not an address", "url : adresse illisible")
_MAX_HOST: Final = 253
_HTTPS: Final = 443
# Lower ports belong to well-known services such as mail, to which a URL must not connect.
_FIRST_FREE_PORT: Final = 1024

# Names that do not exist on the Internet (RFC 6761, RFC 6762 with its appendix G, RFC 8375).
_LOCAL: Final = re.compile(
    r"(?:.*\.)?(?:localhost|localdomain|local|home\.arpa|internal|intranet|private|corp|home|lan)"
)
_LABEL: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER: Final = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
# Characters that remain unescaped in a path or query, including `%`, which already escapes others.
_KEPT: Final = "/?%:@!$&'()*+,;=-._~[]"


def check_url(url: str, allow_private: bool) -> str:
    """Return the URL in the form used to connect. Raises InvalidWebhook.

    The host is in ASCII and lower case, a numeric host is an address, and `:443` and an empty path
    are removed. `allow_private`: allow this machine, private networks and their names.
    """
    if len(url) > MAX_URL:
        raise InvalidWebhook(
            f"url: at most {MAX_URL} characters", f"url : {MAX_URL} caractères au plus"
        )
    if not url.isprintable() or " " in url or "\\" in url:
        raise InvalidWebhook(
            "url: no spaces, backslashes or control characters",
            "url : espaces et caractères de contrôle interdits",
        )
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise InvalidWebhook(*_UNREADABLE) from None
    if parts.scheme != "https":
        raise InvalidWebhook("url: https:// expected", "url : https:// attendu")
    if "@" in parts.netloc:
        raise InvalidWebhook("url: no user name and password", "url : identifiants interdits")
    if "#" in url:
        raise InvalidWebhook("url: no fragment", "url : fragment interdit")
    if not host:
        raise InvalidWebhook("url: a host is missing", "url : hôte attendu")
    host = checked_host(host, bracketed="[" in parts.netloc, allow_private=allow_private)
    netloc = host + _port(port)
    target = quote((parts.path or "/") + (f"?{parts.query}" if parts.query else ""), safe=_KEPT)
    checked = f"https://{netloc}{target}"
    if len(checked) > MAX_URL:
        raise InvalidWebhook(
            f"url: at most {MAX_URL} characters", f"url : {MAX_URL} caractères au plus"
        )
    return checked


def _port(port: int | None) -> str:
    if port is None or port == _HTTPS:
        return ""
    if port < _FIRST_FREE_PORT:
        raise InvalidWebhook(
            "url: port 443, or one above 1023", "url : port 443, 8443 ou supérieur à 1023 attendu"
        )
    return f":{port}"


def checked_host(written: str, *, bracketed: bool, allow_private: bool) -> str:
    """Return a host in the form used for the lookup: a name in ASCII and lower case, or an address.

    `bracketed`: whether the host was in brackets, like an IPv6 address. Raises InvalidWebhook, also
    for a host that is known to be private.
    """
    host = written if bracketed else _ascii(written)
    address = _ipv6(host) if bracketed else _ipv4(host)
    if address is None:
        if not allow_private and ("." not in host or _LOCAL.fullmatch(host)):
            raise InvalidWebhook(
                "url: the name is of a private network",
                "url : nom interdit, il est d'un réseau privé",
            )
        return host
    if forbidden(address, allow_private) is not None:
        raise InvalidWebhook(
            "url: the address is not public", "url : adresse interdite, elle n'est pas publique"
        )
    address = canonical(address)
    return f"[{address}]" if isinstance(address, IPv6Address) else str(address)


def _ascii(written: str) -> str:
    """Return the name in ASCII and lower case, without a final dot."""
    try:
        # ASCII names skip IDNA, which rejects `_` and `r3---sn` although such names exist.
        host = written if written.isascii() else idna.encode(written, uts46=True).decode()
    except idna.IDNAError:
        raise InvalidWebhook("url: not a host name", "url : nom d'hôte invalide") from None
    host = host.lower().removesuffix(".")
    if len(host) > _MAX_HOST or not all(_LABEL.fullmatch(label) for label in host.split(".")):
        raise InvalidWebhook("url: not a host name", "url : nom d'hôte invalide")
    return host


def _ipv6(host: str) -> Address:
    try:
        return IPv6Address(host)
    except ValueError:
        raise InvalidWebhook(*_UNREADABLE) from None


def _ipv4(host: str) -> Address | None:
    """Parse a host that a resolver would read as an address in any old form: 127.1, 0x7f000001,
    0177.0.0.1, 2130706433.

    Return None for a name. Raises InvalidWebhook for an invalid number.
    """
    parts = host.split(".")
    if not _NUMBER.fullmatch(parts[-1]):
        return None
    *first, last = map(_number, parts)
    room = 4 - len(first)
    if len(first) > 3 or any(number > 255 for number in first) or last >= 256**room:
        raise InvalidWebhook(*_UNREADABLE)
    return IPv4Address(int.from_bytes(bytes(first), "big") << 8 * room | last)


def _number(written: str) -> int:
    """Parse a decimal number, an octal number with a leading 0, or a hexadecimal number with 0x.
    Raises InvalidWebhook."""
    if not _NUMBER.fullmatch(written):
        raise InvalidWebhook(*_UNREADABLE)
    try:
        if written[:2] in ("0x", "0X"):
            return int(written[2:] or "0", 16)
        return int(written, 8 if written.startswith("0") else 10)
    except ValueError:
        raise InvalidWebhook(*_UNREADABLE) from None
