"""The text part of a sent email."""

from email.message import EmailMessage


def plain_text(mail: object) -> str:
    assert isinstance(mail, EmailMessage)
    part = mail.get_body(("plain",))
    assert part is not None
    return str(part.get_content())
