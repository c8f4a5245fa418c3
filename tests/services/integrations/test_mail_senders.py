"""The sender of a client's emails: verified before use, and never a relay."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

import pytest

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.core.ports import MailSender
from domain.integrations.client_sender import (
    CODE_LIFETIME,
    CODES_A_DAY,
    ShownSender,
    WantedSender,
    WantedServer,
)
from domain.integrations.errors import (
    InvalidMailSender,
    MailSenderNotFound,
    MailSenderVerified,
    TooManySenderCodes,
)
from domain.tenants.actor import Actor
from domain.tenants.client import Role
from domain.tenants.errors import RoleRequired
from services.core.unit_of_work import UnitsOfWork
from services.integrations.mail_senders import (
    DrawnCode,
    remove_mail_sender,
    send_sender_code,
    set_mail_sender,
    verify_mail_sender,
)
from services.privacy.sealed import reseal_everything
from store.core.database import Database
from store.integrations.mail_senders import MailSenderRepository
from store.integrations.tables import mail_senders
from tests.support.core.rows import only_row, rows
from tests.support.core.units import Recorder, units_on
from tests.support.integrations.senders import (
    OPERATOR,
    SENDER_CODE,
    SERVICE,
    Everywhere,
    set_sender,
)
from tests.support.tenants.shop import Shop, open_shop

SEALER: Final = FernetSealer(new_seal_key())
ADDRESS: Final = WantedSender("contact@shop.example", "answers@shop.example", "Léa")
SERVER: Final = WantedServer("smtp.shop.example", 465, None, "u", "CANARY0password")
BY_SERVER: Final = replace(ADDRESS, server=SERVER)


def at(database: Database, moment: datetime) -> UnitsOfWork:
    return UnitsOfWork(database, Recorder(), lambda: moment, new_ulid)


async def enter(
    database: Database, shop: Shop, code: str = SENDER_CODE, units: UnitsOfWork | None = None
) -> ShownSender | None:
    async with (units or units_on(database)).of(shop.tenant) as work:
        return await verify_mail_sender(work, OPERATOR, code, SEALER)


async def again(database: Database, shop: Shop, code: str, units: UnitsOfWork | None = None) -> str:
    async with (units or units_on(database)).of(shop.tenant) as work:
        return await send_sender_code(work, OPERATOR, DrawnCode(code, "en"), SEALER)


async def used(database: Database, shop: Shop) -> MailSender | None:
    async with database.tenant(shop.tenant) as connection:
        return await MailSenderRepository(connection, shop.tenant).verified()


async def test_it_is_used_once_its_code_was_entered(database: Database, shop: Shop) -> None:
    stored = await set_sender(database, shop, SEALER, BY_SERVER)

    assert stored.code_id
    assert not stored.shown.verified
    assert await used(database, shop) is None
    assert await enter(database, shop, "999999") is None
    assert await used(database, shop) is None

    shown = await enter(database, shop, "012 345")

    assert shown is not None
    assert shown.verified_at is not None
    sender = await used(database, shop)
    assert sender is not None
    assert (sender.address, sender.reply_to, sender.signature) == (
        "contact@shop.example", "answers@shop.example", "Léa"
    )  # fmt: skip
    # Once.
    assert await enter(database, shop) is None
    # The database contains neither the code nor the password in clear text.
    row = str(await only_row(database, mail_senders, of=shop))
    assert "CANARY" not in row
    assert SENDER_CODE not in row
    assert "CANARY" not in shown.model_dump_json()


async def test_five_tries(database: Database, shop: Shop) -> None:
    await set_sender(database, shop, SEALER, ADDRESS)
    for wrong in ("", "abc", "0123456", "999999", "\0"):
        assert await enter(database, shop, wrong) is None
    assert await enter(database, shop) is None

    await again(database, shop, "555555")
    assert await enter(database, shop, SENDER_CODE) is None  # the previous one is void
    assert await enter(database, shop, "555555") is not None


async def test_thirty_minutes(database: Database, shop: Shop) -> None:
    await set_sender(database, shop, SEALER, ADDRESS)
    late = at(database, utc_now() + CODE_LIFETIME)
    assert await enter(database, shop, units=late) is None
    assert await enter(database, shop) is not None


async def test_a_code_is_of_one_client(database: Database, shop: Shop) -> None:
    """Another client's code with the same digits verifies nothing."""
    other = await open_shop(database)
    await set_sender(database, shop, SEALER, ADDRESS)
    await set_sender(database, other, SEALER, ADDRESS, code="111111")
    assert await enter(database, other, SENDER_CODE) is None
    assert await used(database, other) is None


async def test_a_days_codes(database: Database, shop: Shop) -> None:
    """Neither setting, resending nor removing can be used to send unlimited emails to strangers."""
    for turn in range(CODES_A_DAY):
        if turn % 2:
            await again(database, shop, SENDER_CODE)
        else:
            await set_sender(database, shop, SEALER, replace(ADDRESS, address=f"v{turn}@x.example"))
    async with units_on(database).of(shop.tenant) as work:
        await remove_mail_sender(work, OPERATOR)

    with pytest.raises(TooManySenderCodes):
        await set_sender(database, shop, SEALER, ADDRESS)
    async with database.tenant(shop.tenant) as connection:
        with pytest.raises(MailSenderNotFound):
            await MailSenderRepository(connection, shop.tenant).shown()

    tomorrow = at(database, utc_now() + timedelta(days=1))
    for _ in range(CODES_A_DAY):
        await set_mail_sender(
            tomorrow,
            OPERATOR,
            shop.tenant,
            ADDRESS,
            DrawnCode("1" * 6, "fr"),
            sealer=SEALER,
            servers=Everywhere(),
            service_address=SERVICE,
        )
    with pytest.raises(TooManySenderCodes):
        await again(database, shop, "222222", units=tomorrow)


