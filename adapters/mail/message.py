"""Outgoing emails in wire format."""

from email.errors import HeaderParseError
from email.headerregistry import Address
from email.message import EmailMessage

from domain.core.html_mail import mail_html
from domain.core.ports import OutgoingMail
from domain.integrations.errors import MailRefused


def written(mail: OutgoingMail, sender: Address, reply_to: str | None) -> EmailMessage:
    """Return the email as a MIME message with a text, an HTML part and attachments, and a
    Message-ID with the sender's domain. Raises MailRefused for an invalid header."""
    message = EmailMessage()
    try:
        message["Message-ID"] = f"<{mail.name}@{sender.domain}>"
        message["From"] = Address(mail.from_name, sender.username, sender.domain)
        if reply_to is not None:
            message["Reply-To"] = Address(addr_spec=reply_to)
        message["To"] = Address(addr_spec=mail.to)
        message["Subject"] = mail.subject
        # Encoding non-ASCII characters takes much time, and no valid Message-ID contains them.
        if mail.in_reply_to and mail.in_reply_to.isascii():
            message["In-Reply-To"] = mail.in_reply_to
        if references := [one for one in mail.references if one.isascii()]:
            message["References"] = " ".join(references)
        if mail.unsubscribe_url:
            message["List-Unsubscribe"] = f"<{mail.unsubscribe_url}>"
            message["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    except (ValueError, IndexError, AttributeError, HeaderParseError) as error:
        # The header library raises these errors for line breaks and malformed addresses.
        raise MailRefused("the mail's headers cannot be written") from error
    # Headers that prevent automatic replies, from RFC 3834 and Exchange.
    message["Auto-Submitted"] = mail.auto_submitted
    message["X-Auto-Response-Suppress"] = "OOF, AutoReply"
    message.set_content(mail.text)
    html = mail_html(mail.text, title=mail.subject, sender=mail.from_name, color=mail.color)
    message.add_alternative(html, subtype="html")
    for file in mail.files:
        kind, _, subtype = file.claimed_type.partition("/")
        message.add_attachment(file.data, maintype=kind, subtype=subtype, filename=file.name)
    return message
