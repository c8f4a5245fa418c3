"""The origin check: only pages of the sites that the client allows may call.

A browser sets the header Origin and lets no page change it, so a key that was copied into another
site is useless there. A program may send any Origin: the limits apply to it.
"""

from collections.abc import Collection, Sequence


def may_call(presented: Sequence[str], allowed: Collection[str], *, needed: bool) -> bool:
    """Return whether a request with these Origin headers is allowed.

    The text must be equal: browsers write an origin in one way only. `needed`: a request without
    the header is refused.
    """
    if not presented:
        return not needed
    return len(presented) == 1 and presented[0] in allowed
