"""The canonical form of a customer's email address. Rate limits and the agent's memory of a
customer compare addresses in this form."""

import re

from domain.core.plain_text import MAX_ADDRESS
from domain.core.text import UnicodeForm, normalized


def customer_key(address: str | None) -> str | None:
    """Return the address in canonical form (NFKC, case-folded, stripped). Return None if the
    address is None or blank, or if the address or its canonical form is too long for an email
    address.

    A `+` suffix is kept, because each mail server defines its meaning. To compare two addresses,
    call `is_same_customer`. It returns False if either address has no key.
    """
    given = (address or "").strip()
    if len(given) > MAX_ADDRESS:
        return None
    key = _folded(given).strip()
    return key if 0 < len(key) <= MAX_ADDRESS else None


def is_same_customer(one: str | None, other: str | None) -> bool:
    """Return True if both addresses have a key, and belong to the same customer."""
    key = customer_key(one)
    return key is not None and key == customer_key(other)


def spells_its_key(address: str) -> bool:
    """Return True if an address equals its canonical form (`customer_key`), ignoring ASCII case and
    leading and trailing whitespace.

    Other spellings, such as a full-width letter or `ß`, can denote a different mailbox than their
    canonical form. Verifying such an address does not verify the mailbox of its canonical form.
    """
    key = customer_key(address)
    if key is None:
        return False
    return key == "".join(mark.lower() if mark.isascii() else mark for mark in address.strip(" "))


def mentions(text: str, key: str) -> bool:
    """Return True if a text contains the address `key`, ignoring case. `key`: as returned by
    `customer_key`.

    The end of a longer address does not match: `marie-ann@x.example` does not contain
    `ann@x.example`. An address followed by a full stop and a word matches, because a sentence may
    end there without a space.
    """
    before, after = r"(?<![a-z0-9])(?<![a-z0-9][._+-])", r"(?!-?[a-z0-9])"
    return re.search(f"{before}{re.escape(key)}{after}", _folded(text)) is not None


def _folded(text: str) -> str:
    # Normalize again, because case folding can decompose letters.
    return normalized(normalized(text, UnicodeForm.NFKC).casefold(), UnicodeForm.NFKC)
