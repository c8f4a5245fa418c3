"""The action key: an effect's own name on the other side, the same in every try and round."""

from typing import Final
from uuid import UUID, uuid5

_KEYS: Final = UUID("5f0f7f5c-3c0c-4a3f-9c0e-6f6f0a6f8a51")


def action_key(run_id: str, step: int, human_words: str | None) -> str:
    """`human_words`: those that people chose in place of the draft, of what says them to the
    customer. Other words are another message, not a repetition: what was sent before them must not
    pass for them."""
    return str(uuid5(_KEYS, "/".join((run_id, str(step), *([human_words] if human_words else ())))))
