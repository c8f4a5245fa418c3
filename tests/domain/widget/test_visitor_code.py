"""The code of a visitor: how many there are, what it is good for, and the mail that brings it."""

from datetime import timedelta

import pytest

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid, utc_now
from domain.core.ports import OutgoingMail
from domain.core.service_name import ServiceName
from domain.identity.code import code_digest
from domain.widget.code_mail import visitor_code_mail
from domain.widget.visitor_code import HOUR, RecentCodes, is_visitor_code, visitor_code_digest

NOW = utc_now()
SERVICE = ServiceName()
SEALER = FernetSealer(new_seal_key())
CLIENT, CODE_ID = new_ulid(), new_ulid()


@pytest.mark.parametrize(
    ("of_session", "minutes", "wait_s"), [(0, None, None), (2, 1, None), (3, 1, 3540), (3, 59, 60)]
)
def test_a_session_waits_for_its_fourth(
    of_session: int, minutes: int | None, wait_s: float | None
) -> None:
    oldest = None if minutes is None else NOW - timedelta(minutes=minutes)
    assert RecentCodes(of_session, 0, 0, oldest).wait_s(NOW) == wait_s


@pytest.mark.parametrize(
    ("of_address", "of_client", "mailed"), [(4, 59, True), (5, 0, False), (0, 60, False)]
)
def test_addresses_and_clients_have_their_limits(
    of_address: int, of_client: int, *, mailed: bool
) -> None:
    assert RecentCodes(0, of_address, of_client, NOW - HOUR).may_be_mailed is mailed


def test_a_code_is_good_for_its_client_and_its_record_alone() -> None:
    digest = visitor_code_digest(SEALER, CLIENT, CODE_ID, "012345")
    assert is_visitor_code(SEALER, CLIENT, CODE_ID, " 012-345 ", digest)
    for client, code_id, code in (
        (CLIENT, CODE_ID, "012346"),
        (CLIENT, CODE_ID, "12345"),
        (CLIENT, CODE_ID, ""),
        (CLIENT, CODE_ID, "٠١٢٣٤٥"),
        (CLIENT, new_ulid(), "012345"),
        (new_ulid(), CODE_ID, "012345"),
    ):
        assert not is_visitor_code(SEALER, client, code_id, code, digest)
    assert digest != code_digest(SEALER, CODE_ID, "012345")
    assert b"012345" not in digest


def test_the_whole_mail() -> None:
    mail = visitor_code_mail(
        "CODE",
        to="jean@free.example",
        language="en",
        code="012345",
        shop="Maison {Lin}",
        service=SERVICE,
    )
    assert mail == OutgoingMail(
        name="widget.code",
        to="jean@free.example",
        from_name="Maison {Lin}",
        subject="Your code: 012345",
        text="Hello,\n\nYour code for the chat of “Maison {Lin}” is 012345. It is valid for 10 "
        "minutes, once, in the window that asked for it.\n\nIf you asked for nothing, ignore this "
        "message and pass the code on to nobody: it opens your orders.\n",
        auto_submitted="auto-generated",
    )
    french = visitor_code_mail(
        "CODE",
        to="jean@free.example",
        language="fr",
        code="012345",
        shop="Maison {Lin}",
        service=SERVICE,
    )
    assert french.subject == "Votre code : 012345"
    assert french.text == (
        "Bonjour,\n\nVotre code pour la messagerie de « Maison {Lin} » est 012345. Il est valable "
        "10 minutes, une seule fois, dans la fenêtre où il a été demandé.\n\nSi vous n'avez rien "
        "demandé, ignorez ce message et ne communiquez ce code à personne : il donne accès à vos "
        "commandes.\n"
    )
