"""Make a language model's text safe to display: only links that our tools returned, and none of our
instructions.

The model reads customer text, so an attacker could put a link or image into its answer. Loading it
would send text from the answer to another server.
"""

import re
from collections import deque
from collections.abc import Iterable
from typing import Final

from domain.copilot.words import plain_words
from domain.core.plain_text import without_controls

REMOVED: Final = "[…]"
"""The text that replaces a link that no tool returned."""

# Number of consecutive words of the secret text after which the answer is stopped. A sequence of
# this length is not a coincidence.
_SHARED_WORDS: Final = 8
# Maximum length of a token, in characters. A longer text without a blank is not a word or a link.
_LONGEST_TOKEN: Final = 2_000

_TOKEN: Final = re.compile(r"\S+|\s+")
_TARGET: Final = re.compile(r"\]\(([^()\s]*)\)")
_TAG: Final = re.compile(r"<(?=[A-Za-z/!?])")
_AROUND: Final = ".,;:!?*_()\"'«»"
_ADDRESS: Final = re.compile(
    r"""(?:[a-z][a-z0-9+.\-]{0,30}:|)[/\\]{2}[^\s<>"'`\])]*"""  # https://…, //…
    r"""|(?:javascript|vbscript):[^\s<>"'`\])]*"""
    r"""|\b(?:data|file|blob|mailto|tel|sms):[^\s<>"'`\])]*"""
    r"""|\bwww\.[^\s<>"'`\])]*"""
    r"""|\b[a-z0-9\-]{1,63}(?:\.[a-z0-9\-]{1,63}){1,8}(?::\d{1,5})?[/?#][^\s<>"'`\])]*""",
    re.IGNORECASE,
)


class SafeText:
    """A streaming filter for a model's text. It releases each piece once it is known to be safe.

    `links` are the links that tools returned so far, and may grow while the answer arrives.
    `secret` is an internal text that must not be repeated verbatim.
    """

    def __init__(self, links: "Links", secret: str = "") -> None:
        self._links = links
        self._kept = ""
        words = plain_runs(secret)
        self._runs = {
            words[at : at + _SHARED_WORDS] for at in range(len(words) - _SHARED_WORDS + 1)
        }
        self._last: deque[str] = deque(maxlen=_SHARED_WORDS)
        self.is_stopped = False

    def add(self, piece: str) -> str:
        """Add a piece of the model's text, and return the text that may be displayed now. A token
        is held back until a blank follows it."""
        self._kept += without_controls(piece)
        cut = max(self._kept.rfind(" "), self._kept.rfind("\n"))
        if cut < 0 and len(self._kept) <= _LONGEST_TOKEN:
            return ""
        ready, self._kept = self._kept[: cut + 1], self._kept[cut + 1 :]
        if len(self._kept) > _LONGEST_TOKEN:
            self._kept = REMOVED
        return self._shown(ready)

    def end(self) -> str:
        """Return the text that is still held back, after the model's last piece."""
        ready, self._kept = self._kept, ""
        return self._shown(ready)

    def _shown(self, text: str) -> str:
        shown: list[str] = []
        for token in _TOKEN.findall(text):
            if self.is_stopped:
                break
            self._last.extend(plain_words(token))
            if tuple(self._last) in self._runs:
                self.is_stopped = True
                shown.append(REMOVED)
                break
            shown.append(self._cleaned(token))
        return "".join(shown)

    def _cleaned(self, token: str) -> str:
        if token.isspace():
            return token
        return self._links.cleaned(token) if len(token) <= _LONGEST_TOKEN else REMOVED


class Links:
    """The links that tools have returned in this conversation."""

    def __init__(self) -> None:
        self._known: set[str] = set()

    def add(self, links: Iterable[str]) -> None:
        self._known.update(links)

    def cleaned(self, token: str) -> str:
        """Return `token`, a text without blanks, after removing unknown links and markup that could
        hide a link."""
        if token.strip(_AROUND) in self._known:
            return token
        target = _TARGET.search(token)
        if target is not None:
            before, after = token[: target.start()], token[target.end() :]
            kept = f"]({target[1]})" if target[1] in self._known else f"] {REMOVED}"
            return f"{self._plain(before)}{kept}{self.cleaned(after)}"
        return self._plain(token)

    def _plain(self, token: str) -> str:
        token = token.replace("![", "[").replace("]:", "] :").replace("](", "] (")
        token = _TAG.sub("\u2039", token)
        return _ADDRESS.sub(lambda found: self._address(found[0]), token)

    def _address(self, address: str) -> str:
        return address if address.strip(_AROUND) in self._known else REMOVED


def plain_runs(text: str) -> tuple[str, ...]:
    """Return all words of a long text, in the form in which `SafeText` compares words."""
    return tuple(word for line in text.splitlines() for word in plain_words(line))
