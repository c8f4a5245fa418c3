"""The rules in a robots.txt (RFC 9309)."""

import math

from protego import Protego

from domain.content.site_address import address_on
from domain.content.site_import import MAX_CRAWL_DELAY_S, MAX_SITEMAPS, FoundPage
from domain.content.site_page import RobotsRead


class Robots:
    """The rules that apply to `agent`. A site without robots.txt allows everything."""

    def __init__(self, text: bytes, agent: str) -> None:
        self._rules = Protego.parse(text.decode("utf-8", "replace"))
        self._agent = agent

    def found(self, url: str) -> FoundPage:
        """Return the address, and whether the service may read it."""
        return FoundPage(url=url, allowed=self._rules.can_fetch(url, self._agent))

    def read(self, start: str) -> RobotsRead:
        """Return the rules for an import that starts at an address. Only sitemaps on its origin are
        returned."""
        delay = self._rules.crawl_delay(self._agent) or 0.0
        delay = min(delay, MAX_CRAWL_DELAY_S) if math.isfinite(delay) else MAX_CRAWL_DELAY_S
        named = list(self._rules.sitemaps)[: 4 * MAX_SITEMAPS]
        return RobotsRead(
            start_allowed=self._rules.can_fetch(start, self._agent),
            delay_s=max(0.0, delay),
            sitemaps=on_origin(named, start),
        )


def on_origin(addresses: list[str], start: str) -> tuple[str, ...]:
    """Return the sitemap addresses that are on the origin of `start`, without duplicates, at most
    MAX_SITEMAPS."""
    found = filter(None, (address_on(start, one) for one in addresses))
    return tuple(dict.fromkeys(found))[:MAX_SITEMAPS]
