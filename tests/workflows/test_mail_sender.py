"""A client's mail sender, from the form to a customer's mailbox."""

import re
from collections.abc import Iterator

import pytest

from adapters.mail.smtp_guard import SmtpGuard
from domain.core.ports import Mailer, MailSender, OutgoingMail, ServicePermit
from domain.integrations.errors import MailServersBusy
from domain.ratings.rating_link import RATING_PATH
from domain.tenants.client import Role
from store.ratings.tables import ratings
from store.runs.tables import ai_conversations
from tests.support.content.content import SETTINGS
from tests.support.core.engine import LiveEngine
from tests.support.core.mail_parts import plain_text
from tests.support.core.rows import rows
from tests.support.core.waiting import eventually
from tests.support.identity.sign_in import mail_to, new_address
from tests.support.integrations.mailers import mailer_to
from tests.support.integrations.senders import MAIL_SENDER
from tests.support.reviews.dashboard import code, person
from tests.support.servers.client_smtp import PASSWORD, USERNAME, client_smtp
from tests.support.servers.mail import MailServer
from tests.support.servers.tls import CertificateAuthority, certificate_authority
from tests.support.tenants.shop import ORDER_QUESTION, Shop, open_shop

ANN = "ann@example.com"


@pytest.fixture(scope="module")
def authority() -> Iterator[CertificateAuthority]:
    with certificate_authority() as found:
        yield found


async def answered(engine: LiveEngine, shop: Shop, **headers: str) -> str:
    answer = await engine.post(
        shop,
        event_type="email.inbound",
        customer_email=ANN,
        message=ORDER_QUESTION,
        headers=headers,
    )
    return str(answer.json()["status"])


def digits(subject: str) -> str:
    found = re.search(r"[0-9]{6}", subject)
    assert found is not None
    return found[0]


async def test_from_the_form_to_the_customer(engine: LiveEngine, mail: MailServer) -> None:
    shop = await open_shop(engine.database)
    owner, address = await person(engine, shop, Role.OWNER), new_address()
    wanted = {"address": address, "reply_to": "sav@shop.example", "signature": "Léa\nChez Nous"}
    assert code(await engine.http.get(MAIL_SENDER, headers=owner)) == (404, "mail_sender_not_found")

    put = await engine.http.put(
        MAIL_SENDER, json=wanted, headers={**owner, "Accept-Language": "en"}
    )

    assert put.json() == {
        **wanted, "smtp": None, "verified": False, "verified_at": None, "last_error": None,
        "last_error_at": None, "updated_at": put.json()["updated_at"],
    }  # fmt: skip
    brought = await mail_to(mail, address)
    # Through the server that is being verified, and without text from the client.
    assert brought["From"].addresses[0].addr_spec == address
    assert str(brought["From"].addresses[0].display_name) == "Service"
    assert "Chez Nous" not in plain_text(brought)
    digit = digits(brought["Subject"])
    wrong = f"{(int(digit) + 1) % 1_000_000:06d}"
    refused = await engine.http.post(f"{MAIL_SENDER}/verify", json={"code": wrong}, headers=owner)
    assert code(refused) == (400, "invalid_sender_code")

    # Before that, the shop has no sender, and its customer has not written through a verified
    # channel.
    mails = len(mail.mails)
    assert await answered(engine, shop, **{"Message-ID": "<early@x>"}) == "failed"
    assert len(mail.mails) == mails

    done = await engine.http.post(f"{MAIL_SENDER}/verify", json={"code": digit}, headers=owner)

    assert done.json()["verified"]
    assert await answered(engine, shop, **{"Message-ID": "<a@x>"}) == "completed"
    first = mail.mails[-1]
    assert RATING_PATH not in plain_text(first)
    asked = await engine.http.patch(SETTINGS, json={"ask_rating": True}, headers=owner)
    assert asked.json()["ask_rating"] is True
    # Each of our emails, old and new, leads back to its thread by Message-ID alone.
    assert await answered(engine, shop, **{"In-Reply-To": str(first["Message-ID"])}) == "completed"
    second = mail.mails[-1]
    assert second["From"].addresses[0].addr_spec == address
    assert str(second["From"].addresses[0].display_name) == "Boutique"
    assert second["Reply-To"] == "sav@shop.example"
    assert str(second["Message-ID"]).startswith("<reply.")
    assert str(second["Message-ID"]).endswith("@shop.example>")
    assert plain_text(second).splitlines()[-4:] == ["", "-- ", "Léa", "Chez Nous"]
    # It is the second answer in its thread within a day: only the first one asks for a rating.
    assert RATING_PATH not in plain_text(second)
    assert await answered(engine, shop, **{"In-Reply-To": str(second["Message-ID"])}) == "completed"
    forged = "<reply.3f2b7c1e-0000-5000-8000-000000000001@shop.example>"
    assert await answered(engine, shop, **{"In-Reply-To": forged}) == "completed"
    threads = await rows(engine.database, ai_conversations, of=shop)
    assert {one["key"]: len(one["turns"]) for one in threads} == {
        f"mail:<early@x>:{ANN}": 1, f"mail:<a@x>:{ANN}": 6, f"mail:{forged}:{ANN}": 2
    }  # fmt: skip
    await _rates_an_answer(engine, shop, mail)

    assert (await engine.http.delete(MAIL_SENDER, headers=owner)).status_code == 204
    mails = len(mail.mails)
    assert await answered(engine, shop) == "failed"
    assert len(mail.mails) == mails


