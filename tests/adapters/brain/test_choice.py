"""Which brain is configured, what it costs, and which settings are missing."""

import pytest

from adapters.brain.choice import brain_from, brains_from
from adapters.brain.classifier import Classifier
from adapters.brain.taught import TaughtBrain
from domain.agent.errors import BrainUnavailable
from domain.billing.model_money import ModelBudget
from domain.core.errors import InvalidInput
from tests.support.agent.llm_brain import NATIVE, OPENAI, asked, brain, configured, said
from tests.support.core.engine import settings_of
from tests.support.servers.llm import KEY, TOKENS_IN, TOKENS_OUT, Fail, LlmServer, Say


def test_embedded_brain_by_default(classifier: Classifier) -> None:
    settings = settings_of("postgresql://a/b", "c:1")
    brains = brains_from(settings.brain, classifier)

    assert isinstance(brain_from(settings.brain, classifier), TaughtBrain)
    assert (brains.model, brains.reserve_micros) == (None, 0)


async def test_brains_with_a_budget(classifier: Classifier, server: LlmServer) -> None:
    settings = configured(server, brain_monthly_budget=1.5, brain_installation_budget_a_day=0.25)
    brains = brains_from(settings.brain, classifier)

    assert brains.model is not None
    assert brains.budget == ModelBudget(1_500_000, 250_000, 20_000_000)
    assert brains.reserve_micros == 82_000 + 10 * 4_000


def test_price_of_the_list(classifier: Classifier) -> None:
    settings = settings_of("postgresql://a/b", "c:1", brain_model=OPENAI, brain_api_key=KEY)

    assert brains_from(settings.brain, classifier).reserve_micros > 0


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"brain_model": "openai:my-own", "brain_base_url": "http://a/v1"}, "BRAIN_PRICE_IN"),
        ({"brain_model": OPENAI}, "BRAIN_API_KEY"),
        (
            {"brain_model": OPENAI, "brain_api_key": KEY, "brain_fallback_model": NATIVE},
            "BRAIN_FALLBACK_API_KEY",
        ),
        (
            # The key for one address is not used for another.
            {
                "brain_model": OPENAI,
                "brain_base_url": "http://a/v1",
                "brain_api_key": KEY,
                "brain_fallback_model": "anthropic:unheard-of",
                "brain_fallback_api_key": KEY,
                "brain_price_in": 1,
                "brain_price_out": 1,
            },
            # The price of one model is not used for another.
            "BRAIN_FALLBACK_PRICE_IN",
        ),
    ],
)
def test_what_is_missing_is_named(
    classifier: Classifier, more: dict[str, object], named: str
) -> None:
    settings = settings_of("postgresql://a/b", "c:1", **more)

    with pytest.raises(InvalidInput) as caught:
        brain_from(settings.brain, classifier)

    assert named in str(caught.value)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"brain_model": "gpt-5-mini"}, "<provider>:<model> expected"),
        ({"brain_model": "openai:"}, "<provider>:<model> expected"),
        ({"brain_fallback_model": "embedded"}, "<provider>:<model> expected"),
        ({"brain_price_in": 1.0}, "both of them or none"),
        ({"brain_price_out": 1.0}, "both of them or none"),
        ({"brain_fallback_price_in": 1.0}, "BRAIN_FALLBACK_PRICE_OUT: both of them or none"),
        ({"brain_base_url": "models.example"}, "a URL"),
        ({"embedding_model": "anthropic:voyage"}, "openai:<model> expected"),
    ],
)
def test_settings_that_cannot_be(wrong: dict[str, object], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        settings_of("postgresql://a/b", "c:1", **wrong)


async def test_each_model_has_its_price(
    classifier: Classifier, server: LlmServer, spare: LlmServer
) -> None:
    server.script, spare.script = [Say("no JSON"), Say("no JSON")], [said()]
    settings = configured(
        server, brain_fallback_model=OPENAI, brain_fallback_base_url=spare.openai_url,
        brain_fallback_api_key=KEY, brain_fallback_price_in=3, brain_fallback_price_out=30,
    )  # fmt: skip
    asking = brain(classifier, settings)

    answer = await asking.think(asked())

    first, second = 2 * (TOKENS_IN + 10 * TOKENS_OUT), 3 * TOKENS_IN + 30 * TOKENS_OUT
    assert answer.cost_micros == first + second
    # The budget reserves the highest price.
    assert asking.reserve_micros == 3 * 82_000 + 30 * 4_000


async def test_fallback_gets_no_key_of_another_address(
    classifier: Classifier, server: LlmServer, spare: LlmServer
) -> None:
    server.script, spare.script = [Fail(401)], [said()]
    settings = configured(
        server, brain_fallback_model=OPENAI, brain_fallback_base_url=spare.openai_url
    )

    with pytest.raises(BrainUnavailable):
        await brain(classifier, settings).think(asked())

    assert [one.key for one in spare.asked] == ["none"]
