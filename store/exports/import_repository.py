"""Import an export into an empty client in the caller's transaction. Either everything is imported
or nothing."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict
from sqlalchemy.exc import DataError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from domain.core.ids import TenantId
from domain.core.ports import NewId
from domain.exports.errors import ClientNotEmpty, InvalidExport
from domain.exports.export import Section
from domain.reviews.escalation import EscalationStatus
from domain.runs.run import RunStatus
from store.analytics.tables import churn_predictions, metrics_daily
from store.cases.tables import saved_cases
from store.content.tables import knowledge_entries, response_templates
from store.customers.customer_index import CustomerIndex
from store.customers.tables import customers
from store.exports.import_closing import CLOSE_APPROVED, HAND_OVER, IMPORTED, SET_WAITS
from store.exports.import_sections import (
    CREDENTIALS_MISSING,
    HELD,
    HELD_BY_PLACE,
    RELEASE_MESSAGES,
    STATEMENTS,
)
from store.exports.tables import automation_events
from store.intake.tables import engine_events
from store.integrations.tables import integrations
from store.learning.tables import labelled_examples
from store.playbooks.tables import playbooks
from store.reviews.tables import escalation_tickets
from store.runs.memories import MemoryRepository
from store.runs.tables import ai_conversations, customer_memories, engine_runs
from store.tenants.accounts import AccountRepository
from store.tenants.tables import client_settings, clients

_PAGE: Final = 5_000

# These timeouts are longer than a request's, because a batch takes longer and the source of
# the records may be slow.
_PATIENCE: Final = (
    "SET LOCAL statement_timeout = '120s'",
    "SET LOCAL idle_in_transaction_session_timeout = '600s'",
)

# The tables that must not contain rows of the client. The file replaces the starter playbooks and
# templates. `begin` checks daily metrics separately because they exist even without events.
_MUST_BE_EMPTY: Final = (
    ai_conversations,
    automation_events,
    churn_predictions,
    client_settings,
    customer_memories,
    customers,
    engine_events,
    integrations,
    knowledge_entries,
    labelled_examples,
    response_templates,
    saved_cases,
)
_NOTHING_HAPPENED: Final = sa.and_(metrics_daily.c.events == 0, metrics_daily.c.runs == 0)

# The values are checked because a settings row may exist although no member has changed a setting.
# Accounts older than `answers_from_knowledge` have a row that contains only that value.
_SOMETHING_SET: Final = sa.text("""NOT (
    system_prompt IS NULL AND widget_key IS NULL AND stopped_at IS NULL AND holds_loosening
    AND NOT ask_rating AND branding = '{}' AND retention = '{}' AND acknowledgement = '{}'
    AND guidance = '{}' AND frame = '{}' AND disclosure = '{}' AND disclosure_status = 'on'
    AND authserv_ids = '[]' AND sensitive_words = '[]' AND business_hours IS NULL)""")


class Closed(BaseModel):
    """The numbers of runs, reviews and integrations that were unfinished in the export and closed
    by the import."""

    model_config = ConfigDict(frozen=True)

    runs: int
    reviews: int
    integrations: int


class TenantImport:
    """One import. Call `begin` or `begin_beside`, then call `add` for the records of each section
    in the export's order, then call `finish`."""

    def __init__(self, connection: AsyncConnection, tenant: TenantId, now: datetime) -> None:
        self._connection = connection
        self._tenant = tenant
        self._now = now
        self._held = 0

    async def begin(self) -> None:
        """Lock the client, so that no event is admitted during the import. Raises ClientNotFound if
        the client does not exist, and ClientNotEmpty if it has records."""
        await self.begin_beside()
        await self._connection.execute(
            sa.delete(metrics_daily).where(
                metrics_daily.c.client_id == self._tenant, _NOTHING_HAPPENED
            )
        )
        await self._connection.execute(
            sa.delete(response_templates).where(
                response_templates.c.client_id == self._tenant, response_templates.c.is_starter
            )
        )
        for table in (*_MUST_BE_EMPTY, metrics_daily):
            whose: sa.ColumnElement[bool] = table.c.client_id == self._tenant
            if table is client_settings:
                whose = sa.and_(whose, _SOMETHING_SET)
            if await self._connection.scalar(sa.select(sa.exists().where(whose))):
                raise ClientNotEmpty(f"the client is not empty: it has {table.name}")

    async def begin_beside(self) -> None:
        """Lock the client, and keep its records. The caller must add only records with new ids.
        Raises ClientNotFound."""
        for statement in _PATIENCE:
            await self._connection.exec_driver_sql(statement)
        await AccountRepository(self._connection, self._tenant).lock()
        await self._connection.execute(HELD)

    async def add(self, section: Section, records: Sequence[str]) -> None:
        """Store the JSON records of a section. Raises InvalidExport if the records contradict each
        other, for example if an id occurs twice."""
        try:
            for statement in STATEMENTS[section]:
                await self._write(statement, records)
        except (IntegrityError, DataError) as error:
            raise _contradiction(section, error) from None

    async def _write(self, statement: sa.TextClause, records: Sequence[str]) -> None:
        values = {
            "client_id": self._tenant,
            "records": f"[{','.join(records)}]",
            "now": self._now,
            "held": self._held,
        }
        taken = {name: values[name] for name in statement._bindparams}  # noqa: SLF001
        written = await self._connection.execute(statement, taken)
        if "held" in taken:
            self._held += written.rowcount

    async def _release(self) -> None:
        """Insert the messages from the temporary table. Call this method once their events are
        imported."""
        await self._connection.execute(HELD_BY_PLACE)
        try:
            for after in range(0, self._held, _PAGE):
                await self._connection.execute(
                    RELEASE_MESSAGES, {"after": after, "upto": after + _PAGE}
                )
        except IntegrityError as error:
            raise _contradiction(Section.AI_CONVERSATIONS, error) from None

    async def finish(self, new_id: NewId) -> Closed:
        """Close the unfinished work, and return the numbers of records closed. Raises
        InvalidExport."""
        await self._release()
        mine = {"client_id": self._tenant, "now": self._now}
        await self._connection.execute(HAND_OVER, mine)
        await self._connection.execute(CLOSE_APPROVED, mine)
        await self._connection.execute(SET_WAITS, mine)
        await MemoryRepository(self._connection, self._tenant).carry()
        await CustomerIndex(self._connection, self._tenant).index_all(new_id)
        return Closed(
            runs=await self._count(
                engine_runs,
                engine_runs.c.error_code == IMPORTED,
                engine_runs.c.status == RunStatus.FAILED,
                engine_runs.c.finished_at == self._now,
            ),
            reviews=await self._count(
                escalation_tickets,
                escalation_tickets.c.status == EscalationStatus.EXPIRED,
                escalation_tickets.c.decided_at == self._now,
            ),
            integrations=await self._count(
                integrations, integrations.c.error_code == CREDENTIALS_MISSING
            ),
        )

    async def _count(self, table: sa.Table, *which: sa.ColumnElement[bool]) -> int:
        query = sa.select(sa.func.count()).where(table.c.client_id == self._tenant, *which)
        return int(await self._connection.scalar(query) or 0)


def _contradiction(section: Section, error: IntegrityError | DataError) -> InvalidExport:
    """Return an error that names the violated constraint. PostgreSQL's full message is omitted
    because it may contain customer data."""
    if isinstance(error, DataError):
        return InvalidExport(f"{section}: a record holds a value that cannot be stored")
    rule = getattr(getattr(error.orig, "diag", None), "constraint_name", None)
    return InvalidExport(
        f"{section}: its records contradict each other or those before"
        + (f" ({rule})" if rule else "")
    )


async def is_here_already(
    connection: AsyncConnection, exported: str, tenant: TenantId, playbook_ids: Sequence[str]
) -> bool:
    """Return True if another client of this installation may already use the ids of an export.

    `connection` must span clients. `exported` is the exported client's id. Runs refer to playbooks,
    so a client with the same runs has the same playbooks. Return True for an export without
    playbooks.
    """
    if exported == tenant:
        return False
    known = sa.exists().where(clients.c.id == exported)
    used = sa.exists().where(playbooks.c.id.in_(playbook_ids), playbooks.c.client_id != tenant)
    return not playbook_ids or bool(await connection.scalar(sa.select(sa.or_(known, used))))
