"""The canonical form of a customer's email address. Rate limits and the agent's memory of a
customer compare addresses in this form."""

import re

from domain.core.plain_text import MAX_ADDRESS
from domain.core.text import UnicodeForm, normalized


def customer_key(address: str | None) -> str | None:
    """Return the address in canonical form (NFKC, case-folded, stripped), or None if it is missing,
    blank or too long.

    A `+` suffix is kept because its meaning depends on the mail server. Compare addresses with
    `is_same_customer`, which returns False if either has no key.
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
    """Return True if an address equals its `customer_key`, ignoring ASCII case and surrounding
    whitespace.

    Other spellings, such as a full-width letter or `ß`, can be a different mailbox. Verifying them
    does not verify the canonical form.
    """
    key = customer_key(address)
    if key is None:
        return False
    return key == "".join(mark.lower() if mark.isascii() else mark for mark in address.strip(" "))


def mentions(text: str, key: str) -> bool:
    """Return True if a text contains the address `key`, a result of `customer_key`. Case is
    ignored.

    The end of a longer address does not match: `marie-ann@x.example` does not contain
    `ann@x.example`. An address before a full stop and a word matches.
    """
    before, after = r"(?<![a-z0-9])(?<![a-z0-9][._+-])", r"(?!-?[a-z0-9])"
    return re.search(f"{before}{re.escape(key)}{after}", _folded(text)) is not None


def _folded(text: str) -> str:
    # Normalize again because case folding can decompose letters.
    return normalized(normalized(text, UnicodeForm.NFKC).casefold(), UnicodeForm.NFKC)
