"""Check whether the merchant's own mail server authenticated an email's sender (RFC 8601).

Any sender can write `Authentication-Results`. Only the topmost header from a configured server is
trusted. An unreadable header and all headers below it are not accepted as proof. Signatures are not
verified here.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from domain.core.effort import spend

RESULTS: Final = "authentication-results"
SIGNATURE: Final = "dkim-signature"
_MAX_CHARS: Final = 8_000
# The maximum lengths of a domain and its labels, in characters (RFC 1035). The limits also apply
# before conversion to ASCII because the ASCII form of a label is never shorter than the label.
_MAX_DOMAIN: Final = 253
_MAX_LABEL: Final = 63
# The characters that separate labels (RFC 3490).
_DOTS: Final = re.compile("[.\u3002\uff0e\uff61]")
_AUTHSERV_ID: Final = re.compile(r"[a-z0-9](?:[a-z0-9._-]{0,251}[a-z0-9])?", re.IGNORECASE)
_VERSION: Final = "1"
_METHOD: Final = re.compile(r"([a-z][a-z0-9-]{0,40})(?:/\d{1,3})?", re.IGNORECASE)
# DMARC results for a domain without a policy. They are not failures, because a signature may still
# authenticate the sender.
_NO_POLICY: Final = frozenset({"none", "bestguesspass"})


@dataclass(frozen=True, slots=True)
class _Finding:
    """One result in an Authentication-Results header. `method` is, for example, "dkim".
    `properties` maps the covered identities, such as `header.d`, to their values."""

    method: str
    result: str
    properties: tuple[tuple[str, str], ...]

    def domains(self, *names: str) -> tuple[str, ...]:
        return tuple(_domain(value) for name, value in self.properties if name in names)


@dataclass(frozen=True, slots=True)
class _Results:
    authserv_id: str
    findings: tuple[_Finding, ...]


def is_proved(address: str, headers: Sequence[str], authserv_ids: Iterable[str]) -> bool:
    """Return True if a trusted server authenticated the domain of the From `address`.

    `headers` are Authentication-Results values, topmost first. `authserv_ids` are the trusted
    servers. DMARC must pass. Without a DMARC result, DKIM or SPF must pass for the domain or a
    parent domain. Headers below an unreadable one are ignored.
    """
    trusted = frozenset(authserv_ids)
    for header in headers if trusted else ():
        read = _read(header)
        if read is None:
            return False
        if read.authserv_id in trusted:
            return _passes(read.findings, _domain(address))
    return False


def without_length(signatures: Iterable[str]) -> bool:
    """Return True if every DKIM signature covers the whole text of the email. A signature with a
    length tag (`l=`) covers only a part of the text."""
    return not any(
        tag.partition("=")[0].strip().lower() == "l"
        for signature in signatures
        for tag in signature.split(";")
    )


def is_of(address: str, named: str) -> bool:
    """Return True if authentication of the domain of `named` also authenticates the email address
    `address`. `named` is an address or a domain."""
    return _covers(_domain(named), _domain(address))


def _passes(findings: Sequence[_Finding], domain: str) -> bool:
    dmarc = [one for one in findings if one.method == "dmarc" and one.result not in _NO_POLICY]
    if dmarc:
        return all(one.result == "pass" for one in dmarc) and all(
            _covers(named, domain) for one in dmarc for named in one.domains("header.from")
        )
    return any(_is_aligned(one, domain) for one in findings if one.result == "pass")


def _is_aligned(finding: _Finding, domain: str) -> bool:
    if finding.method == "dkim":
        named = finding.domains("header.d") or finding.domains("header.i")
    elif finding.method == "spf":
        named = finding.domains("smtp.mailfrom")
    else:
        return False
    return bool(named) and all(_covers(one, domain) for one in named)


def _covers(named: str, domain: str) -> bool:
    """Return True if `domain` is `named` or one of its subdomains, so that authentication of
    `named` covers it.

    Authentication of a subdomain does not cover its parent domain, which can be a public suffix.
    """
    return "." in named and (domain == named or domain.endswith(f".{named}"))


def _domain(address: str) -> str:
    """Return the domain of an address in lower-case ASCII, or "" if it is not a domain.

    Overlong domains are rejected first because the standard library encodes labels in quadratic
    time.
    """
    domain = address.rpartition("@")[2].strip().rstrip(".").lower()
    if len(domain) > _MAX_DOMAIN or any(len(one) > _MAX_LABEL for one in _DOTS.split(domain)):
        return ""
    try:
        return domain if domain.isascii() else domain.encode("idna").decode("ascii")
    except UnicodeError:
        return ""


def _read(header: str) -> _Results | None:
    """Parse the value of an Authentication-Results header, or return None if it is malformed.
    Results in comments or quotation marks are ignored."""
    spend(min(len(header), _MAX_CHARS))
    statements = _statements(header) if len(header) <= _MAX_CHARS else None
    if not statements or not statements[0] or len(statements[0]) > 2:
        return None
    authserv_id, *version = statements[0]
    if version not in ([], [_VERSION]) or not _AUTHSERV_ID.fullmatch(authserv_id.rstrip(".")):
        return None
    findings = []
    for words in statements[1:]:
        if not words or words == ["none"]:
            continue
        finding = _finding(words)
        if finding is None:
            return None
        findings.append(finding)
    return _Results(authserv_id.rstrip(".").lower(), tuple(findings))


def _finding(words: Sequence[str]) -> _Finding | None:
    pairs = [
        (name.lower(), value) for name, mark, value in (w.partition("=") for w in words) if mark
    ]
    method = _METHOD.fullmatch(pairs[0][0]) if len(pairs) == len(words) else None
    if method is None:
        return None
    return _Finding(method[1].lower(), pairs[0][1].lower(), tuple(pairs[1:]))


def _statements(header: str) -> list[list[str]] | None:
    """Split the header into statements, and each into words without comments and quotation marks.
    Return None for an unclosed comment or string, or a word that begins with a quoted string."""
    statements: list[list[str]] = [[]]
    word = ""
    place = 0
    while place < len(header):
        letter = header[place]
        if letter in "(;" or letter.isspace():
            if word:
                statements[-1].append(word)
                word = ""
            if letter == ";":
                statements.append([])
            end = _comment_end(header, place) if letter == "(" else place + 1
        elif letter == '"':
            end = _string_end(header, place) if "=" in word or _awaits_value(statements) else None
            word += header[place + 1 : (end or 1) - 1]
        else:
            word += letter
            end = place + 1
        if end is None:
            return None
        place = end
    if word:
        statements[-1].append(word)
    return [_joined(words) for words in statements]


def _awaits_value(statements: list[list[str]]) -> bool:
    return bool(statements[-1]) and statements[-1][-1].endswith("=")


def _joined(words: Sequence[str]) -> list[str]:
    """Join the words around an equals sign: `dkim = pass` becomes `dkim=pass`."""
    joined: list[str] = []
    for word in words:
        previous = joined[-1] if joined else ""
        if previous and (word.startswith("=") or previous.find("=") == len(previous) - 1):
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def _comment_end(header: str, place: int) -> int | None:
    depth = 0
    while place < len(header):
        if header[place] == "\\":
            place += 1
        elif header[place] == "(":
            depth += 1
        elif header[place] == ")":
            depth -= 1
            if not depth:
                return place + 1
        place += 1
    return None


def _string_end(header: str, place: int) -> int | None:
    place += 1
    while place < len(header):
        if header[place] == "\\":
            place += 1
        elif header[place] == '"':
            return place + 1
        place += 1
    return None
