"""reseal: what is stored, by the present key."""

from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    command,
    sealer_of,
    transaction_on,
)
from store.privacy.sealed import reseal as reseal_all


@command
async def reseal(data: DataOption = DEFAULT_DATA, as_json: JsonOption = False) -> None:
    """Seal what is stored sealed with the first key of SEAL_KEY, so that the others can go."""
    sealer = sealer_of(data)
    async with transaction_on(data) as connection:
        done = await reseal_all(connection, lambda sealed: sealer.seal(sealer.unseal(sealed)))
    sentence = "All is sealed with the first key of SEAL_KEY."
    if done.unreadable:
        sentence = "Some is sealed with a key that SEAL_KEY does not hold: keep what may open it."
    answer(as_json, sentence, resealed=done.resealed, unreadable=done.unreadable)
