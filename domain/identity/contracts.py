"""Temporal payloads for sign-in mails. They identify the mail to send, but never contain the mail's
content."""

from typing import Literal

from domain.core.contracts import Contract


class SendMailInput(Contract):
    """The mail to send. `record_id`: the id of the record that the mail belongs to, such as a code
    or an invitation. `client_id`: empty for a sign-in code."""

    kind: Literal["code", "invitation", "mail_sender", "visitor_code", "address_code"]
    record_id: str
    client_id: str = ""
