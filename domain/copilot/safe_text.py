"""Make a language model's text safe to display: only our links, and none of the model's
instructions.

A model reads customers' text. A link or an image in its answer could send this text to another
server as soon as a browser loads it.
"""

import re
from collections import deque
from collections.abc import Iterable
from typing import Final

from domain.copilot.words import plain_words
from domain.core.plain_text import without_controls

REMOVED: Final = "[…]"
"""Replaces a link that no tool returned."""

# A common sequence of this many words is no coincidence.
_SHARED_WORDS: Final = 8
# Text of more characters without a blank is neither a word nor a link.
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
    """Passes a model's text on, piece by piece, once each piece is known to be safe.

    `links`: the links that tools returned, looked up for each token because tools keep adding
    links. `secret`: a text of ours that the answer must not repeat verbatim.
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
        """Return the text that may be displayed now. A token is held back until a blank ends it."""
        self._kept += without_controls(piece)
        cut = max(self._kept.rfind(" "), self._kept.rfind("\n"))
        if cut < 0 and len(self._kept) <= _LONGEST_TOKEN:
            return ""
        ready, self._kept = self._kept[: cut + 1], self._kept[cut + 1 :]
        if len(self._kept) > _LONGEST_TOKEN:
            self._kept = REMOVED
        return self._shown(ready)

    def end(self) -> str:
        """Return the text that is still held back."""
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
        """Return a token (text without blanks) with unknown links removed, and without markup that
        could hide a link."""
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
    """Return all words of a long text of ours, normalized as `SafeText` compares them."""
    return tuple(word for line in text.splitlines() for word in plain_words(line))
