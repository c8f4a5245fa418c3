"""Split a knowledge entry into chunks of about CHUNK_WORDS words, and each chunk into sentences."""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Final

from domain.core.effort import spend

CUT: Final = 1
"""The version of the chunking rules. Entries with embeddings from another version are embedded
again. A change requires a migration that sets `knowledge_entries.digest` to NULL."""

CHUNK_WORDS: Final = 100

MAX_SENTENCES: Final = 500
"""Maximum number of sentences per knowledge entry that are embedded. Only keyword search finds the
rest."""

# A short entry has fewer sentences, because each embedding takes much more space than a sentence of
# one letter. The sentences in `evaluation/shops` have at least 33 characters on average.
_FEWEST_SENTENCES: Final = 20
_CHARS_PER_SENTENCE: Final = 20

MAX_HEADING: Final = 400
"""Maximum length of a heading. Each sentence of a chunk is returned with its heading, so a
long heading would be copied hundreds of times."""

_SECTION_CHARS: Final = 200
_HEADING_CHARS: Final = 90
_FEW_WORDS: Final = 4
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])[\"»”)]?\s+(?=[\"«“(]?[^\sa-zß-ÿ])")
# A full stop after these abbreviations does not end a sentence.
_ABBREVIATION: Final = re.compile(
    r"\b(?:M|Mme|Mlle|Mr|Mrs|Dr|St|Ste|env|max|min|approx|ca|art|n°|no|tél|tel|p\.?ex|e\.g|i\.e"
    r"|etc|vs|incl|excl|bd|av|cf)\.[\"»”)]?$",
    re.IGNORECASE,
)
_BULLET: Final = re.compile(r"^[-*•–—‣·]\s+")
_MARKDOWN_HEADING: Final = re.compile(r"^#{1,6}\s+")
_EMPHASIS: Final = re.compile(r"(\*\*|__)(?=\S)(.{1,200}?)(?<=\S)\1")
# Steps of the effort budget spent per line, in addition to one step per character. Even an empty
# line requires several searches.
_LINE_STEPS: Final = 10


def text_digest(title: str, body: str) -> bytes:
    """Return the digest of an entry's text. It depends on the version of the chunking rules, so
    that entries chunked under older rules are stale."""
    return hashlib.sha256(f"{CUT}\n{title}\n{body}".encode()).digest()


@dataclass(frozen=True, slots=True)
class Chunk:
    """A chunk of a knowledge entry: consecutive sentences under one heading. `heading`: empty if
    the sentences have no heading."""

    heading: str
    sentences: tuple[str, ...]

    def text(self, title: str) -> str:
        """Return the text to embed for the whole chunk. `title` is the title of the entry."""
        return "\n".join(filter(None, (title, self.heading, *self.sentences)))

    def lines(self, title: str) -> tuple[str, ...]:
        """Return the texts to embed for the sentences. Each sentence is prefixed with the entry's
        title and the heading."""
        above = ", ".join(filter(None, (title, self.heading.rstrip(":"))))
        return tuple(f"{above}: {sentence}" for sentence in self.sentences)


def max_sentences(chars: int) -> int:
    """Return the maximum number of sentences that are embedded of a text of this length."""
    return min(MAX_SENTENCES, _FEWEST_SENTENCES + chars // _CHARS_PER_SENTENCE)


def chunks_of(body: str) -> tuple[Chunk, ...]:
    """Return the chunks of an entry's body, in order, with at most `max_sentences` sentences. An
    empty body has no chunks."""
    spend(len(body))
    found: list[Chunk] = []
    heading, held, words = "", list[str](), 0
    for line_heading, sentence in islice(_sentences(body), max_sentences(len(body))):
        size = len(sentence.split())
        if held and (line_heading != heading or words + size > CHUNK_WORDS):
            found.append(Chunk(heading, tuple(held)))
            held, words = [], 0
        heading = line_heading
        held.append(sentence)
        words += size
    if held:
        found.append(Chunk(heading, tuple(held)))
    return tuple(found)


def _sentences(body: str) -> Iterator[tuple[str, str]]:
    """Yield each sentence of a body with its heading. A heading is a heading line, a line that
    introduces a list, or both joined."""
    lines = _lines(body)
    section, lead = "", ""
    for place, line in enumerate(lines):
        spend(_LINE_STEPS)
        # Blank lines never follow each other, so the next text is at most two lines away.
        following = next(filter(None, lines[place + 1 : place + 3]), "")
        if not line:
            # A blank line ends a list, except between the list and its introduction.
            lead = lead if _BULLET.match(following) else ""
            continue
        if _is_heading(line, lines[place - 1] if place else "", following):
            section, lead = _MARKDOWN_HEADING.sub("", line)[:_SECTION_CHARS], ""
            continue
        if line.endswith(":") and len(line) <= 2 * _HEADING_CHARS:
            lead = line
            if following:
                continue
        if not _BULLET.match(line) and lead and not _is_row(line):
            lead = ""
        heading = " – ".join(filter(None, (section.rstrip(":"), lead.rstrip(": "))))
        for sentence in _split(_BULLET.sub("", line)):
            yield heading, sentence


def _lines(body: str) -> list[str]:
    """Return the trimmed lines of a body without emphasis marks. Consecutive blank lines are
    collapsed into one."""
    kept: list[str] = []
    for given in body.splitlines():
        line = given.strip()
        if line or (kept and kept[-1]):
            kept.append(_EMPHASIS.sub(r"\2", line))
    return kept


def _is_heading(line: str, before: str, following: str) -> bool:
    if _MARKDOWN_HEADING.match(line):
        return True
    if _BULLET.match(line) or before or not following or len(line) > _HEADING_CHARS:
        return False
    return line[-1] not in ".!…;,:" and ": " not in line and not line[0].islower()


def _is_row(line: str) -> bool:
    """Return True if the line is a row in a table written as plain lines, such as "Up to 70 kg:
    frame S"."""
    return ": " in line or "|" in line or "→" in line


def _split(line: str) -> Iterator[str]:
    """Yield the sentences in a line. A sentence of few words, such as "A return?", is combined with
    the next sentence."""
    begin = 0
    for end in _SENTENCE_END.finditer(line):
        part = line[begin : end.start()].strip()
        if _ABBREVIATION.search(part[-12:]) or len(part.split()) <= _FEW_WORDS:
            continue
        yield part
        begin = end.end()
    if rest := line[begin:].strip():
        yield rest
