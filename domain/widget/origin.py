"""Which pages may call: those of the sites that the client allows.

A browser names the page's site in the header Origin and lets no page change it, so a key that was
copied into another site is worth nothing there. A program may send any Origin: the limits hold for
it.
"""

from collections.abc import Collection, Sequence


def may_call(presented: Sequence[str], allowed: Collection[str], *, needed: bool) -> bool:
    """Whether a request with these Origin headers may go on.

    The text must be equal: browsers write an origin in one way only. `needed`: whether a request
    without the header is refused.
    """
    if not presented:
        return not needed
    return len(presented) == 1 and presented[0] in allowed