@pytest.mark.parametrize(
    ("change", "verified"),
    [
        # through the service's own server, because another server verified the sender
        (ADDRESS, False),
        (replace(BY_SERVER, address="other@shop.example"), False),
        (replace(BY_SERVER, server=replace(SERVER, username="v")), False),
        (replace(BY_SERVER, server=replace(SERVER, password="new")), False),
        (replace(BY_SERVER, server=replace(SERVER, password=None)), True),
        (WantedSender("contact@shop.example", server=replace(SERVER, password=None)), True),
    ],
)
async def test_what_changes_the_way_is_proved_anew(
    database: Database, shop: Shop, change: WantedSender, verified: bool
) -> None:
    await set_sender(database, shop, SEALER, BY_SERVER)
    await enter(database, shop)

    stored = await set_sender(database, shop, SEALER, change)

    assert stored.shown.verified is verified
    assert (stored.code_id is None) is verified
    assert (await used(database, shop) is not None) is verified
    assert stored.shown.signature == change.signature


@pytest.mark.parametrize(
    "elsewhere",
    [
        replace(SERVER, host="smtp.thief.example", password=None),
        replace(SERVER, port=587, password=None),
        replace(SERVER, username="thief", password=None),
    ],
)
async def test_a_stored_password_goes_nowhere_else(
    database: Database, shop: Shop, elsewhere: WantedServer
) -> None:
    await set_sender(database, shop, SEALER, BY_SERVER)
    with pytest.raises(InvalidMailSender) as met:
        await set_sender(database, shop, SEALER, replace(BY_SERVER, server=elsewhere))
    assert met.value.reason == "smtp.password"


async def test_who_may(database: Database, shop: Shop) -> None:
    person = Actor.person(new_ulid(), Role.AGENT)
    units = units_on(database)
    code = DrawnCode(SENDER_CODE, "fr")
    with pytest.raises(RoleRequired):
        await set_mail_sender(
            units, person, shop.tenant, ADDRESS, code,
            sealer=SEALER, servers=Everywhere(), service_address=SERVICE,
        )  # fmt: skip
    async with units.of(shop.tenant) as work:
        for use_case in (
            send_sender_code(work, person, code, SEALER),
            verify_mail_sender(work, person, SENDER_CODE, SEALER),
            remove_mail_sender(work, person),
        ):
            with pytest.raises(RoleRequired):
                await use_case
    assert await rows(database, mail_senders, of=shop) == []


async def test_where_there_is_none(database: Database, shop: Shop) -> None:
    async with units_on(database).of(shop.tenant) as work:
        for use_case in (
            send_sender_code(work, OPERATOR, DrawnCode(SENDER_CODE, "fr"), SEALER),
            remove_mail_sender(work, OPERATOR),
        ):
            with pytest.raises(MailSenderNotFound):
                await use_case
    assert await enter(database, shop) is None


async def test_one_that_is_verified_needs_no_code(database: Database, shop: Shop) -> None:
    await set_sender(database, shop, SEALER, ADDRESS)
    await enter(database, shop)
    with pytest.raises(MailSenderVerified):
        await again(database, shop, SENDER_CODE)


async def test_removing_erases_the_password(database: Database, shop: Shop) -> None:
    await set_sender(database, shop, SEALER, BY_SERVER)
    await enter(database, shop)
    async with units_on(database).of(shop.tenant) as work:
        await remove_mail_sender(work, OPERATOR)
    row = await only_row(database, mail_senders, of=shop)
    assert {name for name, value in row.items() if value not in (None, "")} == {
        "client_id", "codes_since", "codes_made", "updated_at"
    }  # fmt: skip
    assert await used(database, shop) is None


async def test_the_mail_knows_only_a_living_code(database: Database, shop: Shop) -> None:
    """The email contains the current sender's code, once."""
    first = await set_sender(database, shop, SEALER, ADDRESS)
    second = await again(database, shop, "222222")

    async def mailable(codes: Sequence[str | None]) -> list[str]:
        async with database.tenant(shop.tenant) as connection:
            senders = MailSenderRepository(connection, shop.tenant)
            found = [await senders.to_mail(code or "", utc_now()) for code in codes]
            return [SEALER.unseal(one.sealed_code) for one in found if one is not None]

    assert await mailable([first.code_id, second]) == ["222222"]
    async with database.tenant(shop.tenant) as connection:
        await MailSenderRepository(connection, shop.tenant).mailed(second)
    assert await mailable([second]) == []


async def test_passwords_are_sealed_anew(own_database: Database) -> None:
    shop = await open_shop(own_database)
    await set_sender(own_database, shop, SEALER, BY_SERVER)
    before = (await only_row(own_database, mail_senders, of=shop))["sealed_smtp_password"]
    async with units_on(own_database).everywhere() as work:
        await reseal_everything(work, OPERATOR, SEALER)
    after = (await only_row(own_database, mail_senders, of=shop))["sealed_smtp_password"]
    assert before != after
    assert SEALER.unseal(before) == SEALER.unseal(after)
