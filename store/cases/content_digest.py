"""The digest of the content that a client's agent uses, excluding playbooks."""

from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.tenants.answer_decision import LATEST_DECISION

# The digest covers values, not ids, so it is the same before and after a change is saved. Templates
# are digested in order because the older of two matching templates is used.
_DIGEST: Final = sa.text("""
    WITH template AS (
        SELECT row_number() OVER (ORDER BY created_at, id) AS place,
               sha256(convert_to(jsonb_build_array(
                   name, category, language, body, intent, not_for)::text, 'UTF8')) AS digest
        FROM response_templates WHERE client_id = :tenant AND is_active
    ), entry AS (
        SELECT sha256(convert_to(jsonb_build_array(
                   title, body, language)::text, 'UTF8')) AS digest
        FROM knowledge_entries WHERE client_id = :tenant
    ), chosen AS (
        SELECT jsonb_build_array(
                   coalesce(system_prompt, ''), sensitive_words, answer_decision)::text AS settings
        FROM client_settings WHERE client_id = :tenant
    ), style AS (
        SELECT guidance::text AS guidance FROM client_settings
        WHERE client_id = :tenant AND guidance <> '{}'
    ), head AS (
        SELECT weights FROM own_heads WHERE client_id = :tenant ORDER BY id DESC LIMIT 1
    )
    SELECT sha256(
        coalesce((SELECT string_agg(digest, ''::bytea ORDER BY place) FROM template), ''::bytea)
        || '/'::bytea
        || coalesce((SELECT string_agg(digest, ''::bytea ORDER BY digest) FROM entry), ''::bytea)
        || '/'::bytea
        || convert_to(coalesce((SELECT settings FROM chosen), :unset), 'UTF8')
        || coalesce((SELECT convert_to('/' || guidance, 'UTF8') FROM style), ''::bytea)
        || coalesce((SELECT '/'::bytea || sha256(weights) FROM head), ''::bytea)
    )
""")

# The settings of a client without a row of settings.
_UNSET: Final = f'["", [], {LATEST_DECISION}]'


async def content_digest(connection: AsyncConnection, tenant: TenantId) -> bytes:
    """Return a digest of the active templates, the knowledge, some settings and the client's own
    classifier head, as read in this transaction."""
    found = await connection.execute(_DIGEST, {"tenant": tenant, "unset": _UNSET})
    return bytes(found.scalar_one())
