"""Clusters of questions, compared with hand-labelled topics."""

import asyncio
import random
from collections import Counter
from collections.abc import Mapping
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.brain.question_clusters import QuestionReader, clusters_of
from domain.agent.brain import Passage
from domain.analytics.gaps import QuestionCluster
from domain.core.effort import budget
from domain.core.errors import CallerBusy
from tests.support.analytics.held_out_questions import HELD_OUT
from tests.support.analytics.open_questions import MATTERS


def labelled(seed: int, matters: Mapping[str, tuple[str, ...]] = MATTERS) -> list[tuple[str, str]]:
    found = [(question, matter) for matter, asked in matters.items() for question in asked]
    random.Random(seed).shuffle(found)
    return found


def rand_index(clusters: tuple[QuestionCluster, ...], matters: list[str]) -> float:
    """Return the share of pairs on which clusters and topics agree."""
    of = {place: number for number, one in enumerate(clusters) for place in one.places}
    pairs = list(combinations(range(len(matters)), 2))
    return sum((of[a] == of[b]) == (matters[a] == matters[b]) for a, b in pairs) / len(pairs)


def purity(clusters: tuple[QuestionCluster, ...], matters: list[str]) -> float:
    most = (Counter(matters[place] for place in one.places).most_common(1) for one in clusters)
    return sum(count for ((_, count),) in most) / len(matters)


def test_the_labelled_questions_fall_into_their_matters() -> None:
    asked = labelled(seed=1)
    questions, matters = [question for question, _ in asked], [matter for _, matter in asked]

    found = clusters_of(questions)

    assert rand_index(found, matters) >= 0.98
    assert purity(found, matters) >= 0.97
    assert len(found) <= 16, "12 matters, some of them apart by language"


def test_questions_that_the_tuning_never_saw() -> None:
    """The figures in docs/metrics.md. If a change of the clustering changes them, update the
    document."""
    asked = labelled(1, HELD_OUT)
    questions, matters = [question for question, _ in asked], [matter for _, matter in asked]

    found = clusters_of(questions)

    assert len(questions) == 40
    assert (round(rand_index(found, matters), 2), round(purity(found, matters), 2)) == (0.95, 0.95)


async def test_a_crowd_does_not_wait_without_end() -> None:
    reader = QuestionReader(at_most=2)
    asked = ["Livrez-vous en Suisse ?"]
    answers = await asyncio.gather(
        *(reader.clusters(asked) for _ in range(3)), return_exceptions=True
    )
    assert [type(one) for one in answers] == [tuple, tuple, CallerBusy]
    assert len(await reader.clusters(asked)) == 1


def test_the_order_of_the_questions_changes_nothing() -> None:
    def grouped(seed: int) -> set[frozenset[str]]:
        questions = [question for question, _ in labelled(seed)]
        return {frozenset(questions[place] for place in one.places)
                for one in clusters_of(questions)}  # fmt: skip

    assert grouped(2) == grouped(3)


def test_a_label_is_made_of_words_that_several_questions_have() -> None:
    found = clusters_of(
        ["Livrez-vous en Suisse ? Camille", "Vous livrez bien en Suisse ?", "Livrez-vous en Suisse"]
    )

    (one,) = found
    assert "suisse" in one.label
    assert "camille" not in one.label


@settings(max_examples=40)
@given(st.lists(st.text(max_size=40), max_size=25))
def test_each_question_is_in_one_cluster(questions: list[str]) -> None:
    found = clusters_of(questions)

    assert sorted(place for one in found for place in one.places) == list(range(len(questions)))


def test_as_many_questions_as_are_ever_read_cost_a_bounded_number_of_steps() -> None:
    """Tests the most expensive distribution of shared words, and questions without shared words."""
    drawn = random.Random(4)
    words = ["".join(drawn.choices("abcdefghijklmnop", k=7)) for _ in range(2_500)]
    shared = [" ".join(drawn.choices(words, k=45)) for _ in range(2_000)]
    alike = ["Livrez-vous en Suisse ?"] * 2_000

    for questions in (shared, alike):
        with budget(20_000_000):
            found = clusters_of(questions)
        assert len(found) >= 1
    assert len(found) == 1


async def test_what_the_agent_would_answer_from() -> None:
    def passage(title: str, body: str) -> Passage:
        return Passage(id=title, title=title, body=body, language="fr", rank=1)

    swiss = passage("Livraison en Suisse", "Nous livrons en Suisse sous 5 jours pour 12 euros.")
    other = passage("Livraison en France", "Nous livrons partout en France.")

    found = await QuestionReader().answering(
        [("Livrez-vous en Suisse ?", [other, swiss]), ("Livrez-vous en Suisse ?", [other]),
         ("Livrez-vous en Suisse ?", [])]
    )  # fmt: skip

    assert found == (swiss, None, None)
