"""The rules for subscriptions, and stored secrets."""

import pytest

from adapters.seal import FernetSealer, new_seal_key
from domain.webhooks.errors import InvalidWebhook
from domain.webhooks.explanation import Origin
from domain.webhooks.outbound_event import OutboundEventId
from domain.webhooks.secret import SealedSecret, known_secrets, seal_secret, unseal_secret
from domain.webhooks.signature import secret_of
from domain.webhooks.webhook import (
    EVENT_IDS,
    MAX_LABEL,
    Notice,
    check_events,
    check_label,
    notice_of,
    wants,
)

SECRET = secret_of(bytes(range(24)))


@pytest.mark.parametrize("label", ["", "  ", "x" * (MAX_LABEL + 1), "a\nb", "a\x00", "a\u2028b"])
def test_labels_refused(label: str) -> None:
    with pytest.raises(InvalidWebhook) as refused:
        check_label(label)
    assert refused.value.reason.startswith("label")


def test_labels_kept() -> None:
    assert check_label("  Mon CRM, à Lyon ") == "Mon CRM, à Lyon"
    assert check_label("Commandes\u00a0: Lyon\u202f!") == "Commandes : Lyon !"
    assert check_label("👩\u200d💻 équipe") == "👩\u200d💻 équipe"
    assert check_label("é" * MAX_LABEL) == "é" * MAX_LABEL


@pytest.mark.parametrize("events", [[], ["ticket.opened"], ["ticket.resolved", ""], ["**"]])
def test_events_refused(events: list[str]) -> None:
    with pytest.raises(InvalidWebhook) as refused:
        check_events(events)
    assert refused.value.reason.startswith("events")


def test_events_each_once_in_their_order() -> None:
    backwards = ["playbook.activated", "ticket.resolved", "playbook.activated"]
    assert check_events(backwards) == ("ticket.resolved", "playbook.activated")
    assert check_events(["ticket.resolved", "*"]) == ("*",)
    assert check_events(EVENT_IDS) == EVENT_IDS


@pytest.mark.parametrize("event", EVENT_IDS)
def test_who_wants_what(event: OutboundEventId) -> None:
    assert wants(("*",), event)
    assert wants((event,), event)
    assert not wants([other for other in EVENT_IDS if other != event], event)


def test_when_the_owner_is_told() -> None:
    told = {count: notice_of(count, disabled=False) for count in range(20)}
    assert {count for count, notice in told.items() if notice} == {10, 15}
    assert told[10] is Notice.FAILING
    assert notice_of(20, disabled=True) is Notice.DISABLED


def test_a_sealed_secret_stays_where_it_is() -> None:
    sealer = FernetSealer(new_seal_key())
    sealed = seal_secret(sealer, "C1", "W1", SECRET)

    assert SECRET not in sealed
    assert unseal_secret(sealer, "C1", "W1", sealed) == SECRET
    for client_id, webhook_id in (("C1", "W2"), ("C2", "W1"), ("C1/W1", ""), ("", "C1/W1")):
        with pytest.raises(ValueError, match="another webhook"):
            unseal_secret(sealer, client_id, webhook_id, sealed)
    with pytest.raises(ValueError):  # noqa: PT011 - whatever it says
        unseal_secret(FernetSealer(new_seal_key()), "C1", "W1", sealed)


def test_secrets_to_hold_a_signature_against() -> None:
    sealer = FernetSealer(new_seal_key())
    sealed = SealedSecret(seal_secret(sealer, "C1", "W1", SECRET), Origin.PREVIOUS, "W1")

    (known,) = known_secrets(sealer, "C1", [sealed])
    assert (known.value, known.origin, known.webhook_id) == (SECRET, Origin.PREVIOUS, "W1")
    assert SECRET not in repr(known)

    lost = seal_secret(FernetSealer(new_seal_key()), "C1", "W2", SECRET)
    others = SealedSecret(lost, Origin.OTHER_WEBHOOK, "W2")
    assert known_secrets(sealer, "C1", [sealed, others]) == (known,)
    with pytest.raises(ValueError):  # noqa: PT011 - whatever it says
        known_secrets(sealer, "C1", [SealedSecret(lost, Origin.NEWEST, "W2")])
