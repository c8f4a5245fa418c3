"""Search the latest messages of one client's conversations for words.

PostgreSQL cannot use a text index under row-level security, so a search reads the texts. Two limits
bound its cost (decision 0133). A search that reaches a limit returns the position from which the
next search continues.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

import sqlalchemy as sa

from domain.runs.correspondence import ConversationSummary
from store.core.repository import COMPOUNDS, TenantRepository, without_compounds
from store.runs.conversation_reading import ConversationReader

LOOKED_THROUGH: Final = 1_000
"""Maximum number of conversations examined by one search."""

MESSAGES_OF_ONE: Final = 50
"""Maximum number of messages of a conversation that are searched, newest first."""

READ_CHARS: Final = 4_000
"""Maximum length of the beginning of a message that is searched, in characters."""

# A ULID starts with a digit from 0 to 7, so this text sorts after every ULID.
_BEYOND_ALL: Final = "8"
# The size of the texts that one search compares with `_pattern`, and of those that it parses into
# words, in bytes. Parsing takes twenty times as long. Each limit exceeds the size of a single
# conversation's texts, so every search makes progress.
_EXAMINED_BYTES: Final = 16_000_000
_PARSED_BYTES: Final = 1_000_000
_READ_BYTES: Final = 4 * READ_CHARS
# The cost of parsing a short text, expressed as a size.
_OF_A_TEXT: Final = 200

# A stemmer replaces at most the last two letters of a word's stem, and E stands for its accented
# forms (`tests/store/runs/test_conversation_search.py`).
_REPLACED: Final = 2
_E: Final = "eéèêë"

_END: Final = sa.text("""
    SELECT id FROM ai_conversations WHERE client_id = :client_id AND id < :before
    ORDER BY id DESC OFFSET :looked_through - 1 LIMIT 1
""")
_TALKS: Final = """
    SELECT id FROM ai_conversations
    WHERE client_id = :client_id AND id < :before AND id >= :until
      AND (CAST(:customer AS text) IS NULL OR lower(customer_email) = lower(:customer))
    ORDER BY id DESC
"""
_ALL: Final = sa.text(f"{_TALKS} LIMIT :limit")
_STEMS: Final = sa.text("""
    SELECT tsvector_to_array(to_tsvector('french', :words)) AS french,
           tsvector_to_array(to_tsvector('english', :words)) AS english
""")
_SPACES: Final = " " * len(COMPOUNDS)
_WITH_WORDS: Final = sa.text(f"""
    WITH talk AS MATERIALIZED ({_TALKS}), said AS MATERIALIZED (
        SELECT talk.id, message.id AS message_id, message.created_at, message.body,
               sum(least(octet_length(message.body), {_READ_BYTES})) OVER (
                   ORDER BY talk.id DESC, message.created_at DESC, message.id DESC
                   ROWS UNBOUNDED PRECEDING) AS bytes
        FROM talk CROSS JOIN LATERAL (
            SELECT id, created_at, body FROM engine_messages
            WHERE client_id = :client_id AND conversation_id = talk.id
            ORDER BY created_at DESC LIMIT {MESSAGES_OF_ONE}) AS message
    ), compared AS (
        SELECT id, message_id, created_at, body,
               text LIKE ALL (CAST(:like_french AS text[])) AS is_french,
               text LIKE ALL (CAST(:like_english AS text[])) AS is_english
        FROM (
            SELECT *, lower(left(body, {READ_CHARS})) AS text
            FROM said WHERE bytes <= :examined_bytes OFFSET 0) AS lowered
        OFFSET 0
    ), near AS MATERIALIZED (
        SELECT id, body, is_french, is_english,
               sum({_OF_A_TEXT} + least(octet_length(body), {_READ_BYTES})) OVER (
                   ORDER BY id DESC, created_at DESC, message_id DESC
                   ROWS UNBOUNDED PRECEDING) AS bytes
        FROM compared WHERE is_french OR is_english
    ), cut AS MATERIALIZED (
        -- The newest conversation with a text beyond the limits.
        SELECT greatest(
            (SELECT max(id) FROM said WHERE bytes > :examined_bytes),
            (SELECT max(id) FROM near WHERE bytes > :parsed_bytes)) AS id
    ), parsed AS (
        SELECT id, array_agg(left(body, {READ_CHARS})) AS texts,
               array_agg(is_french) AS are_french, array_agg(is_english) AS are_english
        FROM near WHERE bytes <= :parsed_bytes AND id > coalesce((SELECT id FROM cut), '')
        GROUP BY id ORDER BY id DESC OFFSET 0
    )
    SELECT (SELECT min(talk.id) FROM talk, cut WHERE talk.id > cut.id) AS until,
           ARRAY (
               SELECT id FROM parsed WHERE EXISTS (
                   SELECT FROM (
                       SELECT translate(text, '{COMPOUNDS}', '{_SPACES}') AS text,
                              is_french, is_english
                       FROM unnest(texts, are_french, are_english)
                           AS message (text, is_french, is_english)) AS message
                   WHERE is_french AND to_tsvector('french', text)
                             @@ plainto_tsquery('french', :words)
                      OR is_english AND to_tsvector('english', text)
                             @@ plainto_tsquery('english', :words))
               ORDER BY id DESC LIMIT :limit) AS found
