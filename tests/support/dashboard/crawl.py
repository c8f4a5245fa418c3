"""One page of each kind, found by following links."""

from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field

from tests.support.dashboard.page_list import links_of, route_at, seen_pages

# A list links to fifty records, of which the first ones are representative.
_OF_A_KIND = 3


@dataclass
class Crawl:
    """The result of a crawl: visited URLs by route (`found`), downloads (`files`), and dead links
    with their pages (`broken`)."""

    found: dict[str, list[str]] = field(default_factory=dict)
    files: dict[str, list[str]] = field(default_factory=dict)
    broken: list[str] = field(default_factory=list)

    @property
    def pages(self) -> list[str]:
        """Return one URL of each kind."""
        return [addresses[0] for addresses in self.found.values()]

    @property
    def unseen(self) -> list[str]:
        """Return page routes that no link led to."""
        return [one.path for one in seen_pages() if one.path not in self.found | self.files]


async def crawl(
    get: Callable[[str], Awaitable[tuple[int, str | None]]],
    begin: Iterable[str] = ("/app",),
    *,
    of_a_kind: int = _OF_A_KIND,
) -> Crawl:
    """Follow the links of all pages. `get`: returns a page's status and its text, or None for a
    file."""
    crawled = Crawl()
    waiting = deque((one, "") for one in begin)
    known = {*begin}
    while waiting:
        address, source = waiting.popleft()
        route = route_at(address.partition("?")[0])
        if route is None:
            crawled.broken.append(f"{source} leads to {address}, which no route has")
            continue
        seen = (crawled.found | crawled.files).get(route.path, [])
        if route.roles is None or len(seen) >= of_a_kind:
            continue
        status, page = await get(address)
        if status != 200:
            crawled.broken.append(f"{source} leads to {address}: {status}")
            continue
        (crawled.files if page is None else crawled.found).setdefault(route.path, []).append(
            address
        )
        for link in links_of(page or ""):
            if link not in known:
                known.add(link)
                waiting.append((link, address))
    return crawled
