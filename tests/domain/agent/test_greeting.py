"""Display names that a greeting may use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.agent.greeting import _words, greeted_name, is_greetable
from domain.intake.event import Channel, UnifiedEvent
from domain.intake.proved_address import ProofKind, ProvedAddress

NAMES = (
    "Camille",
    "Camille Durand", "camille durand", "Léa", "Jean-Pierre de la Tour", "Dr. Martin", "J.R. Ewing",
    "O'Connor", "María José García López", "Ludwig van Beethoven", "张伟", "Mme Éléonore d'Arc",
    "नमस्ते", "Bo", "Li Na", "Ng Wei", "JEAN DUPONT", "Dupont, Jean", "Ronald McDonald",
    "Ellen MacArthur", "Danny DeVito", "LaToya Jackson", "Leonardo DiCaprio", "M. et Mme Petit",
    "Sinéad O’Brien", "Zoë Kravitz", "Mem de Sá", "Aurélie", "Bjørn Ødegård", "Οδυσσέας Ελύτης",
    "Иван Петров", "محمد علي", "Anne-Sophie Le Goff", "Ana M. Silva", "Guillaume D'Hondt",
    "Joëlle", "Inès B.", "K. Müller", "Yves", "Noor el-Amin", "Kristýna", "Nguyễn Văn An",
    "MARIE DUPONT", "JEAN PIERRE DE LA TOUR", "You Wei", "Thi Minh Anh Nguyen", "Son Heung Min",
    "J. A. I. Smith", "Ton van de Vos", "Won Bin", "J.Li", "É.Dupont",
)  # fmt: skip
NO_NAMES = (
    "", "https://evil.example", "evil.com", "Visit www evil", "Gagnez 50 EUR", "Win euros now",
    "Your order is cancelled", "Votre commande est annulée", "Call +33 6 12", "a@b.example",
    "Cliquez ici pour votre remboursement", "Hello! Pay", "50€ offerts", "Anne\nPay",
    "evil。com", "Bonjour. Payez", "refund: yes", "Pay us now", "A" * 61,
    "Customer", "customer", "Guest", "guest user", "Client", "Cliente anonyme", "Test", "test test",
    "Test Client", "Visiteur", "Unknown", "null", "undefined", "Anonymous", "Moi", "Me", "Maman",
    "SARL Dupont", "Dupont SARL", "Dupont & Fils", "Martin SAS", "Acme Ltd",
    "Acme Inc.", "Becker GmbH",
    "Boulangerie Martin", "Hôtel du Lac", "Mairie de Lyon", "Restaurant Chez Paul", "Acme Support",
    "Service Client", "Sales Team", "Comptabilité", "Info", "No-Reply", "noreply", "Mailer Daemon",
    "M", "M.", "Mme",
    "Mr", "Madame", "M. et Mme", "J.",
    "T.co", "t.co", "T.CO", "É.co", "x", "xxx", "aaaa", "asdf", "sdfghjkl", "qwerty", "jean75",
    "DarkSlayer", "j_dupont", "iPhone de Paul", "Famille Durand", "The Smiths", "pay now",
    "call me",
    "thank you", "Urgent refund", "Hello there", "Ma commande", "Paul 😀", "@paul", "#1042",
    "…", "-", "Your Order Is Cancelled", "VOTRE COMMANDE EST ANNULÉE", "Votre Compte Est Bloqué",
    "Click Here Now", "Refund Approved", "Remboursement Accepté", "Appelez Le Support Urgent",
    "You Have Won", "Vous Avez Gagné", "Account-Suspended", "Free Gift",
    "Votre Compte Est Bloque\u0301",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_names(name: str) -> None:
    assert is_greetable(name)


@pytest.mark.parametrize("name", NO_NAMES)
def test_what_is_no_name(name: str) -> None:
    assert not is_greetable(name)


def test_a_mail_without_a_proof_is_greeted_by_no_name() -> None:
    claim = UnifiedEvent(
        channel=Channel.EMAIL, customer_email="a@b.example", customer_name="Léa Martin"
    )
    proved = ProvedAddress(address="a@b.example", by=ProofKind.MAIL)

    assert greeted_name(claim) is None
    assert greeted_name(claim.model_copy(update={"proved": proved})) == "Léa Martin"
    assert greeted_name(claim.model_copy(update={"channel": Channel.WIDGET})) == "Léa Martin"
    assert greeted_name(UnifiedEvent(channel=Channel.WIDGET, customer_name="Guest")) is None


@given(st.text(max_size=100))
def test_any_text_has_an_answer(name: str) -> None:
    if is_greetable(name):
        assert not any(mark.isdigit() or mark in ":/@€$\n" for mark in name)


@given(st.sampled_from(NAMES), st.sampled_from(sorted(_words()["not_names"])), st.booleans())
def test_no_name_beside_a_word_that_is_none(name: str, word: str, before: bool) -> None:
    for written in (word, word.title(), word.upper()):
        assert not is_greetable(f"{written} {name}" if before else f"{name} {written}")
