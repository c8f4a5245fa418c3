"""A rating link: it identifies its run for a limited time, and cannot be forged."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.seal import FernetSealer, new_seal_key
from adapters.system import new_ulid
from domain.core.errors import InvalidInput
from domain.ratings.errors import RatingLinkExpired, RatingLinkUnknown
from domain.ratings.rating import MAX_COMMENT, checked_rating
from domain.ratings.rating_link import (
    LINK_LASTS,
    TOKEN_CHARS,
    RatedRun,
    rated_run,
    rating_link,
    rating_token,
)
from domain.ratings.rating_mail import with_rating_link

OLD, NEW = new_seal_key(), new_seal_key()
SEALER = FernetSealer(OLD)
NOW = datetime(2026, 11, 23, 12, tzinfo=UTC)
RUN = RatedRun(client_id=new_ulid(), run_id=new_ulid())
TOKEN = rating_token(SEALER, RUN, NOW + LINK_LASTS)


def test_it_names_its_run_until_it_expires() -> None:
    link = rating_link(SEALER, "https://support.example", RUN, NOW)

    assert link == f"https://support.example/app/rate/{TOKEN}"
    assert len(TOKEN) == TOKEN_CHARS
    last = NOW + LINK_LASTS - timedelta(seconds=1)
    assert rated_run(SEALER, TOKEN, last) == RUN
    # A rotated key still opens it.
    assert rated_run(FernetSealer(f"{NEW},{OLD}"), TOKEN, last) == RUN
    with pytest.raises(RatingLinkExpired):
        rated_run(SEALER, TOKEN, NOW + LINK_LASTS)


@settings(max_examples=100)
@given(st.integers(0, TOKEN_CHARS - 1), st.characters(codec="ascii"))
def test_one_other_character_makes_another_link(place: int, other: str) -> None:
    changed = TOKEN[:place] + other + TOKEN[place + 1 :]
    if changed != TOKEN:
        with pytest.raises(RatingLinkUnknown):
            rated_run(SEALER, changed, NOW)


def test_the_other_base64_alphabet_makes_another_link() -> None:
    later = (NOW + timedelta(minutes=number) for number in range(1, 10_000))
    tokens = (rating_token(SEALER, RUN, moment) for moment in later)
    token = next(token for token in tokens if "-" in token and "_" in token)

    for ours, other in (("-", "+"), ("_", "/")):
        with pytest.raises(RatingLinkUnknown):
            rated_run(SEALER, token.replace(ours, other), NOW)


@settings(max_examples=100)
@given(st.one_of(st.text(max_size=120), st.text("AQ-_=", min_size=90, max_size=94)))
def test_what_we_did_not_make(token: str) -> None:
    with pytest.raises(RatingLinkUnknown):
        rated_run(SEALER, token, NOW)


def test_the_key_of_another_installation_opens_nothing() -> None:
    with pytest.raises(RatingLinkUnknown):
        rated_run(FernetSealer(NEW), TOKEN, NOW)


@pytest.mark.parametrize(("language", "word"), [("en", "helpful"), ("fr", "aidé"), ("", "aidé")])
def test_the_mail_s_text_stays_and_the_link_follows(language: str, word: str) -> None:
    text = with_rating_link("Bonjour.\n\nVoilà.\n", "https://x.example/app/rate/t", language)

    assert text.startswith("Bonjour.\n\nVoilà.\n\n")
    assert word in text
    assert text.endswith("https://x.example/app/rate/t\n")


def test_what_a_rating_may_be() -> None:
    assert checked_rating(5, " \n").comment is None
    assert checked_rating(1, "é" * MAX_COMMENT).comment == "é" * MAX_COMMENT
    for score, comment in ((0, None), (6, None), (3, "é" * (MAX_COMMENT + 1))):
        with pytest.raises(InvalidInput):
            checked_rating(score, comment)
