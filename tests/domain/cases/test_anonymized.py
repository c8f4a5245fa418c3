"""Personal data is removed, and other data remains."""

import re
from typing import Final

from hypothesis import given
from hypothesis import strategies as st

from domain.cases.anonymized import anonymized, made_up_numbers
from domain.core.effort import budget
from domain.core.text import fold
from tests.support.core.each import each

_KNOWN_EMAIL: Final = "marie.dupont@boutique.fr"
_KNOWN_NAME: Final = "Marie Dupont"
_WORDS: Final = (
    "Bonjour je voudrais savoir où en est mon colis il est cassé merci please refund order "
    "delivery 19,99 € 3 jours l'été T-shirt 25.10.2026 taille 42"
)
_PLAIN: Final = st.lists(st.sampled_from(_WORDS.split()), max_size=12).map(" ".join)
_NUMBERS: Final = st.lists(
    st.one_of(
        st.from_regex(r"[0-9]{3,10}", fullmatch=True),
        st.from_regex(r"[A-Z]{1,3}-?[0-9]{3,8}", fullmatch=True),
        st.from_regex(r"[A-Z]{9}", fullmatch=True),
    ),
    max_size=4,
)
_NAMES: Final = st.lists(
    st.text(alphabet="abdeilmnorstéèçñöœ", min_size=3, max_size=12).map(str.title),
    min_size=1,
    max_size=3,
).map(" ".join)
_PHONE: Final = st.sampled_from(
    [
        "+33 6 12 34 56 78",
        "+33(0)612345678",
        "06 12 34 56 78",
        "06.12.34.56.78",
        "0612345678",
        "0044 20 7946 0018",
        "020 7946 0018",
        "(555) 123-4567",
        "+1 555-123-4567",
    ]
)


def _iban(country: str, account: str) -> str:
    digits = "".join(str(int(letter, 36)) for letter in f"{account}{country}00")
    return f"{country}{98 - int(digits) % 97:02}{account}"


def _card(digits: str) -> str:
    doubled = (int(one) * (2 - place % 2) for place, one in enumerate(reversed(digits)))
    return digits + str(-sum(value - 9 * (value > 9) for value in doubled) % 10)


def _by_four(written: str) -> str:
    return " ".join(written[place : place + 4] for place in range(0, len(written), 4))


_IBAN: Final = st.builds(
    _iban,
    st.sampled_from(["FR", "DE", "BE", "GB"]),
    st.from_regex(r"[A-Z0-9]{12,23}", fullmatch=True),
).flatmap(lambda iban: st.sampled_from([iban, iban.lower(), _by_four(iban)]))
_CARD: Final = (
    st.from_regex(r"[1-9][0-9]{12,17}", fullmatch=True)
    .map(_card)
    .flatmap(lambda card: st.sampled_from([card, _by_four(card), _by_four(card).replace(" ", "-")]))
)
_EMAIL: Final = st.one_of(st.emails(), st.just(_KNOWN_EMAIL), st.just(_KNOWN_EMAIL.upper()))


def _replaced(text: str) -> str:
    return anonymized(text, email=_KNOWN_EMAIL, name=_KNOWN_NAME, order_numbers=("1042",))


@given(_PLAIN, st.one_of(_EMAIL, _PHONE, _IBAN, _CARD), _PLAIN)
def test_addresses_and_numbers_of_a_person_do_not_survive(
    before: str, secret: str, after: str
) -> None:
    replaced = _replaced(f"{before} {secret} {after}")
    assert secret not in replaced
    if sum(letter.isdigit() for letter in secret) >= 8:
        assert re.sub(r"\W", "", secret) not in re.sub(r"\W", "", replaced)


