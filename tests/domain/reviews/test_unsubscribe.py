"""The link that turns off a member's emails."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid
from domain.reviews.errors import UnsubscribeLinkUnknown
from domain.reviews.unsubscribe import (
    MAX_TOKEN,
    Subscriber,
    subscriber_of,
    unsubscribe_link,
    unsubscribe_token,
)
from domain.tenants.user import MAX_USER_ID

KEY = new_seal_key()
SEALER = FernetSealer(KEY)
MEMBER = Subscriber("01J9ZQ4Z8N3V5X7B2C4D6E8F0G", "auth0|anne")
TOKEN = unsubscribe_token(SEALER, MEMBER)


def test_the_link_names_the_member() -> None:
    link = unsubscribe_link(SEALER, "https://support.example", MEMBER)

    assert link == f"https://support.example/app/unsubscribe/{TOKEN}"
    assert subscriber_of(SEALER, TOKEN) == MEMBER


@given(st.text(min_size=1, max_size=MAX_USER_ID).filter(str.isprintable))
def test_every_user_id(user_id: str) -> None:
    member = Subscriber(new_ulid(), user_id)
    token = unsubscribe_token(SEALER, member)

    assert len(token) <= MAX_TOKEN
    assert token.replace("-", "").replace("_", "").isalnum()
    assert subscriber_of(SEALER, token) == member


def test_a_link_stays_valid_after_the_key_is_replaced() -> None:
    rotated = FernetSealer(f"{new_seal_key()},{KEY}")

    assert subscriber_of(rotated, TOKEN) == MEMBER
    with pytest.raises(UnsubscribeLinkUnknown):
        subscriber_of(FernetSealer(new_seal_key()), TOKEN)


@given(st.integers(0, len(TOKEN) - 2), st.sampled_from("ABCabc019-_"))
def test_a_changed_token_is_unknown(place: int, letter: str) -> None:
    changed = TOKEN[:place] + letter + TOKEN[place + 1 :]

    if changed != TOKEN:
        with pytest.raises(UnsubscribeLinkUnknown):
            subscriber_of(SEALER, changed)


@given(st.text(max_size=200) | st.binary(max_size=200).map(lambda b: base64.b64encode(b).decode()))
def test_any_text_is_unknown(text: str) -> None:
    with pytest.raises(UnsubscribeLinkUnknown):
        subscriber_of(SEALER, text)


def test_a_long_text_is_unknown() -> None:
    with pytest.raises(UnsubscribeLinkUnknown):
        subscriber_of(SEALER, "A" * (MAX_TOKEN + 1))
