"""The websites that may show the widget, in the format of a browser's `Origin` header."""

import re
from collections.abc import Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Final

import idna

from domain.widget.errors import InvalidWidget

MAX_ORIGINS: Final = 20
MAX_ORIGIN: Final = 300
"""Maximum length of an allowed origin, in characters."""
ORIGIN: Final = r"^https://([a-z0-9]{1,9}[.-]){0,5}[a-z][a-z0-9]{0,8}(:[1-9][0-9]{0,3})?$"
"""A pattern of typical origins. `check_origins` also accepts Unicode names, IP addresses and
loopback addresses."""

_PARTS: Final = re.compile(
    r"(?P<scheme>https?)://(?P<host>\[[0-9a-f:.]+\]|[^\s/?#@\\:\[\]]+)(?::(?P<port>[0-9]{1,5}))?",
    re.IGNORECASE,
)
_LABEL: Final = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
# Matches the last label of a host name that browsers interpret as an IPv4 address.
_NUMBER: Final = re.compile(r"0x[0-9a-f]*|[0-9]+")
_MAX_HOST: Final = 253
_MAX_PORT: Final = 65_535
_USUAL_PORTS: Final = {"https": 443, "http": 80}

_SHAPE: Final = ("https://host or https://host:port expected", "https://hôte[:port] attendu")
_HOST: Final = ("not a host name", "nom d'hôte invalide")
_PORT: Final = ("no such port", "port invalide")
_HTTP: Final = ("http is for this machine only", "http n'est permis que pour localhost")


def check_origins(given: Sequence[str]) -> tuple[str, ...]:
    """Return the origins in normalized form, without duplicates: lower case, ASCII host, no default
    port. Raises InvalidWidget with the one-based positions of invalid origins."""
    if len(given) > MAX_ORIGINS:
        raise InvalidWidget(
            f"allowed_origins: at most {MAX_ORIGINS}", f"allowed_origins : {MAX_ORIGINS} au plus"
        )
    kept: dict[str, None] = {}
    wrong: list[tuple[str, str]] = []
    for number, text in enumerate(given, 1):
        try:
            kept[_origin(text)] = None
        except _Broken as broken:
            english, french = broken.rule
            wrong.append((f"no. {number}: {english}", f"n° {number}, {french}"))
    if wrong:
        raise InvalidWidget(
            f"allowed_origins: {'; '.join(english for english, _ in wrong)}",
            f"allowed_origins : {' ; '.join(french for _, french in wrong)}",
        )
    return tuple(kept)


class _Broken(Exception):
    """An origin violates a rule. `rule` is the text of the rule, in English and in French."""

    def __init__(self, rule: tuple[str, str]) -> None:
        self.rule = rule


def _origin(text: str) -> str:
    parts = _PARTS.fullmatch(text.strip()) if len(text) <= MAX_ORIGIN else None
    if parts is None:
        raise _Broken(_SHAPE)
    scheme = parts["scheme"].lower()
    host = _host(parts["host"].lower())
    if scheme == "http" and not _is_loopback(host):
        raise _Broken(_HTTP)
    port = int(parts["port"] or _USUAL_PORTS[scheme])
    if not 0 < port <= _MAX_PORT:
        raise _Broken(_PORT)
    return f"{scheme}://{host}" + ("" if port == _USUAL_PORTS[scheme] else f":{port}")


def _host(written: str) -> str:
    if written.startswith("["):
        return f"[{_address(written[1:-1], IPv6Address)}]"
    try:
        # ASCII names skip IDNA encoding because it rejects `_` although such names occur in
        # practice.
        host = written if written.isascii() else idna.encode(written, uts46=True).decode().lower()
    except (idna.IDNAError, UnicodeError):
        raise _Broken(_HOST) from None
    labels = host.split(".")
    if len(host) > _MAX_HOST or not all(map(_LABEL.fullmatch, labels)):
        raise _Broken(_HOST)
    return _address(host, IPv4Address) if _NUMBER.fullmatch(labels[-1]) else host


def _address(written: str, kind: type[IPv4Address] | type[IPv6Address]) -> str:
    try:
        return str(kind(written))
    except ValueError:
        raise _Broken(_HOST) from None


def _is_loopback(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
