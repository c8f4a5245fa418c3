"""The cache of prepared templates: its weight follows the memory, and what it drops is freed."""

import gc
import weakref

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


async def test_the_catalogues_of_many_edits_are_freed() -> None:
    """An edit of the templates left a tree of 29 MB, and the cache kept each of them."""
    catalogues = Catalogues()
    seen: list[weakref.ref[Catalogue]] = []
    for edit in range(6):
        made = await catalogues.of(templates(edit))
        assert not made.not_for.mentioned("a message about nothing")
        seen.append(weakref.ref(made))
        del made
        gc.collect()

    assert sum(one() is not None for one in seen) <= 2
