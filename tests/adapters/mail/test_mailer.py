"""Email over a real SMTP connection: certain and unknown results."""

import pytest

from adapters.mail.mailer import SmtpMailer
from domain.core.attached_file import AttachedFile
from domain.core.errors import InvalidInput
from domain.core.ports import OutgoingMail, ServicePermit
from domain.intake.mail_automatic import may_reply
from domain.integrations.errors import MailRefused, MailUnknown, MailUnreachable
from embedded.ports import free_port
from tests.support.core.mail_parts import plain_text
from tests.support.intake.attachments import INVOICE, PHOTO
from tests.support.integrations.mailers import PERMIT, mailer_to
from tests.support.servers.mail import MailServer

MAIL = OutgoingMail(
    name="reply.1",
    to="léa@example.com".replace("é", "e"),
    from_name='Été & Fils, "Boutique"',
    subject="Re: Où est ma commande ? 📦",
    text="Bonjour,\n.\nÀ bientôt\n",
    in_reply_to="<0@x>",
    references=("<0@x>",),
)


def mailer(url: str | None) -> SmtpMailer:
    return mailer_to(url, mail_from="support@boutique.example")


async def test_mail_arrives_whole(mail: MailServer) -> None:
    message_id = await mailer(mail.url).send(MAIL, PERMIT)

    (sent,) = mail.mails
    assert sent["Subject"] == MAIL.subject
    assert sent["From"].addresses[0].display_name == MAIL.from_name
    # Uses an existing domain, because filters check that.
    assert sent["Message-ID"] == message_id == "<reply.1@boutique.example>"
    assert sent["Reply-To"] is None
    assert sent["In-Reply-To"] == sent["References"] == "<0@x>"
    # Other auto-responders, including instances of this service, must not answer.
    assert sent["Auto-Submitted"] == "auto-replied"
    assert sent["X-Auto-Response-Suppress"] == "OOF, AutoReply"
    assert not may_reply({name.lower(): str(value) for name, value in sent.items()}, (), "")
    assert plain_text(sent).splitlines() == MAIL.text.splitlines()
    assert sent.get_content_type() == "multipart/alternative"
    assert [part.get_content_type() for part in sent.iter_parts()] == ["text/plain", "text/html"]
    html = sent.get_body(("html",))
    assert html is not None
    assert "Été &amp; Fils, &quot;Boutique&quot;" in html.get_content()
    assert "À bientôt" in html.get_content()


async def test_a_mail_with_files(mail: MailServer) -> None:
    files = (PHOTO, AttachedFile("Facture été.pdf", "application/pdf", INVOICE.data))

    await mailer(mail.url).send(MAIL.model_copy(update={"files": files}), PERMIT)

    (sent,) = mail.mails
    assert plain_text(sent).splitlines() == MAIL.text.splitlines()
    assert [
        (one.get_filename(), one.get_content_type(), one.get_content())
        for one in sent.iter_attachments()
    ] == [(one.name, one.claimed_type, one.data) for one in files]


@pytest.mark.parametrize(
    ("recipient", "data", "error"),
    [
        ("550 no such user", "250 ok", MailRefused),
        ("450 later", "250 ok", MailUnreachable),
        ("250 ok", "554 refused", MailRefused),
        ("250 ok", "451 later", MailUnreachable),
        ("250 ok", None, MailUnknown),
    ],
)
async def test_outcomes(
    mail: MailServer, recipient: str, data: str | None, error: type[Exception]
) -> None:
    mail.recipient_reply, mail.reply = recipient, data

    with pytest.raises(error):
        await mailer(mail.url).send(MAIL, PERMIT)


async def test_nobody_listens() -> None:
    with pytest.raises(MailUnreachable):
        await mailer(f"smtp://127.0.0.1:{free_port()}").send(MAIL, PERMIT)


async def test_no_server_is_set() -> None:
    with pytest.raises(MailRefused):
        await mailer(None).send(MAIL, PERMIT)


@pytest.mark.parametrize(
    "change",
    [
        {"subject": "a\r\nBcc: x@y.example"},
        {"to": "a@b.example\nCc: c@d.example"},
        {"to": "a@b.example, c@d.example"},
        {"to": "a@[b"},
        {"to": "é@b.example"},
        {"to": "nobody"},
        {"to": "Support@Boutique.example"},  # ourselves: the email would come back
    ],
)
async def test_it_goes_to_one_address_or_nobody(mail: MailServer, change: dict[str, str]) -> None:
    changed = MAIL.model_copy(update=change)

    with pytest.raises(MailRefused):
        await mailer(mail.url).send(changed, ServicePermit(changed.to))

    assert mail.mails == []


async def test_a_permit_is_for_one_address(mail: MailServer) -> None:
    with pytest.raises(MailRefused):
        await mailer(mail.url).send(MAIL, ServicePermit("other@example.com"))

    assert mail.mails == []


@pytest.mark.parametrize("url", ["http://x", "smtp://", "nonsense"])
def test_unusable_server(url: str) -> None:
    with pytest.raises(InvalidInput):
        mailer(url)


def test_unusable_sender() -> None:
    with pytest.raises(InvalidInput):
        mailer_to(None, mail_from="nobody")


async def test_slow_server_cannot_hold_the_sender(
    mail: MailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deadline covers the whole SMTP session, not each command."""
    monkeypatch.setattr("adapters.mail.mailer._TIMEOUT_S", 0.3)
    mail.pause_s = 0.2

    with pytest.raises(MailUnknown):
        await mailer(mail.url).send(MAIL, PERMIT)
