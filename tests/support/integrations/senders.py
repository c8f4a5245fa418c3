"""Senders of clients' emails, and their verification codes."""

from typing import Any, Final

from adapters.seal import FernetSealer
from domain.integrations.client_sender import WantedSender
from domain.tenants.actor import Actor
from services.integrations.mail_senders import DrawnCode, StoredSender, set_mail_sender
from store.core.database import Database
from tests.support.core.engine import LiveEngine
from tests.support.core.units import units_on
from tests.support.tenants.shop import Shop

MAIL_SENDER: Final = "/api/dashboard/mail-sender"
SENDER: Final[dict[str, Any]] = {"address": "contact@shop.example"}
SENDER_CODE: Final = "012345"
SERVICE: Final = "support@service.example"
OPERATOR: Final = Actor.operator("operator:test")


class Everywhere:
    """A guard that permits every server without a DNS lookup."""

    async def check(self, client_id: str, host: str, port: int) -> str:
        assert client_id
        assert port
        return host


async def set_sender(
    database: Database,
    shop: Shop,
    sealer: FernetSealer,
    wanted: WantedSender,
    *,
    code: str = SENDER_CODE,
) -> StoredSender:
    return await set_mail_sender(
        units_on(database),
        OPERATOR,
        shop.tenant,
        wanted,
        DrawnCode(code, "fr"),
        sealer=sealer,
        servers=Everywhere(),
        service_address=SERVICE,
    )


async def a_sender(front: LiveEngine, shop: Shop) -> None:
    """Create a sender that waits for SENDER_CODE."""
    sealer = FernetSealer(front.settings.seal.key.get_secret_value())
    await set_sender(front.database, shop, sealer, WantedSender(SENDER["address"]))
