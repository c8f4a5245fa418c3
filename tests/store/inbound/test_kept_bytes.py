"""A stranger's flood cannot fill the disk: limits for queued webhooks, and the size of the stored
remains."""

from collections.abc import Callable
from datetime import datetime, timedelta
from hashlib import sha256

import pytest

from adapters.system import new_ulid, utc_now
from domain.inbound.effect import WebhookEffect
from domain.inbound.errors import InboundBusy
from domain.inbound.inbound_webhook import Identity, Outcome, WebhookKind
from domain.inbound.kept_bytes import CUT_TO, MIDDLE, size_class
from domain.inbound.mail import MAX_BODY
from domain.integrations.providers import Provider
from domain.tenants.client import Plan
from store.core.database import Database
from store.inbound import webhooks
from store.inbound.full_days import FullDays
from store.inbound.log import InboundLogRepository
from store.inbound.tables import inbound_webhooks
from store.inbound.webhooks import KeptAs, KeptWebhook, NewWebhookRow, WebhookArrivals
from store.inbound.work import WorkRepository
from tests.support.core.rows import only_row, rows
from tests.support.inbound.stored import listen_to
from tests.support.intake.admission import on_plan
from tests.support.tenants.shop import Shop

LONG, LONGER = CUT_TO + 1, MIDDLE + 1


@pytest.fixture
async def integration_id(database: Database, shop: Shop) -> str:
    async with database.tenant(shop.tenant) as connection:
        return await listen_to(connection, shop.tenant, Provider.POSTMARK)


