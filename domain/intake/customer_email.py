"""The canonical form of a customer's email address. Rate limits and the agent's memory of a
customer compare addresses in this form."""

import re
import unicodedata


def customer_key(address: str | None) -> str | None:
    """Return the address in canonical form (NFKC, case-folded, stripped), or None if the address is
    None or blank.

    A `+` suffix is kept, because its meaning is up to the mail server.
    """
    if address is None:
        return None
    folded = unicodedata.normalize("NFKC", address).casefold()
    # Normalize again, because case folding can decompose letters.
    return unicodedata.normalize("NFKC", folded).strip() or None


def spells_its_key(address: str) -> bool:
    """Return True if an address equals its canonical form (`customer_key`), ignoring ASCII case and
    outer spaces.

    Other spellings, such as a full-width letter or `ß`, can denote a different mailbox than their
    canonical form. A proof of such an address proves nothing about the mailbox of the canonical
    form.
    """
    plain = "".join(mark.lower() if mark.isascii() else mark for mark in address.strip(" "))
    return plain == customer_key(address)


def mentions(text: str, key: str) -> bool:
    """Return True if a text contains the address `key`, ignoring case. `key`: as returned by
    `customer_key`.

    The end of a longer address does not match: `marie-ann@x.example` does not contain
    `ann@x.example`. An address followed by a full stop and a word matches, because a sentence may
    end there without a space.
    """
    before, after = r"(?<![a-z0-9])(?<![a-z0-9][._+-])", r"(?!-?[a-z0-9])"
    return re.search(f"{before}{re.escape(key)}{after}", customer_key(text) or "") is not None
