"""The counts for a shadow mode report."""

from typing import Final

import sqlalchemy as sa

from domain.agent.grounding.facts import FactKind
from domain.learning.shadow_report import (
    MAX_EXAMPLES,
    ClassCounts,
    ShadowExample,
    ShadowReport,
    totalled,
)
from store.core.repository import TenantRepository

_SHOWN_CHARS: Final = 2_000

_LATEST: Final = sa.text("""
    SELECT max(playbook_version) FROM shadow_drafts
    WHERE client_id = :client_id AND playbook_id = :playbook_id
""")
_OF_VERSION: Final = """
    client_id = :client_id AND playbook_id = :playbook_id AND playbook_version = :version
"""
# In this query, two results differ financially if they differ in the actions on the order, or in
# the amounts or percentages in the texts.
_COUNTS: Final = sa.text(f"""
    SELECT classification, count(*) AS kept,
        count(compared_at) AS settled,
        count(*) FILTER (WHERE decision = 'expired') AS expired,
        count(*) FILTER (WHERE comparison ->> 'would' = 'answer') AS answers,
        count(*) FILTER (WHERE comparison ->> 'would' = 'silent') AS silences,
        count(*) FILTER (WHERE comparison ->> 'would' = 'review') AS reviews,
        count(*) FILTER (WHERE comparison -> 'agrees' = 'true') AS agreed,
        count(*) FILTER (WHERE comparison -> 'agrees' = 'false') AS disagreed,
        count(*) FILTER (WHERE comparison -> 'facts' = 'false') AS conflicts,
        count(*) FILTER (WHERE comparison -> 'actions' = 'false'
            OR comparison -> 'conflicts' ?| ARRAY['money', 'share']) AS money_differs,
        count(comparison ->> 'similarity') AS with_similarity,
        coalesce(sum((comparison ->> 'similarity')::float8), 0) AS similarity_sum
    FROM shadow_drafts WHERE {_OF_VERSION}
    GROUP BY classification ORDER BY classification
""")  # noqa: S608 - our own names
_CONFLICTS: Final = sa.text(f"""
    SELECT kind, count(*) AS number
    FROM shadow_drafts, jsonb_array_elements_text(comparison -> 'conflicts') AS kind
    WHERE {_OF_VERSION} GROUP BY kind ORDER BY kind
""")  # noqa: S608 - our own names
# Drafts that differ from the human answer come first. Within each group, the latest drafts come
# first.
_EXAMPLES: Final = sa.text(f"""
    SELECT run_id, classification, decision AS did, left(draft, :chars) AS draft,
        left(sent, :chars) AS sent, (comparison ->> 'agrees')::boolean AS agrees,
        (comparison ->> 'similarity')::float8 AS similarity,
        comparison -> 'conflicts' AS conflicts, created_at
    FROM shadow_drafts
    WHERE {_OF_VERSION} AND compared_at IS NOT NULL AND draft <> '' AND sent <> ''
    ORDER BY (comparison -> 'agrees' = 'false') DESC, created_at DESC, run_id DESC
    LIMIT :limit
""")  # noqa: S608 - our own names


class ShadowCounts(TenantRepository):
    async def report(self, playbook_id: str) -> ShadowReport:
        """Return the report on the playbook's latest version that was in shadow mode. A draft is
        included only after human agents have handled the message that the draft answers."""
        mine: dict[str, object] = {"client_id": self._tenant, "playbook_id": playbook_id}
        version = await self._connection.scalar(_LATEST, mine)
        if version is None:
            return ShadowReport(
                playbook_id=playbook_id, version=None, total=totalled(()), classes=()
            )
        mine["version"] = version
        classes = tuple(
            ClassCounts.model_validate(row, from_attributes=True)
            for row in await self._connection.execute(_COUNTS, mine)
        )
        conflicts = await self._connection.execute(_CONFLICTS, mine)
        examples = await self._connection.execute(
            _EXAMPLES, {**mine, "limit": MAX_EXAMPLES, "chars": _SHOWN_CHARS}
        )
        return ShadowReport(
            playbook_id=playbook_id,
            version=version,
            total=totalled(classes),
            classes=classes,
            conflicts={FactKind(row.kind): row.number for row in conflicts},
            examples=tuple(
                ShadowExample.model_validate(row, from_attributes=True) for row in examples
            ),
        )
