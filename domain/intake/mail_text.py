"""Extract the customer's new text from an email, without quoted replies and signature.

Parses line by line the formats of Gmail, Outlook, Apple Mail, Yahoo and Thunderbird in French and
English. Attribution lines in other languages use `mailparser_reply`'s regular expressions. The
library's `read()` takes quadratic time and cuts "Thanks, but I still want …" as a signature.
"""

import re
from functools import cache
from typing import Final

from mailparser_reply.parser import EmailMessage

from domain.core.effort import spend
from domain.core.plain_text import clean_text
from domain.intake.mail_html import MAX_HTML_CHARS, html_to_text

__all__ = ["MAX_HTML_CHARS", "latest_reply", "latest_reply_of_html", "looks_like_html"]

_MAX_SEARCHED: Final = 5_000
_MAX_SCANNED_LINES: Final = 5_000
_MAX_ATTRIBUTION_LINES: Final = 4
_MAX_ATTRIBUTION_CHARS: Final = 400
_MAX_LIBRARY_TRIES: Final = 20
_MAX_SIGNATURE_LINES: Final = 15
_OTHER_LANGUAGES: Final = ("de", "it", "nl", "pl", "cs", "da", "sv")

_HTML: Final = re.compile(
    r"<(?:!doctype html|html|body|head|div|p|br|span|table|blockquote)(?:\s[^<>]{0,500})?/?>",
    re.IGNORECASE,
)
_OPENER: Final = re.compile(
    r"(?:on|le|el|em|am|il|op|dnia|dne|den|\d|.{0,80}<[^<>\s]{1,100}>)", re.IGNORECASE
)
_WROTE: Final = re.compile(
    r"(?:(?<!you )(?<!we )(?<!i )wrote|a écrit|escribió|escreveu|ha scritto|schreef|schrieb"
    r"|schreef .{1,120}|schrieb .{1,120}) ?:$",
    re.IGNORECASE,
)
# An attribution contains a time, a year or an address. Prose that ends in "wrote:" usually contains
# none of them.
_STAMP: Final = re.compile(r"\d{1,2} ?[:h.] ?\d{2}|\b20\d{2}\b|<[^<>\s]{1,200}@[^<>\s]{1,200}>")
_OLD_GMAIL: Final = re.compile(r"\d{4}-\d{2}-\d{2} \d{1,2}:\d{2}.{0,120}<[^<>\s]{1,200}> ?:$")
_ORIGINAL: Final = re.compile(
    r"-{2,} ?(?:original message|message d['’]origine|message original|mensaje original"
    r"|ursprüngliche nachricht|messaggio originale|oorspronkelijk bericht) ?-{2,}$",
    re.IGNORECASE,
)
_FORWARD: Final = re.compile(
    r"(?:-{5,} ?(?:forwarded message|message transféré|message réexpédié) ?-{5,}"
    r"|begin forwarded message ?:|début du message (?:réexpédié|transféré) ?:)$",
    re.IGNORECASE,
)
_FROM: Final = re.compile(r"\*?(?:de|from|von|da|van|exp[ée]diteur) ?: ?\*? ?\S", re.IGNORECASE)
_SENT: Final = re.compile(
    r"\*?(?:envoyé(?: le)?|sent|gesendet|inviato|verzonden|enviado) ?:", re.IGNORECASE
)
_DATE: Final = re.compile(r"\*?(?:date|datum|data|fecha) ?:", re.IGNORECASE)
_TO: Final = re.compile(
    r"\*?(?:à|a|to|an|aan|para|objet|subject|betreff|oggetto|asunto) ?:", re.IGNORECASE
)
_RULE: Final = re.compile(r"(?:[-_=*]{2,}|—)$")
_MOBILE: Final = re.compile(
    r"(?:sent (?:from|with|via)|envoyé (?:de|depuis|avec|via|à partir)|provenance ?:"
    r"|get outlook for|obtenir outlook pour|télécharger outlook pour|gesendet von|inviato da"
    r"|enviado desde|verzonden vanaf)\b.{0,100}$",
    re.IGNORECASE,
)
_DEVICE: Final = re.compile(
    r"\b(?:iphone|ipad|ios|galaxy|samsung|android|mobile|smartphone|t[ée]l[ée]phone|portable|pixel"
    r"|huawei|xiaomi|windows|outlook|e?mail|courrier|yahoo|orange|sfr|proton|application|app"
    r"|appareil|device|tablette?|handy)\b",
    re.IGNORECASE,
)


def looks_like_html(text: str) -> bool:
    """Return True if a body declared as plain text contains the tags of an HTML mail."""
    spend(min(len(text), _MAX_SEARCHED))
    return _HTML.search(text[:_MAX_SEARCHED]) is not None


