"""The mail address that somebody signs in with: one spelling for one mailbox.

The spelling that is compared is the one that mail goes to, so nobody receives the code of an
address that only looks like theirs. A domain is compared in its ASCII form (`xn--…`), where
look-alikes differ. The local part must be ASCII. A library such as email-validator would do more
than is wanted: it refuses `.example`, and asks the DNS.
"""

import re
from typing import Final

import idna

from domain.identity.errors import InvalidAddress

MAX_ADDRESS: Final = 254
_MAX_LOCAL: Final = 64

# RFC 5322's dot-atom. Quoted local parts are refused: no provider gives one to a person.
_LOCAL: Final = re.compile(r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_LABEL: Final = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def sign_in_address(text: str) -> str:
    """The address as it is stored, compared and written to: ASCII, in lower case.

    What follows a `+` stays: only the mail server knows whether it is the same mailbox. Raises
    InvalidAddress.
    """
    local, at, domain = text.strip(" ").rpartition("@")
    if not at or len(text) > MAX_ADDRESS or not local.isascii():
        raise InvalidAddress
    address = f"{local.lower()}@{_ascii_domain(domain)}"
    if len(local) > _MAX_LOCAL or len(address) > MAX_ADDRESS or not _LOCAL.fullmatch(local.lower()):
        raise InvalidAddress
    return address


def _ascii_domain(domain: str) -> str:
    """Two labels at least, the last of them no number. Raises InvalidAddress."""
    try:
        ascii_form = idna.encode(domain, uts46=True).decode().lower()
    except (idna.IDNAError, UnicodeError):
        raise InvalidAddress from None
    labels = ascii_form.split(".")
    if len(labels) < 2 or labels[-1].isdecimal() or not all(map(_LABEL.fullmatch, labels)):
        raise InvalidAddress
    return ascii_form
