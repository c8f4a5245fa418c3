"""reseal: a command that re-encrypts all stored secrets with the current key."""

from commands.core.context import (
    DEFAULT_DATA,
    DataOption,
    JsonOption,
    answer,
    sealer_of,
    synchronous,
    work_on,
)
from commands.core.person import operator
from services.privacy.sealed import reseal_everything


@synchronous
async def reseal(data: DataOption = DEFAULT_DATA, as_json: JsonOption = False) -> None:
    """Re-encrypt all encrypted data with the first key in SEAL_KEY, so that the other keys can be
    removed."""
    sealer = sealer_of(data)
    async with work_on(data) as units, units.everywhere() as work:
        done = await reseal_everything(work, operator(), sealer)
    sentence = "All data is encrypted with the first key in SEAL_KEY."
    if done.unreadable:
        sentence = (
            "Some data is encrypted with a key that SEAL_KEY does not contain. Keep any key that "
            "may decrypt it."
        )
    answer(as_json, sentence, resealed=done.resealed, unreadable=done.unreadable)
