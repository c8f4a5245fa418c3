"""The answer to an email."""

import pytest

from domain.agent.brain import Language
from domain.core.ports import OutgoingMail
from domain.intake.event import Channel, UnifiedEvent
from domain.intake.proved_address import ProofKind, ProvedAddress
from domain.integrations.errors import MailRefused
from domain.runs.mail_reply import MAX_REFERENCES, is_ours, reply_to

PROVED = ProvedAddress(address="a@b.example", by=ProofKind.MAIL)


def mail_for(language: Language = "fr", /, **fields: object) -> OutgoingMail:
    event = UnifiedEvent.model_validate(
        {"channel": Channel.EMAIL, "customer_email": "a@b.example", "proved": PROVED, **fields}
    )
    return reply_to(event, "text", from_name="B", key="01RUN", language=language)


@pytest.mark.parametrize(
    ("subject", "expected"),
    [("Ma commande", "Re: Ma commande"), ("RE: hi", "RE: hi"), (None, "Re: Votre message")],
)
def test_subject(subject: str | None, expected: str) -> None:
    assert mail_for(subject=subject).subject == expected


@pytest.mark.parametrize("proved", [None, ProvedAddress(address="eve@x.y", by=ProofKind.MAIL)])
@pytest.mark.parametrize(
    ("language", "expected"), [("fr", "Re: Votre message"), ("en", "Re: Your message")]
)
def test_a_strangers_subject_is_not_repeated(
    language: Language, expected: str, proved: ProvedAddress | None
) -> None:
    """Attack: text in a subject, for the person whose address is forged in the From header."""
    lure = "Pay 500 EUR on evil.example"
    mail = mail_for(language, subject=lure, proved=proved, message_id="<2@x>")

    assert mail.subject == expected
    assert "evil.example" not in repr(mail)
    assert mail.in_reply_to == "<2@x>"


def test_it_lands_in_the_same_thread() -> None:
    mail = mail_for(message_id="<2@x>", references=("<1@x>",))

    assert mail.in_reply_to == "<2@x>"
    assert mail.references == ("<1@x>", "<2@x>")


def test_long_threads_keep_their_first_and_last() -> None:
    mail = mail_for(message_id="<last@x>", references=tuple(f"<{n}@x>" for n in range(50)))

    assert len(mail.references) == MAX_REFERENCES
    assert (mail.references[0], mail.references[-1]) == ("<0@x>", "<last@x>")


def test_the_same_run_has_the_same_name() -> None:
    assert mail_for().name == mail_for(subject="other").name == "reply.01run"


@pytest.mark.parametrize("fields", [{"reply_allowed": False}, {"customer_email": None}])
def test_what_may_not_be_answered(fields: dict[str, object]) -> None:
    with pytest.raises(MailRefused):
        mail_for(**fields)


KEY = "3f2b7c1e-0000-5000-8000-000000000001"


@pytest.mark.parametrize(
    ("message_id", "ours"),
    [
        (f"<reply.{KEY}@shop.example>", True),
        (f"<reply.{KEY}@xn--t-ciaa.example>", True),
        (f"<{KEY}@reply.engine.invalid>", True),  # from before client senders existed
        (f"<reply.{KEY}@>", False),
        (f"<reply.{KEY}@a@b>", False),
        (f"<reply.{KEY}@shop.example", False),
        (f"<reply.{KEY}@shop.example> <x@y>", False),
        ("<reply.../x@shop.example>", False),
        (f"<reply.{'a' * 65}@shop.example>", False),
        ("<accounts.01abc@service.example>", False),
        ("<x@reply.engine.invalid.example>", False),
        ("", False),
    ],
)
def test_which_names_may_be_ours(message_id: str, ours: bool) -> None:
    """The format identifies them, whoever created them: the ledger records which were sent, and to
    whom."""
    assert is_ours(message_id) is ours
