"""The customer's address as limits and memory compare it: one spelling for one person."""

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
