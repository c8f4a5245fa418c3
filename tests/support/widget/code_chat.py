"""Visitors of one client's widget, who request codes and enter them at times set by the test."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.identity.mailed_code import (
    TRIES,
    CodePlace,
    lifetime_of,
)
from domain.widget.widget_session import VerifiedBy, WidgetSession
from services.core.unit_of_work import UnitsOfWork
from services.widget.visitor_codes import (
    VerifiedVisitor,
    VisitorCodeWanted,
    enter_visitor_code,
    make_visitor_code,
)
from store.core.database import Database
from store.identity.mailed_codes import MailedCodeRepository
from store.widget.tables import widget_codes
from store.widget.visitor_sessions import WidgetSessionRepository
from tests.support.core.rows import rows
from tests.support.core.units import Recorder
from tests.support.tenants.shop import Shop

SEALER = FernetSealer(new_seal_key())
JEAN, EVE = "jean@free.example", "eve@evil.example"
RIGHT, WRONG = "012345", "999999"
LIFETIME = lifetime_of(CodePlace.WIDGET, is_shared=False)


@dataclass
class Chat:
    """A client's widget, at a time set by the test."""

    database: Database
    shop: Shop
    now: datetime = field(default_factory=utc_now)

    def later(self, by: timedelta) -> None:
        self.now += by

    @property
    def units(self) -> UnitsOfWork:
        return UnitsOfWork(self.database, Recorder(), lambda: self.now, new_ulid)

    async def ask(
        self,
        session_id: str,
        email: str = JEAN,
        code: str = RIGHT,
        language: str | None = None,
        *,
        network: str | None = None,
    ) -> str | None:
        """Request a code, and return its id, or None if the code is withheld. `network`: by default
        a new network each time."""
        network = network or new_ulid()
        wanted = VisitorCodeWanted(session_id, email, language, network, int(code))
        async with self.units.of(self.shop.tenant) as work:
            code_id = await make_visitor_code(work, wanted, SEALER)
        async with self.database.tenant(self.shop.tenant) as connection:
            codes = MailedCodeRepository(connection, self.shop.tenant, CodePlace.WIDGET)
            is_mailed = await codes.to_mail(code_id, self.now) is not None
        return code_id if is_mailed else None

    async def wrong(self) -> int:
        """Return the number of counted wrong attempts."""
        kept = await rows(self.database, widget_codes, client_id=self.shop.client_id)
        return sum(TRIES - row["tries_left"] for row in kept)

    async def enter(self, session_id: str, code: str = RIGHT) -> VerifiedVisitor | None:
        async with self.units.of(self.shop.tenant) as work:
            return await enter_visitor_code(work, session_id, code, SEALER)

    async def session(self, session_id: str) -> WidgetSession:
        async with self.database.reading(self.shop.tenant) as connection:
            found = await WidgetSessionRepository(connection, self.shop.tenant).find(
                session_id, self.now
            )
        assert found is not None
        return found

    async def verified(self, session_id: str, by: VerifiedBy, email: str = JEAN) -> None:
        async with self.database.tenant(self.shop.tenant) as connection:
            sessions = WidgetSessionRepository(connection, self.shop.tenant)
            await sessions.open(session_id, "fr", self.now)
            await sessions.verify(session_id, email, by, self.now)
