"""The email address for signing in, in one canonical form per mailbox.

Comparing the form that mail is sent to prevents a look-alike address from receiving another
person's code. The domain is in ASCII (`xn--…`), and the local part must be ASCII. Libraries such as
email-validator reject `.example` and query the DNS.
"""

import re
from typing import Final

import idna

from domain.identity.errors import InvalidAddress

MAX_ADDRESS: Final = 254
_MAX_LOCAL: Final = 64

# The dot-atom of RFC 5322. Quoted local parts are rejected because no provider assigns them to
# users.
_LOCAL: Final = re.compile(r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def sign_in_address(text: str) -> str:
    """Return the address in its stored form, lower-case ASCII, for comparing and sending. Raises
    InvalidAddress.

    The part after a `+` is kept because its meaning depends on the mail server.
    """
    local, at, domain = text.strip(" ").rpartition("@")
    if not at or len(text) > MAX_ADDRESS or not local.isascii():
        raise InvalidAddress
    address = f"{local.lower()}@{_ascii_domain(domain)}"
    if len(local) > _MAX_LOCAL or len(address) > MAX_ADDRESS or not _LOCAL.fullmatch(local.lower()):
        raise InvalidAddress
    return address


def _ascii_domain(domain: str) -> str:
    """Return the domain in ASCII. Raises InvalidAddress unless it has two or more labels and a
    non-numeric last one."""
    try:
        ascii_form = idna.encode(domain, uts46=True).decode().lower()
    except (idna.IDNAError, UnicodeError):
        raise InvalidAddress from None
    labels = ascii_form.split(".")
    if len(labels) < 2 or labels[-1].isdecimal() or not all(map(_LABEL.fullmatch, labels)):
        raise InvalidAddress
    return ascii_form
