"""The email to the owner of a webhook."""

from dataclasses import replace

import pytest

from domain.core.service_name import ServiceName
from domain.webhooks.delivery import FailureKind
from domain.webhooks.notice import TroubledWebhook, notice_mail
from domain.webhooks.webhook import Notice

NAME = ServiceName("Maison Aide")
TROUBLED = TroubledWebhook(
    owner_email="owner@shop.example",
    webhook_id="01KAK8Z3V6Q2M9T4B7C1D5E8F0",
    failures=10,
    kind=FailureKind.HTTP_5XX,
    status=502,
)
DASHBOARD = "https://dashboard.example"


@pytest.mark.parametrize(
    ("notice", "subject", "says"),
    [
        (Notice.FAILING, "Un de vos webhooks est en échec", "Les 10 derniers envois"),
        (Notice.DISABLED, "Un de vos webhooks est désactivé", "après 20 échecs de suite"),
        (Notice.GONE, "Un de vos webhooks est désactivé", "a répondu 410"),
    ],
)
def test_what_happened_and_what_to_do(notice: Notice, subject: str, says: str) -> None:
    mail = notice_mail(
        notice,
        TROUBLED,
        delivery_id="01ABC",
        dashboard_url=DASHBOARD,
        service=NAME,
    )

    assert (mail.to, mail.subject) == ("owner@shop.example", subject)
    assert (mail.name, mail.from_name) == ("webhooks.01abc", "Maison Aide")
    for words in (says, "erreur du récepteur (HTTP 502)", DASHBOARD):
        assert words in mail.text
    assert f"Identifiant : {TROUBLED.webhook_id}" in mail.text
    assert f"cli.py webhook deliveries {TROUBLED.webhook_id}" in mail.text
    assert "Le détail de chaque envoi" in mail.text
    assert ("réactivez-y" in mail.text) is (notice is not Notice.FAILING)


@pytest.mark.parametrize("kind", FailureKind)
def test_every_cause_has_its_words(kind: FailureKind) -> None:
    silent = replace(TROUBLED, kind=kind, status=None)

    mail = notice_mail(
        Notice.FAILING,
        silent,
        delivery_id="01ABC",
        dashboard_url=DASHBOARD,
        service=NAME,
    )

    assert "HTTP 502" not in mail.text
    assert kind.value not in mail.text
