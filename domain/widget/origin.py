"""The origin check: only pages on the client's websites may call the widget's routes.

Browsers set the Origin header, so a widget key copied to another website is useless. Programs can
send any header, but are rate-limited.
"""

from collections.abc import Collection, Sequence


def may_call(presented: Sequence[str], allowed: Collection[str], *, needed: bool) -> bool:
    """Return True if a request with these Origin headers is allowed. If `needed` is true, a request
    without an Origin header is rejected.

    Origins are compared as text, because browsers write each in only one way.
    """
    if not presented:
        return not needed
    return len(presented) == 1 and presented[0] in allowed