""")  # noqa: S608 - constants are put in, no value


@dataclass(frozen=True, slots=True)
class FoundConversations:
    """The conversations that a search found. `until` is the id of the last conversation examined,
    or None if all were examined."""

    conversations: tuple[ConversationSummary, ...]
    until: str | None


@dataclass(frozen=True, slots=True)
class ConversationSearch:
    """The criteria for searching conversations. `words`: words, in French or English, that must all
    occur in the same message."""

    words: str | None = None
    customer: str | None = None


class ConversationSearcher(TenantRepository):
    async def search(
        self, wanted: ConversationSearch, *, before: str | None, limit: int
    ) -> FoundConversations:
        """Search the newest `LOOKED_THROUGH` conversations that precede `before`, or fewer if their
        messages are long. Return the matches, newest first."""
        begin = {"client_id": self._tenant, "before": before or _BEYOND_ALL}
        until: str | None = await self._connection.scalar(
            _END, {**begin, "looked_through": LOOKED_THROUGH}
        )
        given = {**begin, "until": until or "", "customer": wanted.customer, "limit": limit}
        if wanted.words is None:
            ids = list((await self._connection.scalars(_ALL, given)).all())
        else:
            cut, ids = await self._with_words(without_compounds(wanted.words), given)
            until = cut or until
        found = await ConversationReader(self._connection, self._tenant).some(ids)
        return FoundConversations(tuple(sorted(found, key=_id, reverse=True)), until)

    async def _with_words(
        self, words: str, given: Mapping[str, object]
    ) -> tuple[str | None, list[str]]:
        """Return the last conversation examined before a limit was reached, or None, and the ids of
        the matches."""
        stems = (await self._connection.execute(_STEMS, {"words": words})).one()
        values = {
            **given,
            "words": words,
            "like_french": _patterns(stems.french),
            "like_english": _patterns(stems.english),
            "examined_bytes": _EXAMINED_BYTES,
            "parsed_bytes": _PARSED_BYTES,
        }
        row = (await self._connection.execute(_WITH_WORDS, values)).one()
        return row.until, row.found


def _patterns(stems: Iterable[str]) -> list[str] | None:
    """Return a LIKE pattern for each stem, or None without a stem, because no text matches then."""
    return [_pattern(stem) for stem in stems] or None


def _pattern(stem: str) -> str:
    """Return a LIKE pattern that matches every lowercase text with a word of this stem. It also
    matches other texts."""
    if not any(map(str.isdigit, stem)):
        stem = stem[: max(1, len(stem) - _REPLACED)]
    return "%" + "".join("_" if one in _E else _escaped(one) for one in stem) + "%"


def _escaped(character: str) -> str:
    return "\\" + character if character in "%_\\" else character


def _id(conversation: ConversationSummary) -> str:
    return conversation.id
