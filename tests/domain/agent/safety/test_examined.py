"""The cached check for prompt injections."""

import asyncio

from domain.agent.safety.examined import is_unsafe


async def test_a_cached_verdict_of_a_long_text_lets_other_tasks_run() -> None:
    """Otherwise, a message that was sent before would hold the event loop for longer than a new
    one."""
    text = "Bonjour, où est ma commande ? " * 200
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(other())
    verdict = await is_unsafe(text)
    before = turns
    again = await is_unsafe(text)
    beside.cancel()

    assert (verdict, again) == (False, False)
    assert turns > before
