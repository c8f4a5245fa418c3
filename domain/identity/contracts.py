"""What crosses Temporal where people are let in: which mail is due, never what it says."""

from typing import Literal

from domain.core.contracts import Contract


class SendMailInput(Contract):
    """`record_id`: the code's or the invitation's. `client_id`: empty for a sign-in code."""

    kind: Literal["code", "invitation", "mail_sender", "visitor_code", "address_code"]
    record_id: str
    client_id: str = ""
