"""The names of the records in audit entries."""

from collections.abc import Iterable
from typing import Final

import sqlalchemy as sa

from store.cases.tables import saved_cases
from store.content.tables import knowledge_entries, response_templates
from store.core.repository import TenantRepository
from store.playbooks.tables import playbook_versions, playbooks
from store.tenants.tables import api_keys
from store.webhooks.tables import webhook_subscriptions

_NAMED: Final = (
    (knowledge_entries, knowledge_entries.c.title),
    (response_templates, response_templates.c.name),
    (saved_cases, saved_cases.c.name),
    (api_keys, api_keys.c.label),
    (webhook_subscriptions, webhook_subscriptions.c.label),
)


class ObjectNames(TenantRepository):
    async def read(self, record_ids: Iterable[str]) -> dict[str, str]:
        """Return the current names of records, by id. Deleted records and records without a name
        are omitted."""
        wanted = tuple(set(record_ids))
        if not wanted:
            return {}
        named = [
            sa.select(table.c.id, name.label("name")).where(
                table.c.client_id == self._tenant, table.c.id.in_(wanted)
            )
            for table, name in _NAMED
        ]
        versions = (
            sa.select(playbooks.c.id, playbook_versions.c.name)
            .join(
                playbook_versions,
                sa.and_(
                    playbook_versions.c.client_id == playbooks.c.client_id,
                    playbook_versions.c.playbook_id == playbooks.c.id,
                    playbook_versions.c.version == playbooks.c.version,
                ),
            )
            .where(playbooks.c.client_id == self._tenant, playbooks.c.id.in_(wanted))
        )
        rows = await self._connection.execute(sa.union_all(*named, versions))
        return {row.id: row.name for row in rows}
