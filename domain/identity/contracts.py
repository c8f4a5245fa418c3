"""Temporal payloads for sign-in emails. A payload identifies an email, but never contains the
email's content."""

from typing import Literal

from domain.core.contracts import Contract


class SendMailInput(Contract):
    """The email to send. `record_id` identifies its code or invitation. `client_id` is empty for a
    sign-in code."""

    kind: Literal["code", "invitation", "mail_sender", "visitor_code", "address_code"]
    record_id: str
    client_id: str = ""
