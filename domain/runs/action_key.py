"""The idempotency key of an action: the same in every attempt and every execution round."""

from typing import Final
from uuid import UUID, uuid5

_KEYS: Final = UUID("5f0f7f5c-3c0c-4a3f-9c0e-6f6f0a6f8a51")


def action_key(run_id: str, step: int, human_words: str | None) -> str:
    """Return the idempotency key for one step of a run's plan.

    `human_words` is the text that replaced the draft. A different text is a different message, not
    a retry, so its key differs.
    """
    return str(uuid5(_KEYS, "/".join((run_id, str(step), *([human_words] if human_words else ())))))
