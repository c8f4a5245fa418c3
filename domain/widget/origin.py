"""The origin check: only pages of the sites that the client allows may call.

A browser sets the Origin header and lets no page change it, so a key copied to another site is
useless there. A program may send any Origin, but the limits apply to it.
"""

from collections.abc import Collection, Sequence


def may_call(presented: Sequence[str], allowed: Collection[str], *, needed: bool) -> bool:
    """Return whether a request with these Origin headers is allowed.

    Origins are compared as text, because browsers write each origin in only one way. `needed`:
    whether a request without the header is refused.
    """
    if not presented:
        return not needed
    return len(presented) == 1 and presented[0] in allowed
