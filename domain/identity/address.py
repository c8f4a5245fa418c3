"""The email address with which a user signs in, in one canonical form per mailbox.

Addresses are compared in the form that mail is sent to, so that a look-alike address never receives
another person's code. A domain is compared in its ASCII form (`xn--…`), in which look-alikes
differ. The local part must be ASCII. Libraries such as email-validator are unsuitable: they reject
`.example`, and query the DNS.
"""

import re
from typing import Final

import idna

from domain.identity.errors import InvalidAddress

MAX_ADDRESS: Final = 254
_MAX_LOCAL: Final = 64

# The dot-atom of RFC 5322. Quoted local parts are rejected, because no provider assigns them to
# users.
_LOCAL: Final = re.compile(r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def sign_in_address(text: str) -> str:
    """Return the address in its stored form: ASCII, in lower case. Raises InvalidAddress.

    The same form is used to compare addresses and to send mail. The part after a `+` is kept,
    because each mail server defines its meaning.
    """
    local, at, domain = text.strip(" ").rpartition("@")
    if not at or len(text) > MAX_ADDRESS or not local.isascii():
        raise InvalidAddress
    address = f"{local.lower()}@{_ascii_domain(domain)}"
    if len(local) > _MAX_LOCAL or len(address) > MAX_ADDRESS or not _LOCAL.fullmatch(local.lower()):
        raise InvalidAddress
    return address


def _ascii_domain(domain: str) -> str:
    """Return the domain in ASCII. Raises InvalidAddress.

    The domain must have at least two labels, and its last label must not be a number.
    """
    try:
        ascii_form = idna.encode(domain, uts46=True).decode().lower()
    except (idna.IDNAError, UnicodeError):
        raise InvalidAddress from None
    labels = ascii_form.split(".")
    if len(labels) < 2 or labels[-1].isdecimal() or not all(map(_LABEL.fullmatch, labels)):
        raise InvalidAddress
    return ascii_form
