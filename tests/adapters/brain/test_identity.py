"""The identity of the brain that verdicts on cases store."""

from adapters.brain.identity import brain_identity
from settings.brain import BrainSettings, EmbeddingSettings


def identity(embedder: str = "embedded", **brain: object) -> str:
    return brain_identity(
        BrainSettings.model_validate({f"BRAIN_{name.upper()}": it for name, it in brain.items()}),
        EmbeddingSettings.model_validate({"EMBEDDING_MODEL": embedder}),
    )


def test_each_part_that_thinks_counts() -> None:
    seen = [
        identity(),
        identity("openai:embed"),
        identity(model="openai:a"),
        identity(model="openai:b"),
        identity(model="openai:a", fallback_model="openai:b"),
        identity(model="openai:a", sees_images=True),
        identity(model="openai:a", judge_model="openai:b"),
        identity(model="openai:a", judge_model="openai:c"),
    ]
    assert len(set(seen)) == len(seen)
    assert all(one.startswith("embedded:") for one in seen)


def test_what_it_costs_says_nothing() -> None:
    cheap, dear = (
        identity(model="openai:a", price_in=price, price_out=price, monthly_budget=price)
        for price in (1, 9)
    )
    assert cheap == dear
