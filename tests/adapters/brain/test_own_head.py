"""The fit of a client's own head, and its use by the embedded brain."""

import random
from functools import cache

import numpy as np
import pytest

from adapters.brain.artifact import ModelInvalid
from adapters.brain.classifier import CATEGORIES, Classifier
from adapters.brain.own_head import DIMENSIONS, OwnWeights
from adapters.brain.own_head_fit import OwnHeadFitter
from adapters.brain.taught import TaughtBrain
from domain.agent.brain import BrainRequest, Category
from domain.agent.own_head import OwnHead
from domain.learning.own_head_trial import Lesson, OwnHeadState, TriedHead
from evaluation.own_head.shop_trial import read_lessons

CLASSIFIER = Classifier.load()
TEACHES, APART = 400, 4


@cache
def shop() -> tuple[list[Lesson], list[Lesson]]:
    """Return 400 training tickets of the made-up shop, and the held-out tickets."""
    lessons = read_lessons()
    rest = [one for number, one in enumerate(lessons) if number % APART]
    return rest[:TEACHES], lessons[::APART]


def head_of(tried: TriedHead, *, model: str = CLASSIFIER.fingerprint) -> OwnHead:
    assert tried.weights is not None
    return OwnHead(version="01ARZ3NDEKTSV4RRFFQ69G5FAV", model=model, weights=tried.weights)


_TRIED: list[TriedHead] = []


async def tried_on_shop() -> TriedHead:
    """Return the head fitted to the 400 tickets. The first call takes seconds."""
    if not _TRIED:
        _TRIED.append(await OwnHeadFitter(CLASSIFIER).tried(shop()[0]))
    return _TRIED[0]


def accuracy(classifier: Classifier, lessons: list[Lesson]) -> float:
    right = [classifier.classify(one.text).category is one.classification for one in lessons]
    return sum(right) / len(right)


async def test_400_decided_tickets_raise_the_accuracy_by_a_twentieth() -> None:
    apart = shop()[1]
    tried = await tried_on_shop()

    head = head_of(tried)
    assert len(head.weights) <= 50 * 1024
    assert tried.held_back.own_accuracy >= tried.held_back.shared_accuracy + 0.05
    own = CLASSIFIER.taught(head)
    assert accuracy(own, apart) >= accuracy(CLASSIFIER, apart) + 0.05


async def test_the_same_tickets_in_any_order_make_the_same_head() -> None:
    taught = shop()[0][:150]
    shuffled = list(taught)
    random.Random(5).shuffle(shuffled)

    fitter = OwnHeadFitter(CLASSIFIER)

    assert await fitter.tried(taught) == await fitter.tried(shuffled)


async def test_classes_drawn_by_lot_teach_nothing() -> None:
    draw = random.Random(7)
    lots = [one._replace(classification=draw.choice(CATEGORIES)) for one in shop()[0][:200]]

    tried = await OwnHeadFitter(CLASSIFIER).tried(lots)

    assert (tried.state, tried.weights) == (OwnHeadState.NO_BETTER, None)


async def test_the_same_text_is_never_on_both_sides() -> None:
    """Otherwise, a head that memorized a text would count as correct."""
    one = shop()[0][0]
    same = [
        one._replace(id=f"{number:026d}", classification=Category.OTHER) for number in range(120)
    ]

    tried = await OwnHeadFitter(CLASSIFIER).tried(same)

    assert (tried.held_back.won, tried.state) == (0, OwnHeadState.NO_BETTER)


async def test_few_tickets_are_too_few() -> None:
    tried = await OwnHeadFitter(CLASSIFIER).tried(shop()[0][:99])

    assert (tried.held_back.tickets, tried.state) == (99, OwnHeadState.TOO_FEW)


async def test_the_brain_takes_the_clients_head_and_names_it() -> None:
    apart = shop()[1]
    brain = TaughtBrain(CLASSIFIER)
    head = head_of(await tried_on_shop())
    others = head.model_copy(update={"model": "0" * 64})
    broken = head.model_copy(update={"weights": b"x"})
    changed = 0
    for one in apart[:15]:
        request = BrainRequest(text=one.text, brand_name="Shop")
        plain = await brain.think(request)
        own = await brain.think(request.model_copy(update={"own_head": head}))
        for useless in (others, broken):
            given = request.model_copy(update={"own_head": useless})
            assert await brain.think(given) == plain
        assert own.model == f"{plain.model}+own:Q69G5FAV"
        assert (own.language, own.sentiment) == (plain.language, plain.sentiment)
        changed += own.classification is not plain.classification
    assert changed > 0


def test_a_head_is_read_as_it_was_written() -> None:
    draw = np.random.default_rng(3)
    classes = len(CATEGORIES)
    head = OwnWeights(draw.normal(size=(DIMENSIONS, classes)), draw.normal(size=classes), 1.25)

    read = OwnWeights.read(head.written(), classes)

    assert np.abs(read.weights - head.weights).max() < 0.02
    assert np.allclose(read.bias, head.bias)
    assert read.temperature == 1.25
    for content in (b"", head.written()[:-1], b"\xff" * len(head.written())):
        with pytest.raises(ModelInvalid):
            OwnWeights.read(content, classes)
