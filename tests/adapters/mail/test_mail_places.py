"""The connection slots to clients' own mail servers: a few clients cannot hold all of them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace

import pytest

from adapters.mail.mail_places import ALL_AT_ONCE, OF_ONE, OF_SLOW, MailPlaces
from adapters.system import new_ulid
from domain.core.ids import TenantId
from domain.integrations.client_sender import seal_password
from domain.integrations.errors import MailServersBusy, MailUnreachable
from tests.support.integrations.mailers import MAIL, MAILS_SEALER, by, mailer_to
from tests.support.servers.client_smtp import PASSWORD, USERNAME, at, client_smtp, scripted
from tests.support.servers.tls import CertificateAuthority


class Senders:
    """Clients whose emails hold slots. `lost`: the clients whose connections gave way, in order."""

    def __init__(self, places: MailPlaces, held: AsyncExitStack) -> None:
        self._places = places
        self._held = held
        self.lost: list[str] = []

    async def connects(self, client_id: str) -> None:
        """Take a slot for a connection that never logs in. Raises MailServersBusy."""
        place = await self._held.enter_async_context(self._places.place(client_id))
        entering = self._places.entering(place, lambda: self.lost.append(client_id))
        entering.__enter__()

        def leave() -> None:
            with suppress(MailServersBusy):
                entering.__exit__(None, None, None)

        self._held.callback(leave)

    async def sends(self, client_id: str) -> None:
        """Take a slot for an email that is being transmitted. Raises MailServersBusy."""
        await self._held.enter_async_context(self._places.place(client_id))


@asynccontextmanager
async def senders(places: MailPlaces) -> AsyncIterator[Senders]:
    async with AsyncExitStack() as held:
        yield Senders(places, held)


def hasty() -> MailPlaces:
    return MailPlaces(patience_s=0.02, entered_after_s=60)


async def test_a_client_with_many_hanging_connections_gives_way() -> None:
    async with senders(hasty()) as them:
        for number in range(ALL_AT_ONCE):
            await them.connects(f"attacker {number // OF_ONE}")
        await them.connects("victim")
        await them.connects("victim")
        assert len(them.lost) == 2
        assert "victim" not in them.lost


async def test_an_email_that_is_being_transmitted_keeps_its_slot() -> None:
    async with senders(hasty()) as them:
        for number in range(ALL_AT_ONCE):
            await them.sends(f"busy {number // OF_ONE}")
        with pytest.raises(MailServersBusy):
            await them.connects("other")
        assert them.lost == []


async def test_clients_with_slow_servers_have_one_slot_and_few_together() -> None:
    places = hasty()
    async with senders(places) as them:
        for number in range(OF_SLOW + 1):
            places.note_slow(f"slow {number}")
        for number in range(OF_SLOW):
            await them.sends(f"slow {number}")
        for refused in ("slow 0", f"slow {OF_SLOW}"):
            with pytest.raises(MailServersBusy):
                await them.sends(refused)
        for number in range(ALL_AT_ONCE - OF_SLOW):
            await them.sends(f"other {number // OF_ONE}")


async def test_a_slow_server_gives_way_to_any_other_and_is_slow_for_a_while() -> None:
    places = MailPlaces(patience_s=0.02, entered_after_s=60, slow_for_s=60)
    async with senders(places) as them:
        for number in range(ALL_AT_ONCE):
            await them.connects(f"one {number}")
        with pytest.raises(MailServersBusy):  # All clients have as many slots as it would have.
            await them.sends("other")
        places.note_slow("one 7")
        await them.sends("other")
        assert them.lost == ["one 7"]

    forgetful = MailPlaces(slow_for_s=0)
    async with senders(forgetful) as them:
        forgetful.note_slow("other")
        for _ in range(OF_ONE):
            await them.sends("other")


async def test_a_server_that_was_slow_once_comes_before_one_that_is_always_slow() -> None:
    """A worker that is overloaded itself may treat a good server as slow."""
    places = hasty()
    async with senders(places) as them:
        for number in range(OF_SLOW):
            places.note_slow(f"always {number}")
            places.note_slow(f"always {number}")
            await them.connects(f"always {number}")
        places.note_slow("once")
        await them.sends("once")
        assert len(them.lost) == 1
        with pytest.raises(MailServersBusy):
            await them.sends("once")
        places.note_prompt("once")
        await them.sends("once")


async def test_a_free_slot_goes_to_the_client_with_the_fewest() -> None:
    places = MailPlaces(patience_s=5, entered_after_s=60)
    order: list[str] = []

    async def waits(client_id: str) -> None:
        async with places.place(client_id):
            order.append(client_id)

    async with AsyncExitStack() as rest:
        for number in range(ALL_AT_ONCE - 3):
            await rest.enter_async_context(places.place(f"busy {number // OF_ONE}"))
        for _ in range(2):
            await rest.enter_async_context(places.place("many"))
        places.note_slow("slow")
        async with places.place("x"):
            waiting = [asyncio.ensure_future(waits(one)) for one in ("slow", "many", "none")]
            await asyncio.sleep(0)
            assert order == []
        await asyncio.gather(*waiting)
    assert order == ["none", "many", "slow"]


async def test_the_client_with_the_most_waiting_emails_is_refused() -> None:
    """Each waiting email occupies a part of the worker's concurrency."""
    places = MailPlaces(patience_s=5, entered_after_s=60)

    async def waits(client_id: str) -> None:
        async with places.place(client_id):
            await asyncio.Event().wait()

    async with AsyncExitStack() as held:
        for number in range(ALL_AT_ONCE):
            await held.enter_async_context(places.place(f"busy {number // OF_ONE}"))
        many = [asyncio.ensure_future(waits("many")) for _ in range(40)]
        await asyncio.sleep(0)
        other = asyncio.ensure_future(waits("other"))
        await asyncio.wait(many, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.sleep(0)
        refused = [one for one in many if one.done()]
        assert len(refused) == 40 + 1 - 16
        assert {type(one.exception()) for one in refused} == {MailServersBusy}
        assert not other.done()
        for one in (*many, other):
            one.cancel()
        await asyncio.gather(*many, other, return_exceptions=True)


@pytest.mark.parametrize("attackers", [8, 24])
async def test_clients_with_silent_servers_lose_no_email_of_another(
    authority: CertificateAuthority, attackers: int
) -> None:
    """Earlier, eight clients held all connections, and more than half of the victim's emails got
    no slot."""
    mailer = mailer_to(None, ca_file=authority.file)
    hanging, heard = asyncio.Event(), 0

    async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal heard
        heard += 1
        if heard >= min(ALL_AT_ONCE, attackers * OF_ONE):
            hanging.set()
        await reader.read()

    async def attack(client: TenantId, port: int) -> None:
        while True:
            with pytest.raises(MailUnreachable):
                await mailer.send(MAIL, by(at(port), client=client))
            await asyncio.sleep(2)  # the pace of the attack

    async with (
        scripted(silent) as port,
        client_smtp(authority.server_context(), starttls=False) as good,
    ):
        clients = [TenantId(new_ulid()) for _ in range(attackers)]
        async with asyncio.TaskGroup() as crowd:
            tasks = [
                crowd.create_task(attack(client, port))
                for client in clients
                for _ in range(OF_ONE + 1)
            ]
            await hanging.wait()
            victim = TenantId(new_ulid())
            sealed = seal_password(MAILS_SEALER, victim, PASSWORD)
            server = replace(at(good.port), username=USERNAME, sealed_password=sealed)
            for _ in range(15):
                await mailer.send(MAIL, by(server, client=victim))
            for one in tasks:
                one.cancel()
    assert len(good.mails) == 15
