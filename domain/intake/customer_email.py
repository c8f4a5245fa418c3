"""The customer's address in canonical form, which limits and memory compare."""

import re
import unicodedata


def customer_key(address: str | None) -> str | None:
    """Return the address in canonical form (NFKC, case-folded, stripped), or None if there is none.

    A `+` suffix is kept, because its meaning is up to the mail server.
    """
    if address is None:
        return None
    folded = unicodedata.normalize("NFKC", address).casefold()
    # Case folding can decompose letters.
    return unicodedata.normalize("NFKC", folded).strip() or None


def spells_its_key(address: str) -> bool:
    """Return whether an address equals its key, except for ASCII case and outer spaces.

    Other spellings, such as a full-width letter or `ß`, can name a different mailbox than their
    key. A proof of such an address proves nothing about the key's mailbox.
    """
    plain = "".join(mark.lower() if mark.isascii() else mark for mark in address.strip(" "))
    return plain == customer_key(address)


def mentions(text: str, key: str) -> bool:
    """Return whether the address of this key occurs in a text, in any case.

    The end of another address does not count: `marie-ann@x.example` does not contain
    `ann@x.example`. An ambiguous occurrence counts, because a full stop without a space can follow
    an address.
    """
    before, after = r"(?<![a-z0-9])(?<![a-z0-9][._+-])", r"(?!-?[a-z0-9])"
    return re.search(f"{before}{re.escape(key)}{after}", customer_key(text) or "") is not None
