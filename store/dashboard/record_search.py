"""Prefix search in one client's conversations and articles.

Row-level security prevents a full-text index. A search examines a limited number of conversations,
but all articles, which are limited in number.
"""

from collections.abc import Sequence
from string import ascii_lowercase
from typing import Any, Final

import sqlalchemy as sa

from domain.dashboard.search import FoundArticle, FoundTicket
from store.core.repository import TenantRepository

EXAMINED: Final = 500
"""Maximum number of latest conversations that a word search examines, and of latest messages that a
search by address examines."""

MESSAGES_EXAMINED: Final = 6
"""Maximum number of the latest messages, including answers, that a word search examines per
conversation."""

# The limits keep the CPU time of a search low because the command palette searches with each
# keystroke.
_READ_CHARS: Final = 500
_ACCENTED: Final = "ŒÆÀÂÄÁÃÅÇÉÈÊËÍÎÏÌÑÓÔÖÒÕÚÛÜÙŸàâäáãåçéèêëíîïìñóôöòõúûüùÿ"
_PLAIN: Final = "œæaaaaaaceeeeiiiinooooouuuuyaaaaaaceeeeiiiinooooouuuuy"
_LIGATURES: Final = {"oe": "œŒ", "ae": "æÆ"}
_VARIANTS: Final = {
    plain: "".join(one for one, to in zip(_ACCENTED, _PLAIN, strict=True) if to == plain)
    for plain in sorted({*_PLAIN} & {*ascii_lowercase})
}
# Folding each text with `translate` and `normalize` takes PostgreSQL twenty times as long as a
# match against a pattern with all variants of each letter. Only texts with combining characters are
# normalized.
_COMPOSED: Final = """CASE WHEN {0} ~ '[\u0300-\u036f]' THEN normalize({0}, NFC) ELSE {0} END"""
_HAS_WORDS: Final = f"{_COMPOSED} ~* ALL (CAST(:patterns AS text[]))"

_SHOWN: Final = """talk.id, talk.customer_email, talk.last_message_at, (
        SELECT left(body, 200) FROM engine_messages
        WHERE client_id = :client_id AND conversation_id = talk.id AND direction = 'inbound'
        ORDER BY created_at DESC LIMIT 1) AS latest"""
_NEWEST: Final = """
    SELECT id, customer_email, last_message_at FROM ai_conversations
    WHERE client_id = :client_id ORDER BY last_message_at DESC, id DESC LIMIT :examined"""
_BY_TIME: Final = "ORDER BY talk.last_message_at DESC, talk.id DESC LIMIT :limit"
# OFFSET 0 forces a lookup by primary key for each id.
_OF_IDS: Final = f"""
    SELECT {_SHOWN} FROM ({{ids}}) AS given CROSS JOIN LATERAL (
        SELECT id, customer_email, last_message_at FROM ai_conversations
        WHERE client_id = :client_id AND id = given.conversation_id OFFSET 0
    ) AS talk {_BY_TIME}"""  # noqa: S608 - our own SQL
_RECENT: Final = sa.text(
    f"SELECT {_SHOWN} FROM ({_NEWEST}) AS talk {_BY_TIME}"  # noqa: S608 - likewise
)
_BY_WORDS: Final = sa.text(f"""
    SELECT {_SHOWN} FROM ({_NEWEST}) AS talk
    WHERE {_HAS_WORDS.format("coalesce(talk.customer_email, '')")} OR EXISTS (
        SELECT FROM (
            SELECT direction, body FROM engine_messages
            WHERE client_id = :client_id AND conversation_id = talk.id
            ORDER BY created_at DESC LIMIT :messages
        ) AS said
        WHERE said.direction = 'inbound'
          AND {_HAS_WORDS.format(f"left(said.body, {_READ_CHARS})")})
    {_BY_TIME}
""")  # noqa: S608 - likewise
_BY_ADDRESS: Final = sa.text(
    _OF_IDS.format(
        ids="""SELECT DISTINCT conversation_id FROM (
        SELECT conversation_id FROM engine_messages
        WHERE client_id = :client_id AND customer_key = :key AND direction = 'inbound'
        ORDER BY created_at DESC LIMIT :examined) AS said WHERE conversation_id IS NOT NULL"""
    )
)
_OF_RUNS: Final = sa.text(
    _OF_IDS.format(
        ids="""SELECT DISTINCT said.conversation_id
        FROM unnest(CAST(:runs AS text[])) AS asked (run_id)
        CROSS JOIN LATERAL (
            SELECT event_id FROM engine_runs
            WHERE client_id = :client_id AND id = asked.run_id OFFSET 0
        ) AS run
        CROSS JOIN LATERAL (
            SELECT conversation_id FROM engine_messages
            WHERE client_id = :client_id AND event_id = run.event_id AND direction = 'inbound'
              AND conversation_id IS NOT NULL OFFSET 0
        ) AS said"""
    )
)
_ARTICLES: Final = sa.text(f"""
    SELECT id, title, language FROM (
        SELECT id, title, language, {_HAS_WORDS.format("title")} AS is_titled,
               search @@ CASE language WHEN 'fr' THEN to_tsquery('french', :query)
                         ELSE to_tsquery('english', :query) END AS is_found
        FROM knowledge_entries WHERE client_id = :client_id
    ) AS entry
    WHERE is_titled OR is_found ORDER BY is_titled DESC, title, id LIMIT :limit
""")  # noqa: S608 - likewise