@pytest.fixture
def allowed(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def allow(**limits: int) -> None:
        for name, limit in limits.items():
            monkeypatch.setattr(webhooks, name.upper(), limit)

    return allow


class EntryLimiter:
    """The inbound address for the client's emails."""

    def __init__(self, database: Database, shop: Shop, integration_id: str) -> None:
        self._database = database
        self._shop = shop
        self._integration_id = integration_id

    async def comes(
        self,
        size: int,
        *,
        key: str | None = None,
        kind: WebhookKind = WebhookKind.TICKET,
        unreadable: str | None = None,
        full_days: FullDays | None = None,
        now: datetime | None = None,
    ) -> KeptWebhook:
        body = b"x" * size
        row = NewWebhookRow(
            id=new_ulid(),
            integration_id=self._integration_id,
            provider=Provider.POSTMARK,
            identity=Identity(key or new_ulid(), "inbound"),
            kind=kind,
            body_digest=sha256(body).digest(),
            body=body,
            headers={},
            unreadable=unreadable,
        )
        async with self._database.tenant(self._shop.tenant) as connection:
            arrivals = WebhookArrivals(connection, self._shop.tenant)
            return await arrivals.keep(row, now or utc_now(), full_days)

    async def ends(self, kept: KeptWebhook, outcome: Outcome = Outcome.EVENT) -> None:
        async with self._database.tenant(self._shop.tenant) as connection:
            rows = WorkRepository(connection, self._shop.tenant)
            await rows.end(kept.id, WebhookEffect(outcome), utc_now())

    async def held(self, kept: KeptWebhook) -> tuple[int | None, int | None]:
        """Return the stored bytes, and the number of webhooks with a record."""
        row = await only_row(self._database, inbound_webhooks, id=kept.id)
        async with self._database.tenant(self._shop.tenant) as connection:
            shown = await InboundLogRepository(connection, self._shop.tenant).one(kept.id)
        return row["body"] and len(row["body"]), shown.body_bytes


@pytest.fixture
def door(database: Database, shop: Shop, integration_id: str) -> EntryLimiter:
    return EntryLimiter(database, shop, integration_id)


async def test_long_mails_have_a_room_and_short_ones_need_none(
    door: EntryLimiter, allowed: Callable[..., None]
) -> None:
    allowed(room=2 * LONG)
    first = await door.comes(LONG, key="first")
    await door.comes(LONG)
    with pytest.raises(InboundBusy):
        await door.comes(LONG)

    await door.comes(CUT_TO)
    assert (await door.comes(LONG, key="first")).was is KeptAs.KNOWN
    await door.ends(first)
    await door.comes(LONG)


async def test_mails_with_photos_leave_room_for_those_without(
    door: EntryLimiter, allowed: Callable[..., None]
) -> None:
    allowed(room=LONGER)
    await door.comes(LONGER)
    with pytest.raises(InboundBusy):
        await door.comes(LONGER)
    await door.comes(LONG)


async def test_what_failed_gives_way(door: EntryLimiter, allowed: Callable[..., None]) -> None:
    allowed(room=2 * LONG)
    failed = await door.comes(LONG, unreadable="not_json")
    await door.comes(LONG)
    assert await door.held(failed) == (LONG, LONG)

    await door.comes(LONG)

    assert await door.held(failed) == (CUT_TO, LONG)
    with pytest.raises(InboundBusy):
        await door.comes(LONG, unreadable="not_json")


async def test_a_day_has_room_for_so_many(
    database: Database, shop: Shop, door: EntryLimiter, allowed: Callable[..., None]
) -> None:
    """Earlier, a free account filled the disk with irrelevant webhooks of 64 KiB each."""
    await on_plan(database, shop, Plan.FREE)
    allowed(day_rows=8, day_rows_without_plan=4)
    await door.comes(10, key="known")
    await door.comes(10, kind=WebhookKind.IGNORED)

    left = await door.comes(10, kind=WebhookKind.IGNORED)
    with pytest.raises(InboundBusy):
        await door.comes(10)

    assert left.was is KeptAs.LEFT
    assert (await door.comes(10, key="known")).was is KeptAs.KNOWN
    assert len(await rows(database, inbound_webhooks, of=shop)) == 2
    await on_plan(database, shop, Plan.PRO)
    for _ in range(2):
        assert (await door.comes(10)).was is KeptAs.NEW
    with pytest.raises(InboundBusy):
        await door.comes(10)


async def test_a_flood_of_mails_leaves_room_for_the_rest(
    database: Database, shop: Shop, door: EntryLimiter, allowed: Callable[..., None]
) -> None:
    """Earlier, strangers' emails used up the day: refunds, disputes, compliance requests and
    helpdesk tickets were rejected."""
    await on_plan(database, shop, Plan.FREE)
    allowed(day_rows_without_plan=4)
    for _ in range(2):
        await door.comes(10)
    with pytest.raises(InboundBusy):
        await door.comes(10)

    for kind in (WebhookKind.FACT, WebhookKind.DUTY):
        assert (await door.comes(10, kind=kind)).was is KeptAs.NEW
    async with database.tenant(shop.tenant) as connection:
        helpdesk = await listen_to(connection, shop.tenant, Provider.GENERIC)
    other = EntryLimiter(database, shop, helpdesk)
    for _ in range(2):
        assert (await other.comes(10)).was is KeptAs.NEW
    with pytest.raises(InboundBusy):
        await other.comes(10)


async def test_a_full_day_is_remembered_for_a_moment(
    database: Database, shop: Shop, door: EntryLimiter, allowed: Callable[..., None]
) -> None:
    """Earlier, each rejected webhook read 10,000 rows again, while it locked the client's
    queues."""
    await on_plan(database, shop, Plan.FREE)
    full, now = FullDays(), utc_now()
    allowed(day_rows_without_plan=2)
    await door.comes(10, key="known", full_days=full, now=now)
    with pytest.raises(InboundBusy):
        await door.comes(10, full_days=full, now=now)
    allowed(day_rows_without_plan=6)

    with pytest.raises(InboundBusy):
        await door.comes(10, full_days=full, now=now)

    again = await door.comes(10, key="known", full_days=full, now=now)
    assert again.was is KeptAs.KNOWN
    later = now + timedelta(seconds=5)
    assert (await door.comes(10, full_days=full, now=later)).was is KeptAs.NEW


async def test_a_day_without_a_plan_has_room_for_so_many_bytes(
    database: Database, shop: Shop, door: EntryLimiter, allowed: Callable[..., None]
) -> None:
    await on_plan(database, shop, Plan.FREE)
    allowed(day_bytes_without_plan=4 * CUT_TO)
    await door.comes(LONGER, kind=WebhookKind.IGNORED)
    await door.comes(CUT_TO, kind=WebhookKind.IGNORED)

    assert (await door.comes(10, kind=WebhookKind.IGNORED)).was is KeptAs.LEFT
    with pytest.raises(InboundBusy):
        await door.comes(10)
    await on_plan(database, shop, Plan.PRO)
    assert (await door.comes(10)).was is KeptAs.NEW


async def test_tickets_that_were_never_tried_are_counted(
    door: EntryLimiter, allowed: Callable[..., None]
) -> None:
    allowed(queue=2)
    await door.comes(10, key="first")  # being processed
    for _ in range(2):
        await door.comes(10)
    await door.comes(10, kind=WebhookKind.FACT)
    with pytest.raises(InboundBusy):
        await door.comes(10)
    assert (await door.comes(10, key="first")).was is KeptAs.KNOWN


@pytest.mark.parametrize(
    ("outcome", "size", "kept"),
    [
        (Outcome.EVENT, LONGER, CUT_TO),
        (Outcome.EVENT, CUT_TO, CUT_TO),
        (Outcome.KNOWN, 10, None),
        (Outcome.NO_ROOM, LONG, None),
        (Outcome.NO_ROOM, 10, None),
    ],
)
async def test_of_what_has_ended_stays_what_people_are_shown(
    door: EntryLimiter,
    database: Database,
    shop: Shop,
    outcome: Outcome,
    size: int,
    kept: int | None,
) -> None:
    ended = await door.comes(size)
    await door.ends(ended, outcome)

    assert await door.held(ended) == (kept, kept and size)
    async with database.tenant(shop.tenant) as connection:
        whole = await WorkRepository(connection, shop.tenant).body(ended.id)
    assert (whole is None) == (kept != size), "half a mail is never read as one"


async def test_what_concerns_nothing_is_cut_at_once(door: EntryLimiter) -> None:
    assert await door.held(await door.comes(LONG, kind=WebhookKind.IGNORED)) == (CUT_TO, LONG)


def test_every_body_beyond_the_smallest_has_a_class() -> None:
    assert size_class(CUT_TO) is None
    for size in (CUT_TO + 1, MIDDLE, MIDDLE + 1, MAX_BODY):
        assert size_class(size) is not None
    assert size_class(MIDDLE) != size_class(MIDDLE + 1)
