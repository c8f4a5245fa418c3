"""The cache of prepared templates: its weight follows the memory, and what it drops is freed."""

import gc
import weakref
from collections.abc import Callable

import pytest

from adapters.brain.catalogue import Catalogue, Catalogues
from domain.agent.brain import Template
from domain.content.content import MAX_NOT_FOR, MAX_NOT_FOR_PHRASE


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