class RecordSearch(TenantRepository):
    """A search for records, at most `limit` per method. `words` are the result of
    `searched_words`."""

    async def recent(self, limit: int) -> tuple[FoundTicket, ...]:
        """Return the conversations with the latest messages."""
        return await self._tickets(_RECENT, limit, examined=limit)

    async def by_address(self, key: str, limit: int) -> tuple[FoundTicket, ...]:
        """Return the conversations with messages from an address, latest message first. `key` is
        the address, as returned by `customer_key`."""
        return await self._tickets(_BY_ADDRESS, limit, key=key, examined=EXAMINED)

    async def by_words(self, words: Sequence[str], limit: int) -> tuple[FoundTicket, ...]:
        """Return the conversations that match all of the words, latest message first. A
        conversation matches if its customer's address, or the beginning of one of the customer's
        latest messages, contains all of the words."""
        return await self._tickets(
            _BY_WORDS,
            limit,
            patterns=_patterns(words),
            examined=EXAMINED,
            messages=MESSAGES_EXAMINED,
        )

    async def of_runs(self, run_ids: Sequence[str], limit: int) -> tuple[FoundTicket, ...]:
        """Return these runs' conversations, latest message first."""
        return await self._tickets(_OF_RUNS, limit, runs=list(run_ids))

    async def articles(self, words: Sequence[str], limit: int) -> tuple[FoundArticle, ...]:
        """Return the articles that contain all of the words. Articles with the words in their
        titles come first."""
        given = {
            "client_id": self._tenant,
            "limit": limit,
            "patterns": _patterns(words),
            "query": " & ".join(f"{word}:*" for word in words),
        }
        rows = await self._connection.execute(_ARTICLES, given)
        return tuple(FoundArticle(**row._asdict()) for row in rows)

    async def _tickets(
        self, query: sa.TextClause, limit: int, **given: object
    ) -> tuple[FoundTicket, ...]:
        values: dict[str, Any] = {"client_id": self._tenant, "limit": limit, **given}
        rows = await self._connection.execute(query, values)
        return tuple(FoundTicket(**row._asdict()) for row in rows)


def _patterns(words: Sequence[str]) -> list[str]:
    """Return a regular expression for each word, which matches the word as a prefix, regardless of
    case and accents. `words`: ASCII letters and digits."""
    return [rf"\m{_pattern(word)}" for word in words]


def _pattern(word: str) -> str:
    """Return a regular expression for a word. A ligature matches both of its letters. At the end of
    the word, it also matches the first letter alone."""
    if word[:2] in _LIGATURES:
        both = f"{_letter(word[0])}{_letter(word[1])}"
        return f"(?:{both}|[{_LIGATURES[word[:2]]}]){_pattern(word[2:])}"
    if len(word) == 1:
        begins = "".join(two for one, two in _LIGATURES.items() if one[0] == word)
        return _letter(word, begins)
    return _letter(word[0]) + _pattern(word[1:]) if word else ""


def _letter(letter: str, more: str = "") -> str:
    return f"[{letter}{_VARIANTS.get(letter, '')}{more}]"
