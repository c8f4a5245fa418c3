"""The URL of the page from which a visitor writes."""

from urllib.parse import urlsplit


def page_address(url: str) -> str | None:
    """Return a page's URL without query, fragment and credentials, because they may contain tokens.

    Return None if the text is not an HTTP or HTTPS URL.
    """
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return None
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    place = host if port is None else f"{host}:{port}"
    return f"{parts.scheme}://{place}{parts.path}"
