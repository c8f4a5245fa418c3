"""The order of the texts in the encoder."""

import asyncio

from adapters.brain.encoder_turns import EncoderTurns, Urgency


class Encoder:
    """An encoder whose texts each take one step. `done`: the names of the encoded texts."""

    def __init__(self) -> None:
        self.turns = EncoderTurns()
        self.done: list[str] = []

    async def encode(self, name: str, client_id: str, urgency: Urgency = Urgency.LIVE) -> None:
        async with self.turns.turn(client_id, urgency):
            await asyncio.sleep(0)
            self.done.append(name)


async def test_a_client_with_many_texts_delays_each_other_client_by_one() -> None:
    """Attack: one client's hundred questions let all other clients' questions time out."""
    encoder = Encoder()
    flood = [encoder.encode(f"flood{number}", "attacker") for number in range(100)]

    await asyncio.gather(*flood, encoder.encode("a", "shop a"), encoder.encode("b", "shop b"))

    assert encoder.done[:5] == ["flood0", "flood1", "a", "b", "flood2"]
    assert len(encoder.done) == 102


async def test_customers_who_wait_come_first() -> None:
    encoder = Encoder()
    await asyncio.gather(
        encoder.encode("running", "", Urgency.STORED),
        encoder.encode("stored", "", Urgency.STORED),
        encoder.encode("simulated", "shop", Urgency.SIMULATED),
        encoder.encode("live", "shop"),
    )

    assert encoder.done == ["running", "live", "simulated", "stored"]


async def test_a_caller_that_stops_waiting_takes_no_turn() -> None:
    encoder = Encoder()
    running = asyncio.ensure_future(encoder.encode("running", "a"))
    impatient = asyncio.ensure_future(encoder.encode("impatient", "b"))
    patient = asyncio.ensure_future(encoder.encode("patient", "b"))
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.gather(running, patient)

    assert encoder.done == ["running", "patient"]
    assert not any(encoder.turns._waiting.values())


async def test_a_turn_that_is_granted_too_late_is_passed_on() -> None:
    turns, granted = EncoderTurns(), asyncio.Event()

    async def hold() -> None:
        async with turns.turn("a", Urgency.LIVE):
            await granted.wait()

    async def take() -> None:
        async with turns.turn("b", Urgency.LIVE):
            pass

    holder = asyncio.ensure_future(hold())
    late = asyncio.ensure_future(take())
    await asyncio.sleep(0)
    granted.set()
    await asyncio.sleep(0)  # The holder has passed its turn on, and `late` has not run yet.
    late.cancel()
    await asyncio.gather(holder, late, return_exceptions=True)

    await take()
    assert not turns._is_taken
