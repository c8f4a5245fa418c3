"""Search the product's documents for the copilot. The documents are split into sections, and BM25
ranks the sections."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import Final

from domain.copilot.bilingual import in_english
from domain.copilot.words import STOP_WORDS, plain_words, stem
from domain.core.text import fold

# The usual BM25 constants. `_K1` limits the effect of repeated words. `_B` controls the influence
# of a section's length.
_K1: Final = 1.2
_B: Final = 0.75
# The weight of a word in a heading, relative to a word in the body.
_HEADING: Final = 6
_MAX_QUERY_WORDS: Final = 24
# The copilot's own page quotes many kinds of questions. A search therefore returns it only if the
# question mentions the copilot.
_OWN_PAGE: Final = "copilot.md"
_OWN_NAMES: Final = frozenset({"copilot", "copilote"})
_EXCERPT: Final = 400
# Sections for the operators of the service. Members have no use for them.
_FOR_OPERATORS: Final = frozenset({"For operators", "Pour les exploitants"})

_DEVELOPMENT: Final = frozenset(
    {"api", "cle", "cles", "key", "keys", "mcp", "sdk", "http", "curl", "json", "url", "code"}
)
_DEVELOPMENT_STARTS: Final = (
    "webhook", "endpoint", "secret", "signature", "hmac", "token", "jeton", "oauth", "idempot",
    "payload", "integrat", "developp", "develop", "script", "header",
)  # fmt: skip

_HEADED: Final = re.compile(r"^(#{1,4})\s+(\S.*)$")
_TOKEN: Final = re.compile(r"[a-z0-9]+")
_LINK: Final = re.compile(r"\[([^\[\]]{1,200})\]\([^()\s]{1,300}\)")
_NO_SLUG: Final = re.compile(r"[^\w\- ]+")


@dataclass(frozen=True, slots=True)
class DocumentSection:
    """The text below one heading of a document. `page` is the file name, such as `webhooks.md`, and
    `title` its title."""

    page: str
    title: str
    heading: str
    text: str

    @property
    def place(self) -> str:
        """Return the path of the section's page with its heading as the anchor, such as
        `docs/webhooks.md#retries`."""
        slug = _NO_SLUG.sub("", self.heading.lower()).replace(" ", "-")
        return f"docs/{self.page}#{slug}"

    @property
    def excerpt(self) -> str:
        """Return the start of the section: whole paragraphs up to a maximum length, without tables
        and code."""
        kept: list[str] = []
        for paragraph in self.text.split("\n\n"):
            plain = " ".join(_LINK.sub(r"\1", paragraph).split())
            if not plain or plain.startswith(("|", "```", "    ", "<")):
                continue
            if kept and sum(map(len, kept)) + len(plain) > _EXCERPT:
                break
            kept.append(plain)
        return "\n".join(kept)[: 2 * _EXCERPT]


@dataclass(frozen=True, slots=True)
class FoundSection:
    """A section found by a search. `score` is its relevance, comparable only within one search."""

    section: DocumentSection
    score: float


class DocumentIndex:
    """An inverted index of the documents, built once. A search scores only the sections that have a
    word in common with the question."""

    def __init__(
        self, sections: Iterable[DocumentSection], developer_pages: Set[str] = frozenset()
    ) -> None:
        self._sections = tuple(sections)
        self._developer_pages = developer_pages
        counts = [_counts(section) for section in self._sections]
        self._lengths = [sum(count.values()) for count in counts]
        self._mean = max(1.0, sum(self._lengths) / max(1, len(self._lengths)))
        self._places: dict[str, list[tuple[int, int]]] = {}
        for number, count in enumerate(counts):
            for word, times in count.items():
                self._places.setdefault(word, []).append((number, times))

    @staticmethod
    def of(pages: Mapping[str, str], developer_pages: Set[str] = frozenset()) -> "DocumentIndex":
        """Return an index of documents. `pages`: Markdown text by file name. A search returns
        `developer_pages` only for a question about a developer's subject."""
        return DocumentIndex(
            (
                section
                for page, text in sorted(pages.items())
                for section in _sections(page, text)
                if section.heading not in _FOR_OPERATORS
            ),
            developer_pages,
        )

    def __len__(self) -> int:
        return len(self._sections)

    def search(self, question: str, limit: int = 3) -> tuple[FoundSection, ...]:
        """Return the `limit` most relevant sections for a question, most relevant first. Rare words
        weigh more.

        French words also match their English equivalents because most documents are in English.
        """
        asked = [word for word in plain_words(question) if word not in STOP_WORDS]
        wanted = dict.fromkeys(map(stem, [*asked, *in_english(asked)]))
        hidden = set() if asks_of_development(asked) else set(self._developer_pages)
        if _OWN_NAMES.isdisjoint(asked):
            hidden.add(_OWN_PAGE)
        scores: Counter[int] = Counter()
        for word in list(wanted)[:_MAX_QUERY_WORDS]:
            places = self._places.get(word, [])
            rarity = math.log(1 + (len(self._sections) - len(places) + 0.5) / (len(places) + 0.5))
            for number, times in places:
                length = 1 - _B + _B * self._lengths[number] / self._mean
                scores[number] += rarity * times * (_K1 + 1) / (times + _K1 * length)  # type: ignore[assignment]
        found = (number for number in scores if self._sections[number].page not in hidden)
        best = sorted(found, key=lambda number: (-scores[number], number))[:limit]
        return tuple(FoundSection(self._sections[one], round(scores[one], 4)) for one in best)


def asks_of_development(words: Iterable[str]) -> bool:
    """Return True if a word of a question names a developer's subject."""
    return any(word in _DEVELOPMENT or word.startswith(_DEVELOPMENT_STARTS) for word in words)


def _counts(section: DocumentSection) -> Counter[str]:
    counts = Counter(map(stem, _TOKEN.findall(fold(section.text))))
    for word in _TOKEN.findall(fold(f"{section.heading} {section.title}")):
        counts[stem(word)] += _HEADING
    return counts


def _sections(page: str, text: str) -> Iterable[DocumentSection]:
    title = heading = page
    lines: list[str] = []
    in_code = False
    for line in text.splitlines():
        in_code ^= line.startswith("```")
        headed = None if in_code else _HEADED.match(line)
        if headed is None:
            lines.append(line)
            continue
        if any(map(str.strip, lines)):
            yield DocumentSection(page, title, heading, "\n".join(lines).strip())
        heading = headed[2]
        title = heading if len(headed[1]) == 1 else title
        lines = []
    if any(map(str.strip, lines)):
        yield DocumentSection(page, title, heading, "\n".join(lines).strip())