def latest_reply(text: str, *, forwarded: bool = False) -> str:
    """Return the customer's new text in a plain-text mail, or the whole text if nothing would be
    left.

    The text below a "Forwarded message" line is kept. If `forwarded` is true, the whole mail is
    kept. Never raises. Reads the first 100,000 characters in linear time.
    """
    whole = clean_text(text)
    return whole if forwarded else _cut(whole) or whole


def latest_reply_of_html(html: str, *, forwarded: bool = False) -> str:
    """Return the customer's new text in an HTML mail as plain text, as `latest_reply` does for
    plain text."""
    if not forwarded and (reply := _cut(clean_text(html_to_text(html, drop_quotes=True)))):
        return reply
    return clean_text(html_to_text(html, drop_quotes=False))


def _cut(text: str) -> str:
    spend(len(text))
    return clean_text("\n".join(_without_signature(_without_quotes(text.split("\n")))))


def _without_quotes(lines: list[str]) -> list[str]:
    """Return the lines outside quotes. Text below or between ">" quotes is an answer and is
    kept."""
    kept: list[str] = []
    library_tries = _MAX_LIBRARY_TRIES
    index = 0
    while index < len(lines):
        line = lines[index].strip()
        if line.startswith(">"):
            index += 1
            continue
        if index < _MAX_SCANNED_LINES and line:
            if _FORWARD.match(line):
                return kept + lines[index:]
            if _ORIGINAL.match(line) or _is_header_block(lines, index):
                return kept
            head = _joined_attribution(lines, index)
            if head and not _is_attribution(head[0]):
                head = head if library_tries > 0 and _library_attribution(head[0]) else None
                library_tries -= 1
            if head:
                index += head[1]
                if not _quote_follows(lines, index):
                    return kept
                continue
        kept.append(lines[index])
        index += 1
    return kept


def _joined_attribution(lines: list[str], index: int) -> tuple[str, int] | None:
    """Return a possible attribution that starts at this line, as a single line, and the number of
    lines it spans. Return None if no line within the limits ends with a colon."""
    if not _OPENER.match(lines[index].strip()):
        return None
    words = ""
    for count, line in enumerate(lines[index : index + _MAX_ATTRIBUTION_LINES], start=1):
        stripped = line.strip()
        if not stripped or len(words) + len(stripped) > _MAX_ATTRIBUTION_CHARS:
            return None
        words = f"{words} {stripped}".strip()
        if stripped.endswith(":"):
            return words, count
    return None


def _is_attribution(words: str) -> bool:
    if _OLD_GMAIL.match(words):
        return True
    return _WROTE.search(words) is not None and _STAMP.search(words) is not None


def _library_attribution(words: str) -> bool:
    """Return True if mailparser_reply recognizes the line as an attribution. The caller limits the
    line to _MAX_ATTRIBUTION_CHARS, which bounds the run time."""
    return _STAMP.search(words) is not None and _library_pattern().match(words) is not None


@cache
def _library_pattern() -> re.Pattern[str]:
    message = EmailMessage(text="", languages=list(_OTHER_LANGUAGES), include_english=False)
    pattern = message.HEADER_REGEX
    return pattern if isinstance(pattern, re.Pattern) else re.compile(r"(?!)")


def _quote_follows(lines: list[str], index: int) -> bool:
    following = (line.strip() for line in lines[index : index + 4])
    return next((line for line in following if line), "").startswith(">")


def _is_header_block(lines: list[str], index: int) -> bool:
    """Return True if Outlook's header block ("De : … Envoyé : …") begins at this line. The block is
    a From line, followed by a Sent line, or by a date and a recipient or subject."""
    if not _FROM.match(lines[index].strip()):
        return False
    following = [line.strip() for line in lines[index + 1 : index + 8] if line.strip()][:5]
    if any(_SENT.match(line) for line in following[:2]):
        return True
    return any(map(_DATE.match, following)) and any(map(_TO.match, following))


def _without_signature(lines: list[str]) -> list[str]:
    """Return the lines without the block below "--", and without any "Sent from my …" and
    horizontal rules at the end."""
    first = max(len(lines) - _MAX_SIGNATURE_LINES - 1, 1)
    for index in range(first, len(lines)):
        if lines[index].strip() == "--":
            lines = lines[:index]
            break
    end = len(lines)
    while end and _closes_mail(lines[end - 1].strip()):
        end -= 1
    return lines[:end]


def _closes_mail(line: str) -> bool:
    if not line or _RULE.match(line):
        return True
    return len(line) <= 120 and _MOBILE.match(line) is not None and _DEVICE.search(line) is not None