async def _rates_an_answer(engine: LiveEngine, shop: Shop, mail: MailServer) -> None:
    """Check that an answer in a new thread asks for a rating."""
    assert await answered(engine, shop, **{"Message-ID": "<rated@x>"}) == "completed"
    *_, link, blank, mark, _, _ = lines = plain_text(mail.mails[-1]).splitlines()
    assert lines[-4:] == [blank, mark, "Léa", "Chez Nous"] == ["", "-- ", "Léa", "Chez Nous"]
    origin = engine.settings.server.origin
    assert link.startswith(f"{origin}{RATING_PATH}/")
    path = link.removeprefix(origin)
    assert (await engine.http.get(path)).status_code == 200
    assert await rows(engine.database, ratings, of=shop) == []
    assert (await engine.http.post(path, data={"score": "5"})).status_code == 200
    assert [one["score"] for one in await rows(engine.database, ratings, of=shop)] == [5]


async def test_by_the_clients_own_server(
    engine: LiveEngine,
    shop: Shop,
    mail: MailServer,
    authority: CertificateAuthority,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its server's error is shown to the merchant, and no email is sent in another way."""
    owner = await person(engine, shop, Role.OWNER)
    resources = engine.app.state.resources
    smtp: dict[str, object] = {
        "host": "localhost", "port": 465, "security": "tls",
        "username": USERNAME, "password": PASSWORD,
    }  # fmt: skip
    wanted = {"address": "contact@shop.example", "smtp": smtp}
    refused = await engine.http.put(MAIL_SENDER, json=wanted, headers=owner)
    assert code(refused) == (400, "invalid_mail_sender")
    assert PASSWORD not in refused.text
    assert isinstance(resources.mail_servers, SmtpGuard)
    monkeypatch.setattr(resources.mail_servers, "_allow_private", True)
    monkeypatch.setattr(
        engine.activities.send_sender_code._mail,
        "_mailer",
        mailer_to(mail.url, ca_file=authority.file, sealer=resources.sealer),
    )
    async with client_smtp(authority.server_context(), starttls=False) as server:
        smtp["port"] = server.port
        put = await engine.http.put(MAIL_SENDER, json=wanted, headers=owner)
        assert put.json()["smtp"] == {
            "host": "localhost", "port": server.port, "security": "tls", "username": USERNAME
        }  # fmt: skip
        brought = await mail_to(server, "contact@shop.example")
        done = await engine.http.post(
            f"{MAIL_SENDER}/verify", json={"code": digits(brought["Subject"])}, headers=owner
        )
        assert done.json()["verified"]
        assert await answered(engine, shop) == "completed"
        assert server.mails[-1]["To"] == ANN

        server.password = "changed"
        assert await answered(engine, shop) == "failed"
        shown = (await engine.http.get(MAIL_SENDER, headers=owner)).json()
        assert shown["last_error"] == "mail_login_refused"
        assert shown["verified"]
        server.password = PASSWORD
        assert mail.mails == []
        assert len(server.mails) == 2
    assert PASSWORD not in put.text + done.text + str(shown)


class Busy:
    """A mailer without a free connection slot, until the sixth email of the run is sent."""

    def __init__(self, inner: Mailer) -> None:
        self._inner = inner
        self.refused = 0

    async def send(self, mail: OutgoingMail, by: MailSender | ServicePermit) -> str:
        if self.refused < 5:
            self.refused += 1
            raise MailServersBusy
        return await self._inner.send(mail, by)


@pytest.mark.usefixtures("tried_quickly")
async def test_an_answer_that_gets_no_connection_slot_is_sent_later(
    engine: LiveEngine, shop: Shop, mail: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four attempts are made while a caller may wait. The run then goes on."""
    client_mail = engine.activities.send_sender_code._mail
    busy = Busy(client_mail._mailer)
    monkeypatch.setattr(client_mail, "_mailer", busy)

    assert await answered(engine, shop) == "completed"

    assert busy.refused == 5
    assert [one["To"] for one in mail.mails] == [ANN]


async def test_a_code_that_cannot_be_mailed_is_told(
    engine: LiveEngine, shop: Shop, mail: MailServer
) -> None:
    owner = await person(engine, shop, Role.OWNER)
    mail.recipient_reply = "550 no such user"
    await engine.http.put(MAIL_SENDER, json={"address": new_address()}, headers=owner)

    async def told() -> str | None:
        error = (await engine.http.get(MAIL_SENDER, headers=owner)).json()["last_error"]
        return None if error is None else str(error)

    assert await eventually(told) == "mail_refused"
    assert (await engine.http.post(f"{MAIL_SENDER}/code", headers=owner)).status_code == 204

    async def refused_again() -> bool:
        return mail.refused == 2

    # Otherwise the second email reaches the next test.
    await eventually(refused_again)
