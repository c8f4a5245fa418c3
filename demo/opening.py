"""Open the demo shop with its webhook receiver and its storefront. The shop is created once per
data folder."""

import secrets
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from pydantic import TypeAdapter

from adapters.seal import FernetSealer
from adapters.system import new_ulid, utc_now
from adapters.temporal.client import TemporalEngine
from adapters.temporal.connection import connect
from demo.back_office import BackOffice
from demo.content import SENDER
from demo.helpdesk import DemoDesk
from demo.history.write import add_history
from demo.hub import DemoHub, close_helpdesk, open_hub
from demo.orders import DemoNumbers, orders_of, stock
from demo.receiver import Receiver, receiving
from demo.seed import REVIEWER_IDS, SEEDING_TELLS, SeededShop, add_reviewers, seed
from demo.serving import serving
from demo.storefront import Wares, application, origin_at, storefront_socket
from demo.webhook import DEMO, Destination, pause, point, subscribe
from demo.widget import DemoWidget, open_widget
from domain.billing.errors import PlanRequired
from domain.core.ids import TenantId
from domain.core.ports import Sealer
from domain.webhooks.errors import InvalidWebhook
from embedded.data_folder import DataFolder, StackInfo, write_private
from embedded.ports import listening, port_of
from services.core.unit_of_work import UnitOfWork, UnitsOfWork
from services.integrations.mail_senders import trust_mail_sender
from settings import load_temporal
from store.core.database import Database

_LONG_AGO: Final = timedelta(days=45)


@dataclass(frozen=True, slots=True)
class OpenShop:
    """The open shop with its webhook receiver and its storefront. Opening it must trigger
    `expected_events`. `numbers` are this tour's order numbers."""

    shop: SeededShop
    receiver: Receiver
    expected_events: Counter[str]
    numbers: DemoNumbers
    widget: DemoWidget
    office: BackOffice
    hub: DemoHub
    desk: DemoDesk


@dataclass(frozen=True, slots=True)
class _Opener:
    units: UnitsOfWork
    engine: TemporalEngine
    folder: DataFolder
    sealer: Sealer
    to: Destination

    async def shop(self) -> tuple[SeededShop, Counter[str]]:
        """Return the shop, which is created on first use, and the webhooks that creating it must
        trigger."""
        if self.folder.demo.exists():
            kept = SeededShop.model_validate_json(self.folder.demo.read_text())
            async with self.units.of(TenantId(kept.client_id)) as work:
                await trust_mail_sender(work, DEMO, SENDER)
                return await self._reopened(work, kept), Counter()
        tenant = TenantId(new_ulid())
        async with self.units.spanning(tenant) as work:
            made = await seed(work, self.folder.shop, self.sealer, to=self.to)
        # Add the reviewers with an earlier date because they decided reviews in the history. For a
        # two-person approval, only users who have been members for a day count.
        earlier = UnitsOfWork(
            self.units.database, self.engine, lambda: utc_now() - _LONG_AGO, new_ulid
        )
        async with earlier.spanning(tenant) as work:
            await add_reviewers(work)
        await add_history(self.units, tenant, REVIEWER_IDS)
        return made, SEEDING_TELLS

    async def _reopened(self, work: UnitOfWork, kept: SeededShop) -> SeededShop:
        # The webhook cannot exist if the plan no longer includes webhooks, or if workers are not
        # allowed to send to localhost. The tour then reports the missing webhook.
        with suppress(PlanRequired, InvalidWebhook):
            if not await point(work, kept.webhook, self.to):
                webhook = await subscribe(work, self.to, self.sealer)
                return kept.model_copy(update={"webhook": webhook})
        return kept

    async def widget(self, shop: SeededShop, origin: str) -> DemoWidget:
        """Return the shop's widget. The storefront at this origin may show it."""
        port = shop.storefront_port
        before = None if port is None else origin_at(port)
        async with self.units.of(TenantId(shop.client_id)) as work:
            return await open_widget(work, self.sealer, origin, before=before)


@asynccontextmanager
async def open_shop(folder: DataFolder, stack: StackInfo) -> AsyncIterator[OpenShop]:
    """Open the demo shop in this folder while the block runs, with its webhook receiver, storefront
    and helpdesk. The shop is created on first use."""
    client = await connect(load_temporal(stack.env))
    database = Database(stack.env["DATABASE_URL"], pool_size=1)
    engine = TemporalEngine(client)
    units = UnitsOfWork(database, engine, utc_now, new_ulid)
    sealer = FernetSealer(stack.env["SEAL_KEY"])
    private = TypeAdapter(bool).validate_python(stack.env["WEBHOOK_ALLOW_PRIVATE_ADDRESSES"])
    try:
        async with receiving(folder.certificate) as receiver:
            opener = _Opener(units, engine, folder, sealer, Destination(receiver.url, private))
            shop, expected_events = await opener.shop()
            tenant = TenantId(shop.client_id)
            numbers = stock(folder.shop, utc_now())
            office = BackOffice(units, tenant, folder.root)
            try:
                with storefront_socket(shop.storefront_port) as listener:
                    widget = await opener.widget(shop, origin_at(port_of(listener)))
                    shop = shop.model_copy(update={"storefront_port": port_of(listener)})
                    write_private(folder.demo, shop.model_dump_json())
                    orders = orders_of(numbers, utc_now())
                    wares = Wares(stack.api_url, widget, orders, folder.mail, office)
                    async with serving(listener, application(wares)), _desk(numbers) as desk:
                        async with units.of(tenant) as work:
                            hub = await open_hub(work, sealer, desk)
                        try:
                            yield OpenShop(
                                shop, receiver, expected_events, numbers, widget, office, hub, desk
                            )
                        finally:
                            await close_helpdesk(units, tenant, desk)
            finally:
                await pause(units, tenant, shop.webhook)
    finally:
        await database.close()


@asynccontextmanager
async def _desk(numbers: DemoNumbers) -> AsyncIterator[DemoDesk]:
    """Run the shop's helpdesk on a free port while the block runs."""
    with listening() as listener:
        desk = DemoDesk(origin_at(port_of(listener)), secrets.token_hex(16), numbers.first, utc_now)
        async with serving(listener, desk.application()):
            yield desk
