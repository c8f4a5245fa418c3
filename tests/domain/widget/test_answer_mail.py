"""The email with a late answer, and the displayed address."""

import pytest

from domain.widget.answer_mail import UnseenAnswer, answer_mail
from domain.widget.shown_message import masked


@pytest.mark.parametrize(
    ("language", "subject"),
    [
        ("fr", "Réponse de Chez Nous"),
        ("en", "Answer from Chez Nous"),
    ],
)
def test_it_speaks_the_session_s_language(language: str, subject: str) -> None:
    mail = answer_mail(
        UnseenAnswer("01ABC", "run", "a@b.example", language, "C'est {parti}."), "Chez Nous"
    )

    assert (mail.subject, mail.to, mail.from_name) == (subject, "a@b.example", "Chez Nous")
    assert "C'est {parti}." in mail.text
    assert mail.auto_submitted == "auto-generated"


def test_only_the_agents_answer_has_the_disclosure() -> None:
    answer = UnseenAnswer("01A", "run", "a@b.example", "en", "It is on its way.")
    assert answer_mail(answer, "Chez Nous", "An AI wrote this.").text.endswith(
        "It is on its way.\n\nAn AI wrote this."
    )
    assert answer_mail(answer, "Chez Nous").text.endswith("It is on its way.\n")


def test_its_message_id_is_the_message_s() -> None:
    answers = [UnseenAnswer(one, "run", "a@b.example", "fr", "x") for one in ("01A", "01A", "01B")]
    first, again, other = [answer_mail(answer, "Chez Nous").name for answer in answers]
    assert first == again != other


@pytest.mark.parametrize(
    ("email", "shown"),
    [
        ("camille@free.example", "c…@free.example"),
        ("a@b.example", "a…@b.example"),
        ('"a@x"@b.example', '"…@b.example'),
        ("élodie@b.example", "é…@b.example"),
    ],
)
def test_an_address_is_masked(email: str, shown: str) -> None:
    assert masked(email) == shown