@given(_PLAIN, _NAMES, _NUMBERS, _PLAIN)
def test_known_names_and_numbers_do_not_survive(
    before: str, name: str, numbers: list[str], after: str
) -> None:
    said = " / ".join([name, name.upper(), *name.split(), *numbers])
    replaced = anonymized(f"{before} {said} {after}", email=None, name=name, order_numbers=numbers)
    words = set(re.findall(r"[^\W\d_]+", fold(replaced)))
    assert not words & set(fold(name).split())
    assert not set(re.findall(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*", replaced)) & set(numbers)


@given(_PLAIN)
def test_text_without_personal_data_is_unchanged(text: str) -> None:
    assert _replaced(text) == text


@given(
    st.lists(st.one_of(_PLAIN, _EMAIL, _PHONE, _IBAN, _CARD, _NAMES, st.text(max_size=20))),
    _NAMES,
    _NUMBERS,
)
def test_a_result_is_unchanged(parts: list[str], name: str, numbers: list[str]) -> None:
    text = " ".join([*parts, *numbers, name])
    once = anonymized(text, email=_KNOWN_EMAIL, name=name, order_numbers=numbers)
    assert anonymized(once, email=_KNOWN_EMAIL, name=name, order_numbers=numbers) == once


@given(_NUMBERS)
def test_made_up_numbers_are_other_ones_of_the_same_shape(numbers: list[str]) -> None:
    made = made_up_numbers(numbers)
    assert not set(made.values()) & set(numbers)
    assert len(set(made.values())) == len(made)
    for number, made_up in made.items():
        assert _shape(made_up)[:3] == _shape(number)[:3]


def _shape(number: str) -> str:
    return re.sub("[A-Z]", "A", re.sub(r"\d", "0", number))


@each(
    [
        ("Je suis Marie DUPONT.", "Je suis Camille Martin."),
        ("Dupont Marie, merci", "Camille Martin, merci"),
        ("Ma commande n°1042 et #1 042", "Ma commande n°7001 et #7001"),
        ("J'habite 12 bis rue des Lilas, 69003 Lyon", "J'habite 12 rue de l'Exemple, 75001 Paris"),
        ("I live at 221 Baker Street", "I live at 12 rue de l'Exemple"),
        ("Merci,\nSophie Durand", "Merci,\nCamille Martin"),
        ("Je m'appelle Karim Benali", "Je m'appelle Camille Martin"),
        ("Bonjour Léa Petit,\n\nC'est fait.", "Bonjour Camille Martin,\n\nC'est fait."),
        ("Hello Zoé!", "Hello Camille!"),
        ("Chère Madame Petit,", "Chère Madame Camille,"),
        ("Bonjour Madame, Monsieur,", "Bonjour Madame, Monsieur,"),
        ("Bonjour\nMa commande", "Bonjour\nMa commande"),
        ("voir https://a.fr/robe", "voir https://a.fr/robe"),
        ("voir https://a.fr/s?token=x1.", "voir https://example.com/lien."),
        ("https://a.fr/suivi/9f8e7d6c5b4a39281706ff", "https://example.com/lien"),
        ("un ami : paul@x.fr", "un ami : autre@example.org"),
        ("payé 4111 1111 1111 1111 12/26", "payé 4242 4242 4242 4242 12/26"),
    ]
)
def test_what_becomes_of(text: str, replaced: str) -> None:
    assert _replaced(text) == replaced


def test_the_made_up_person_is_never_the_real_one() -> None:
    replaced = anonymized(
        "Camille Durand, camille.durand@x.fr",
        email="camille.durand@x.fr",
        name="Camille Durand",
        order_numbers=(),
    )
    assert replaced == "Dominique Bernard, dominique.bernard@example.com"


@each(
    [
        *("a@", "1 ", "06 ", "FR76 ", "4111 ", "12 rue ", "https://a.fr/1", "Marie ", "é", "1042-"),
        # Many numbers could start at each of their groups.
        *("12 ", "123 ", "1234 ", "AB12 "),
    ]
)
def test_hostile_text_costs_linear_work(piece: str) -> None:
    """Measured in steps: each number candidate counts too. Hypothesis's deadline above and this
    size limit the expressions."""
    text = (piece * 20_000)[:20_000]
    with budget() as effort:
        once = _replaced(text)
    assert effort.spent <= 60 * len(text)
    assert _replaced(once) == once
