"""Read the emails stored by the embedded mail server."""

import asyncio
import email
import email.policy
import re
from collections.abc import Collection
from dataclasses import dataclass
from email.message import EmailMessage
from itertools import islice
from pathlib import Path
from typing import Final

from embedded.kept_mails import mails_in

_CODE: Final = re.compile(r"\b\d{6}\b")
_PATIENCE_S: Final = 20.0
_LOOK_EVERY_S: Final = 0.02


@dataclass(frozen=True, slots=True)
class KeptMail:
    """A stored email with its file name and text part. `in_reply_to` is the Message-ID that it
    answers, in angle brackets, or empty."""

    name: str
    to: str
    subject: str
    text: str
    in_reply_to: str = ""

    @property
    def code(self) -> str | None:
        """Return the six-digit code in the email, or None if there is none."""
        found = _CODE.search(self.text)
        return found and found.group()


def read_mail(path: Path) -> KeptMail:
    """Return the email stored in a file."""
    mail = email.message_from_bytes(path.read_bytes(), EmailMessage, policy=email.policy.default)
    part = mail.get_body(("plain",))
    text = "" if part is None else str(part.get_content())
    answered = str(mail["In-Reply-To"] or "")
    return KeptMail(path.name, str(mail["To"]), str(mail["Subject"]), text.strip(), answered)


async def code_to(address: str, folder: Path) -> str:
    """Wait for an email with a code to this address, and return the code from the newest one.
    Raises TimeoutError after _PATIENCE_S."""
    async with asyncio.timeout(_PATIENCE_S):
        while True:
            for path in reversed(mails_in(folder)):
                mail = read_mail(path)
                if mail.to == address and mail.code is not None:
                    return mail.code
            await asyncio.sleep(_LOOK_EVERY_S)


def mails_to(addresses: Collection[str], folder: Path, most: int) -> list[KeptMail]:
    """Return the newest emails to these addresses, newest first."""
    read = (read_mail(path) for path in reversed(mails_in(folder)))
    return list(islice((mail for mail in read if mail.to in addresses), most))
