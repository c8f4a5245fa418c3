"""The customer's address as limits and memory compare it: one spelling for one person."""

import re
import unicodedata


def customer_key(address: str | None) -> str | None:
    """The address folded once (NFKC, case, outer space); None if there is none.

    What follows a `+` stays: who may use it as a second address is the mail server's affair.
    """
    if address is None:
        return None
    folded = unicodedata.normalize("NFKC", address).casefold()
    # Folding the case can take letters apart that belong together.
    return unicodedata.normalize("NFKC", folded).strip() or None


def spells_its_key(address: str) -> bool:
    """Whether the key of an address is the address itself, except for ASCII case and outer spaces.

    Other spellings, with a full-width letter or `ß`, can be another mailbox than the key's. What
    proves such an address proves nothing about the mailbox of the key.
    """
    plain = "".join(mark.lower() if mark.isascii() else mark for mark in address.strip(" "))
    return plain == customer_key(address)


def mentions(text: str, key: str) -> bool:
    """Whether the address of this key stands in a text, in whatever case, and not as the end of
    another one, as `ann@x.example` in `marie-ann@x.example`. In doubt it does: after it may come a
    full stop without a space."""
    before, after = r"(?<![a-z0-9])(?<![a-z0-9][._+-])", r"(?!-?[a-z0-9])"
    return re.search(f"{before}{re.escape(key)}{after}", customer_key(text) or "") is not None
