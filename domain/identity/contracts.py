"""Temporal payloads for sign-in emails. A payload identifies an email, but never contains the
email's content."""

from typing import Literal

from domain.core.contracts import Contract


class SendMailInput(Contract):
    """The email to send. `record_id`: the id of the email's record, such as a code or an
    invitation. `client_id`: empty for a sign-in code."""

    kind: Literal["code", "invitation", "mail_sender", "visitor_code", "address_code"]
    record_id: str
    client_id: str = ""
