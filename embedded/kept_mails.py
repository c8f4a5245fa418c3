"""The emails stored by the embedded mail server, limited in number and age. Users can delete
them."""

from datetime import datetime, timedelta
from email.parser import BytesHeaderParser
from email.utils import getaddresses
from pathlib import Path
from typing import Final

from ulid import ULID

from domain.intake.customer_email import customer_key

MAX_MAILS: Final = 1_000
MAX_AGE: Final = timedelta(days=30)


def mails_in(folder: Path) -> list[Path]:
    """Return the files of the stored emails, oldest first. Each file name is the ULID created when
    the email arrived."""
    return sorted(folder.glob("*.eml"))


def prune(folder: Path, now: datetime) -> int:
    """Delete emails older than MAX_AGE, and the oldest emails beyond MAX_MAILS. Return the number
    of deleted emails."""
    mails = mails_in(folder)
    too_many = len(mails) - MAX_MAILS
    old = [
        mail
        for place, mail in enumerate(mails)
        if place < too_many or ULID.from_str(mail.stem).datetime < now - MAX_AGE
    ]
    for mail in old:
        mail.unlink(missing_ok=True)
    return len(old)


def forget(folder: Path, address: str | None) -> int:
    """Delete the stored emails to an address, or all if None. Return their number. `address` is a
    result of `customer_key` (`domain/intake/customer_email.py`)."""
    found = [mail for mail in mails_in(folder) if address is None or address in _recipients(mail)]
    for mail in found:
        mail.unlink(missing_ok=True)
    return len(found)


def _recipients(mail: Path) -> set[str | None]:
    head = BytesHeaderParser().parsebytes(mail.read_bytes())
    written = [str(value) for name in ("To", "Cc", "Bcc") for value in head.get_all(name, ())]
    return {customer_key(address) for _, address in getaddresses(written)}
