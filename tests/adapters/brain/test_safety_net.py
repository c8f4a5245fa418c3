"""The safety net of two signals: what it learned, what it releases, and its reproducibility."""

import io
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.brain.artifact import ModelInvalid
from adapters.brain.safety_features import safety_rarities, safety_row
from adapters.brain.safety_net import (
    MATTERS,
    RELEASED_UP_TO,
    SAFETY_MODEL_PATH,
    LearnedSafetyNet,
)
from domain.agent.safety.net import sensitive_matter
from domain.agent.safety.sensitive import SensitiveMatter
from training.train_safety import (
    EVERYBODY,
    WrittenMessage,
    digest_of_messages,
    read_messages,
    read_sensitive,
    train_safety,
)

NET: Final = LearnedSafetyNet.load()
# The grammar does not cover this topic, and no training example contains these words.
HINTS: Final = (
    (SensitiveMatter.THREAT, "I know which bus your girl at the till gets home. Dark stop, that."),
    (SensitiveMatter.CHARGEBACK, "Ma banque a repris le débit, à vous de prouver l'envoi."),
    (SensitiveMatter.FRAUD, "Je reçois des colis que je n'ai pas commandés, à mon nom."),
    (SensitiveMatter.PRESS, "Our listeners talk of you all week, would somebody come on air?"),
)


@pytest.mark.parametrize(("matter", "text"), HINTS)
def test_hints_are_held_with_their_matter(matter: SensitiveMatter, text: str) -> None:
    assert NET.matter(text) is matter


def test_it_finds_what_the_grammar_alone_does_not() -> None:
    assert any(sensitive_matter(text) is None for _, text in HINTS)


def test_a_short_look_alike_is_let_go_and_a_long_text_never() -> None:
    text = "Astuce pirate : le drapeau tête de mort de la chambre, il fait quelle taille ?"
    assert sensitive_matter(text) is SensitiveMatter.FRAUD
    assert NET.matter(text) is None
    longer = f"{text} {'The lamp is nice too. ' * 30}"
    assert len(longer) > RELEASED_UP_TO
    assert NET.matter(longer) is SensitiveMatter.FRAUD


def test_what_may_harm_somebody_is_never_let_go() -> None:
    text = "I could kill myself for ordering beige, it was white I wanted! Can I swap it?"

    assert NET.matter(text) is SensitiveMatter.SELF_HARM


@pytest.mark.parametrize(
    "text", ["Where is my order 1042?", "Quelle taille pour 1m80 ?", "Merci !", "", "?!"]
)
def test_ordinary_messages_are_left_to_the_agent(text: str) -> None:
    assert NET.matter(text) is None


def test_the_merchants_own_words_are_held_after_what_is_known() -> None:
    assert NET.matter("Il y a du plomb dedans ?", ["plomb"]) is SensitiveMatter.OWN
    assert NET.matter("Je veux mourir, plomb", ["plomb"]) is SensitiveMatter.SELF_HARM


def test_every_sensitive_message_that_it_learned_from_is_held() -> None:
    """Except for a few on which the authors themselves would disagree."""
    real = [message for message in read_messages() if message.matter is not None]
    missed = [message.text for message in real if NET.matter(message.text) is None]
    assert len(missed) <= 0.02 * len(real), missed


def test_the_model_is_that_of_the_committed_messages() -> None:
    """After a change to the messages or to the grammar, the model must be trained again."""
    with np.load(SAFETY_MODEL_PATH, allow_pickle=False) as model:
        assert str(model["examples"]) == digest_of_messages(read_messages())


def test_the_same_messages_give_the_same_file(tmp_path: Path) -> None:
    messages = read_messages()
    written = [message for message in messages if message.writer in {"A", "J", "K"}]
    ordinary = [message for message in messages if message.writer == EVERYBODY]
    some = [*written, *ordinary[::20]]

    report = train_safety(some, tmp_path / "one.npz")
    train_safety(some, tmp_path / "two.npz")

    assert (tmp_path / "one.npz").read_bytes() == (tmp_path / "two.npz").read_bytes()
    assert set(report.recall) == {"A", "J", "K"}
    assert report.ordinary <= 0.02
    net = LearnedSafetyNet.load(tmp_path / "one.npz")
    assert net.matter("Je veux mourir") is SensitiveMatter.SELF_HARM


def test_an_unknown_matter_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("writer,matter,text\nA,health,ouch\nA,,fine\n", encoding="utf-8")
    assert read_sensitive(path) == [
        WrittenMessage("A", SensitiveMatter.HEALTH, "ouch"),
        WrittenMessage("A", None, "fine"),
    ]
    path.write_text("writer,matter,text\nA,weather,rain\n", encoding="utf-8")
    with pytest.raises(ValueError, match="weather"):
        read_sensitive(path)


Arrays = Mapping[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]


def _packed(change: Callable[[Arrays], Arrays]) -> bytes:
    with np.load(SAFETY_MODEL_PATH, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, **change(arrays))
    return content.getvalue()


def _others(_: Arrays) -> Sequence[str]:
    return [str(matter) for matter in reversed(MATTERS)]


@pytest.mark.parametrize(
    "content",
    [
        lambda: b"",
        lambda: SAFETY_MODEL_PATH.read_bytes()[:5_000],
        lambda: _packed(lambda it: {k: v for k, v in it.items() if k != "released"}),
        lambda: _packed(lambda it: {**it, "held_weights": it["held_weights"][:-1]}),
        lambda: _packed(lambda it: {**it, "matters": np.array(_others(it))}),
    ],
)
def test_another_file_is_refused(content: Callable[[], bytes]) -> None:
    with pytest.raises(ModelInvalid):
        LearnedSafetyNet(content())


@given(st.text(max_size=300))
def test_never_raises(text: str) -> None:
    assert NET.matter(text, ["mot"]) in (None, *SensitiveMatter)


def test_a_row_is_bounded_however_long_the_text() -> None:
    rarities = safety_rarities(["a", "b"])
    text = "Mon avocat et la police, my child is ill. " * 100
    once, longer = safety_row(text, rarities), safety_row(text * 50, rarities)
    assert once.buckets.tolist() == longer.buckets.tolist()
