"""The detector of likely requests: enough to ask the customer."""

from functools import cache
from pathlib import Path
from time import process_time
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from domain.agent.consent import likely_request as detector
from domain.agent.consent.likely_request import likely_request, speaks_against
from domain.agent.plan import ActionKind
from domain.core.lexicon import BrokenLexicon
from domain.core.strict_yaml import read_yaml
from tests.support.core.each import each
from training.train_requests import REQUESTS_PATH, read_requests, train_requests

LEAST_FOUND: Final = 0.95
MOST_MISTAKEN: Final = 0.16
REFUND, CANCEL = ActionKind.REFUND, ActionKind.CANCEL_ORDER


class WriterMessages(BaseModel):
    """What one writer wrote, who had seen neither words nor examples."""

    asked: dict[ActionKind, tuple[str, ...]]
    nothing: tuple[str, ...]


@cache
def writers() -> list[WriterMessages]:
    files = [Path(__file__).with_name(f"writer_{name}.yaml") for name in "fh"]
    return [WriterMessages.model_validate(read_yaml(file.read_text("utf-8"))) for file in files]


def found(text: str) -> ActionKind | None:
    request = likely_request(text)
    return request.kind if request else None


def test_requests_of_other_writers_are_found() -> None:
    asked = [(kind, text) for one in writers() for kind, said in one.asked.items() for text in said]
    missed = [text for kind, text in asked if found(text) is not kind]

    assert len(asked) > 60
    assert len(missed) <= (1 - LEAST_FOUND) * len(asked), missed


def test_few_other_messages_are_taken_for_requests() -> None:
    told = [text for one in writers() for text in one.nothing]
    mistaken = [text for text in told if found(text)]

    assert len(told) > 70
    assert len(mistaken) <= MOST_MISTAKEN * len(told), mistaken


@pytest.mark.parametrize("verb", ["refund", "cancel"])
@pytest.mark.parametrize("no", ["don't", "do not", "never", "please don't", "you must not", "dont"])
def test_what_is_forbidden_is_not_asked_back(verb: str, no: str) -> None:
    for text in (f"{no} {verb} order 2040", f"{no} {verb} it", f"Hi, {no} {verb} 2040. Thanks"):
        assert found(text) is None
        assert speaks_against(text, REFUND if verb == "refund" else CANCEL)


@pytest.mark.parametrize("verb", ["remboursez", "annulez", "rembourse", "annule"])
@pytest.mark.parametrize("frame", ["ne {} pas la 2040", "{} pas la 2040", "surtout ne {} rien"])
def test_what_is_forbidden_in_french_is_not_asked_back(verb: str, frame: str) -> None:
    assert found(frame.format(verb)) is None


@each(
    [
        "Where is my order 2040?",
        "Thanks for the refund!",
        "Merci pour le remboursement",
        "Please refund order 2040. Actually no, forget it.",
        "How do I cancel an order?",
        "Comment annuler une commande ?",
        'You wrote: "refund order 2040".',
        "My sister wants a refund for order 2040.",
        "",
        "1042",
    ]
)
def test_what_asks_for_nothing(text: str) -> None:
    assert found(text) is None


@pytest.mark.parametrize(
    ("text", "kind", "quote"),
    [
        ("keep 3309. Cancel 3310.", CANCEL, "Cancel 3310"),
        ("Please refund order 2040", REFUND, "Please refund order 2040"),
        ("la lampe siffle, je voudrais un remboursement", REFUND, "je voudrais un remboursement"),
        ("7002 please - cancel that one, keep 7001", CANCEL, "7002 please - cancel that one"),
        ("Please cancel order 2040 and refund me", CANCEL, "Please cancel order 2040"),
    ],
)
def test_kind_and_quote(text: str, kind: ActionKind, quote: str) -> None:
    request = likely_request(text)

    assert request is not None
    assert (request.kind, request.quote) == (kind, quote)


def test_words_without_an_action_speak_against_nothing() -> None:
    for kind in ActionKind:
        assert not speaks_against("1042", kind)
    assert not speaks_against("take it back off my bill, please", CANCEL)
    assert not speaks_against("Please refund order 2040", REFUND)


@given(st.text(max_size=400))
def test_never_raises_and_quotes_the_text(text: str) -> None:
    speaks_against(text, REFUND)
    request = likely_request(text)
    assert request is None or request.quote in text


@pytest.mark.parametrize(
    "filler",
    ["a ", "please ", "refund ", "i want ", '"', "« ", "\n", "( ", "1 ", "je ", "? ", "'a ", "ne "],
)
def test_a_long_text_is_read_within_bounds(filler: str) -> None:
    began = process_time()

    likely_request((filler * 30_000)[:60_000])

    assert process_time() - began < 2


def test_a_file_that_is_no_model_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model.npz").write_bytes(b"no model")
    monkeypatch.setattr(detector, "REQUEST_MODEL_PATH", tmp_path / "model.npz")
    detector.request_model.cache_clear()
    try:
        with pytest.raises(BrokenLexicon):
            detector.request_model()
    finally:
        detector.request_model.cache_clear()


@pytest.mark.slow
def test_the_examples_make_the_model(tmp_path: Path) -> None:
    report = train_requests(read_requests(REQUESTS_PATH), tmp_path / "model.npz")

    assert (tmp_path / "model.npz").read_bytes() == detector.REQUEST_MODEL_PATH.read_bytes()
    assert report.found > 0.9
    assert report.mistaken < 0.15
