"""Addresses of website pages: their normal form, and which of them an import reads."""

from typing import Final
from urllib.parse import parse_qsl, quote, urlencode, urljoin, urlsplit, urlunsplit

MAX_ADDRESS: Final = 2048
"""Maximum length of an address, in characters."""

# Parameters that identify the origin of a visit, and not the page.
_VISIT: Final = frozenset({"gclid", "fbclid", "msclkid", "mc_cid", "mc_eid", "_ga", "ref"})
_VISIT_PREFIX: Final = "utm_"
# Characters that stay as they are in a path or query. They include `%` because it is part of
# existing escapes.
_KEPT: Final = "/?%:@!$&'()*+,;=-._~[]"
_LOOPBACK: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_PORTS: Final = {"https": 443, "http": 80}
# Files that are not pages. A page with another type is recognized by its Content-Type.
_FILES: Final = (
    ".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".ico", ".css", ".js", ".json", ".xml",
    ".pdf", ".zip", ".gz", ".mp4", ".webm", ".mp3", ".woff", ".woff2", ".ttf", ".rss", ".atom",
)  # fmt: skip


def is_loopback(url: str) -> bool:
    """Return whether an address is on this machine."""
    try:
        return urlsplit(url).hostname in _LOOPBACK
    except ValueError:
        return False


def origin_of(url: str) -> str:
    """Return the scheme, host and port of an absolute address, in lower case. Return an empty
    string if the address is invalid."""
    try:
        parts = urlsplit(url)
        scheme, host, port = parts.scheme.lower(), parts.hostname, parts.port
    except ValueError:
        return ""
    if scheme not in _PORTS or not host or "@" in parts.netloc:
        return ""
    shown = f"[{host}]" if ":" in host else host.lower()
    return f"{scheme}://{shown}" + (f":{port}" if port not in (None, _PORTS[scheme]) else "")


def address_on(base: str, href: str) -> str | None:
    """Return the normal form of a link's target, without its fragment, if the target is on the same
    origin as `base`. Return None for every other target."""
    if len(href) > MAX_ADDRESS:
        return None
    try:
        joined = urljoin(base, href.strip())
        parts = urlsplit(joined)
    except ValueError:
        return None
    origin = origin_of(joined)
    if not origin or origin != origin_of(base) or not joined.isprintable() or " " in joined:
        return None
    scheme, _, netloc = origin.partition("://")
    path, query = quote(parts.path or "/", safe=_KEPT), quote(parts.query, safe=_KEPT)
    found = urlunsplit((scheme, netloc, path, query, ""))
    return found if len(found) <= MAX_ADDRESS and found.isascii() else None


def page_address(base: str, href: str) -> str | None:
    """Return the normal form of a link's target if it may be a page on the same origin as `base`,
    or None. The parameters that identify a visit are removed."""
    found = address_on(base, href)
    if found is None:
        return None
    parts = urlsplit(found)
    if parts.path.lower().endswith(_FILES):
        return None
    pairs = parse_qsl(parts.query, keep_blank_values=True)
    left = [(name, value) for name, value in pairs if not _is_visit(name)]
    query = parts.query if len(left) == len(pairs) else urlencode(left)
    return urlunsplit(parts._replace(query=query))


def is_below(url: str, start: str) -> bool:
    """Return whether an address is the start address or below its path."""
    if origin_of(url) != origin_of(start):
        return False
    path, root = urlsplit(url).path, urlsplit(start).path.rstrip("/")
    return path.rstrip("/") == root or path.startswith(f"{root}/")


def is_linked_page(url: str, start: str, depth: int) -> bool:
    """Return whether an import without a sitemap reads a linked page. It reads all pages below the
    start address, and pages in the same folder to which the start page links. `depth` is the number
    of links from the start page."""
    if is_below(url, start):
        return True
    folder = start[: start.rindex("/") + 1]
    return depth == 1 and is_below(url, folder)


def _is_visit(name: str) -> bool:
    return name in _VISIT or name.startswith(_VISIT_PREFIX)
