"""The origin check: only pages on the websites allowed by the client may call the widget's routes.

The browser sets the Origin header, and a page cannot change it. A widget key copied to another
website is therefore useless there. A program can send any Origin header, but the rate limits still
apply to it.
"""

from collections.abc import Collection, Sequence


def may_call(presented: Sequence[str], allowed: Collection[str], *, needed: bool) -> bool:
    """Return True if a request with these Origin headers is allowed.

    Origins are compared as text, because browsers write each origin in only one way. `needed`:
    whether a request without an Origin header is rejected.
    """
    if not presented:
        return not needed
    return len(presented) == 1 and presented[0] in allowed
