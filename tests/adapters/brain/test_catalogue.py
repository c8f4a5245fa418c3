"""The cache of prepared templates: its weight follows the memory, and what it drops is freed."""

import asyncio
import gc
import weakref
from collections.abc import Callable

import pytest

from adapters.brain.catalogue import Catalogue, Catalogues
from domain.agent.brain import Template
from domain.content.content import MAX_ALL_NOT_FOR, MAX_BODY, MAX_NOT_FOR, MAX_NOT_FOR_PHRASE
from domain.core.effort import EVENT_STEPS, budget


def templates(edit: int) -> tuple[Template, ...]:
    """The most phrases of 25 templates with tiny bodies. Each edit has other phrases."""
    phrases = tuple(
        f"{edit} {number} {'a b ' * MAX_NOT_FOR_PHRASE}"[:MAX_NOT_FOR_PHRASE]
        for number in range(MAX_NOT_FOR)
    )
    return tuple(
        Template(
            id=f"T{number}",
            name="Late",
            category="complaint",
            language="en",
            body="Hello",
            not_for=phrases,
        )
        for number in range(25)
    )


def long_names(edit: int) -> tuple[Template, ...]:
    """200 templates with long names of different words. A catalogue of them took 4 MB."""
    return tuple(
        Template(
            id=f"T{number}",
            name=" ".join(f"w{edit}x{number}x{word}" for word in range(20))[:200],
            category="complaint",
            language="en",
            body="x",
        )
        for number in range(200)
    )


@pytest.mark.parametrize(("made_of", "edits"), [(templates, 12), (long_names, 60)])
async def test_the_catalogues_of_many_edits_are_freed(
    made_of: Callable[[int], tuple[Template, ...]], edits: int
) -> None:
    """Each edit of the templates makes a catalogue. The cache kept all of them."""
    catalogues = Catalogues()
    seen: list[weakref.ref[Catalogue]] = []
    for edit in range(edits):
        made = await catalogues.of(made_of(edit))
        assert not made.not_for.mentioned("a message about nothing")
        seen.append(weakref.ref(made))
        del made
    gc.collect()

    assert sum(one() is not None for one in seen) < edits / 2


def largest(exclusions: int) -> tuple[Template, ...]:
    """The most templates that a brain receives, with the longest texts and `exclusions` phrases.
    One wide character makes each character of a body take four bytes."""
    phrases = [
        " ".join(f"w{number}x{word}" for word in range(20))[:MAX_NOT_FOR_PHRASE]
        for number in range(exclusions)
    ]
    return tuple(
        Template(
            id=f"T{number}",
            name=f"{number} late" * 20,
            category="complaint",
            language="en",
            body=("🎁 " + " ".join(f"w{number}x{word}" for word in range(MAX_BODY)))[:MAX_BODY],
            not_for=tuple(phrases[number * MAX_NOT_FOR : (number + 1) * MAX_NOT_FOR]),
        )
        for number in range(200)
    )


async def test_the_largest_catalogue_is_prepared_once() -> None:
    """A catalogue above the cache's limit was prepared again for each message."""
    catalogues, templates = Catalogues(), largest(MAX_ALL_NOT_FOR)

    with budget() as first:
        made = await catalogues.of(templates)
    with budget() as second:
        assert await catalogues.of(templates) is made

    assert first.spent > 0
    assert second.spent == 0


async def test_other_tasks_run_while_a_catalogue_is_prepared() -> None:
    """The exclusions, the index and the placeholders were read in one step of 2 s."""
    templates, turns = largest(MAX_ALL_NOT_FOR), 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    with budget() as effort:
        await Catalogues().of(templates)
    task.cancel()

    assert effort.spent / turns < EVENT_STEPS / 500


async def test_a_template_whose_exclusions_are_too_many_is_not_used() -> None:
    """Clients of an earlier version may have more. Without its exclusions, a template would answer
    the wrong messages."""
    templates = largest(MAX_ALL_NOT_FOR + 1)
    made = await Catalogues().of(templates)

    full = MAX_ALL_NOT_FOR // MAX_NOT_FOR
    assert [*made.places("en")] == [place for place in range(200) if place != full]
    assert made.not_for.mentioned(templates[full - 1].not_for[0]) == {full - 1}
    assert made.not_for.mentioned(templates[full].not_for[0]) == set()


async def test_each_word_of_an_exclusion_costs_steps() -> None:
    spent = []
    for phrase in ("late", "late one two three four five six seven"):
        template = Template(
            id="T",
            name="Late",
            category="complaint",
            language="en",
            body="Hello",
            not_for=(phrase,),
        )
        with budget() as effort:
            await Catalogues().of((template,))
        spent.append(effort.spent)
    assert spent[1] - spent[0] > 700
