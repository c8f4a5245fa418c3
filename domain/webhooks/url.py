"""Validate a webhook's URL, when it is saved and before each delivery.

Host names are resolved and checked only when the connection is opened, because their addresses can
change at any time.
"""

import re
from ipaddress import IPv4Address, IPv6Address
from typing import Final
from urllib.parse import quote, urlsplit

import idna

from domain.webhooks.address_guard import Address, canonical, forbidden
from domain.webhooks.errors import InvalidWebhook

MAX_URL: Final = 2048
"""Maximum length of a URL, in characters."""
_UNREADABLE: Final = ("url: not an address", "url : adresse illisible")
_MAX_HOST: Final = 253
_HTTPS: Final = 443
# The lowest port that is allowed, apart from 443. Lower ports belong to other protocols, such as
# mail.
_FIRST_FREE_PORT: Final = 1024

# Domain names that are not in use on the public Internet (RFC 6761, RFC 6762 with its appendix G,
# RFC 8375).
_LOCAL: Final = re.compile(
    r"(?:.*\.)?(?:localhost|localdomain|local|home\.arpa|internal|intranet|private|corp|home|lan)"
)
_LABEL: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMBER: Final = re.compile(r"0[xX][0-9a-fA-F]*|[0-9]+")
# Characters that are not escaped in a path or query. They include `%` because it is part of
# existing escapes.
_KEPT: Final = "/?%:@!$&'()*+,;=-._~[]"


def check_url(url: str, allow_private: bool) -> str:
    """Validate a webhook's URL and return it in the form used to connect. Raises InvalidWebhook.

    The host becomes lower-case ASCII, or an IP address if it was numeric. `:443` is removed, and an
    empty path becomes `/`. If `allow_private` is true, this machine, private networks and their
    names are allowed.
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
    """Validate a host and return it in the form for the DNS lookup: a lower-case ASCII name, or an
    IP address.

    `bracketed` means that it was in brackets, like an IPv6 address. Raises InvalidWebhook, also for
    a host known to be private.
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
    """Return a host name in ASCII and lower case, without a final dot."""
    try:
        # ASCII names are not processed by IDNA, because IDNA rejects `_` and `r3---sn` although
        # such names exist.
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
    """Parse a host that resolvers accept as an old form of IPv4 address: 127.1, 0x7f000001,
    0177.0.0.1, 2130706433.

    Return None for a host name. Raises InvalidWebhook for an invalid number.
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
    """Return the value of a decimal number, an octal number with a leading 0, or a hexadecimal
    number with a leading 0x. Raises InvalidWebhook if the text is not such a number."""
    if not _NUMBER.fullmatch(written):
        raise InvalidWebhook(*_UNREADABLE)
    try:
        if written[:2] in ("0x", "0X"):
            return int(written[2:] or "0", 16)
        return int(written, 8 if written.startswith("0") else 10)
    except ValueError:
        raise InvalidWebhook(*_UNREADABLE) from None
