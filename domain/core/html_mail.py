"""The HTML part of an email, generated from its text.

The escaped text never becomes markup. No remote image or style sheet is loaded, because that would
reveal when the email is read. Colors are inline because many email programs remove style sheets. A
style sheet adds only the dark colors.
"""

import re
from html import escape
from typing import Final
from urllib.parse import urlsplit

from domain.core.contrast import readable_on

SERVICE_COLOR: Final = "#4f46e5"
"""The color of emails that the service sends in its own name."""

_HOST: Final = re.compile(r"https?://[^/?#]+", re.IGNORECASE)
_MOST_HOST: Final = 300
_LINK: Final = re.compile(r"https?://[^\s<>\"']+", re.IGNORECASE)
# Punctuation that ends the sentence rather than the link.
_AFTER_LINK: Final = ".,;:!?)]}»’"
# This line marks the start of a signature (RFC 3676, 4.3).
_SIGNATURE: Final = "\n-- \n"
_FONT: Final = (
    "font-family:Inter,system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif"
)
_LINK_STYLE: Final = "color:#4f46e5;text-decoration:underline;overflow-wrap:anywhere"
_DARK: Final = """\
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
.page { background: #0f1012 !important; }
.card { background: #17181b !important; border-color: #2a2c31 !important; }
.text { color: #ecedef !important; }
.muted { color: #9ba1ad !important; border-color: #2a2c31 !important; }
a { color: #8b85ff !important; }
}"""


def mail_html(text: str, *, title: str, sender: str, color: str | None) -> str:
    """Return an HTML document that shows exactly this text, with links for web addresses.

    `sender` is the name at the top, or "". `color` is the merchant's color, such as #1a2b3c, or
    None for the service's color.
    """
    band = color or SERVICE_COLOR
    body, mark, signature = text.replace("\r\n", "\n").partition(_SIGNATURE)
    rows = [
        f'<tr><td style="padding:16px 24px;background:{band};color:{readable_on(band)};'
        f'font-size:16px;line-height:24px;font-weight:600">{escape(sender)}</td></tr>'
        if sender
        else f'<tr><td style="height:4px;background:{band}"></td></tr>',
        f'<tr><td class="text" style="padding:24px 24px 8px;color:#16181d;font-size:16px;'
        f'line-height:24px">{_paragraphs(body)}</td></tr>',
    ]
    if mark:
        rows.append(
            '<tr><td class="muted" style="padding:16px 24px 8px;border-top:1px solid #e6e8ec;'
            f'color:#5b616e;font-size:14px;line-height:20px">{_paragraphs(signature)}</td></tr>'
        )
    return f"""\
<!doctype html>
<html><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>{escape(title)}</title>
<style>
{_DARK}
</style></head>
<body class="page" style="margin:0;padding:0;background:#f4f5f7">
<table class="page" role="presentation" width="100%" cellpadding="0" cellspacing="0" \
style="background:#f4f5f7;{_FONT}"><tr><td align="center" style="padding:24px 12px">
<table class="card" role="presentation" width="100%" cellpadding="0" cellspacing="0" \
style="max-width:560px;background:#ffffff;border:1px solid #e6e8ec;border-radius:10px;\
border-collapse:separate;overflow:hidden;text-align:left">
{chr(10).join(rows)}
</table></td></tr></table>
</body></html>
"""


def _paragraphs(text: str) -> str:
    parts = re.split(r"\n\s*\n", text.strip("\n"))
    return "\n".join(
        f'<p dir="auto" style="margin:0 0 16px;overflow-wrap:anywhere">'
        f"{_linked(part).replace(chr(10), '<br>')}</p>"
        for part in parts
        if part.strip()
    )


def _linked(text: str) -> str:
    """Return the escaped text, with its web addresses as links."""
    pieces: list[str] = []
    done = 0
    for found in _LINK.finditer(text):
        shown = found.group().rstrip(_AFTER_LINK)
        if not _is_plain(shown):
            continue
        link = escape(shown)
        pieces.append(escape(text[done : found.start()]))
        pieces.append(f'<a href="{link}" style="{_LINK_STYLE}">{link}</a>')
        done = found.start() + len(shown)
    pieces.append(escape(text[done:]))
    return "".join(pieces)


def _is_plain(address: str) -> bool:
    """Return True if the displayed host is the link's actual host. Return False for a host with
    non-ASCII characters because it can look like another host."""
    host = _HOST.match(address)
    # `urlsplit` normalizes the host in one call, which can take time quadratic in its length.
    if host is None or len(host.group()) > _MOST_HOST or not host.group().isascii():
        return False
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and "@" not in parts.netloc
    except ValueError:
        return False
