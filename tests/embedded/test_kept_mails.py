"""Emails that the embedded mail server stores."""

from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from ulid import ULID

from adapters.system import utc_now
from embedded import kept_mails
from embedded.kept_mails import MAX_AGE, forget, mails_in, prune


def keep(folder: Path, to: str, *, days_ago: float = 0) -> Path:
    mail = EmailMessage()
    mail["To"] = to
    mail.set_content("Hello")
    path = folder / f"{ULID.from_datetime(utc_now() - timedelta(days=days_ago))}.eml"
    path.write_bytes(mail.as_bytes())
    return path


def test_what_is_old_goes(tmp_path: Path) -> None:
    keep(tmp_path, "a@b.example", days_ago=MAX_AGE.days + 1)
    young = keep(tmp_path, "a@b.example", days_ago=MAX_AGE.days - 1)

    assert prune(tmp_path, utc_now()) == 1
    assert mails_in(tmp_path) == [young]


def test_of_too_many_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_mails, "MAX_MAILS", 2)
    mails = [keep(tmp_path, "a@b.example", days_ago=days) for days in (3, 2, 1)]

    assert prune(tmp_path, utc_now()) == 1
    assert mails_in(tmp_path) == mails[1:]


def test_mails_to_one_customer_are_forgotten(tmp_path: Path) -> None:
    keep(tmp_path, "Emma <EMMA@shop.example>")
    keep(tmp_path, "bob@shop.example, emma@shop.example")
    other = keep(tmp_path, "dilemma@shop.example")

    assert forget(tmp_path, "emma@shop.example") == 2
    assert mails_in(tmp_path) == [other]


def test_all_are_forgotten_with_a_client(tmp_path: Path) -> None:
    keep(tmp_path, "a@b.example")

    assert forget(tmp_path, None) == 1
    assert forget(tmp_path / "none", None) == 0
