"""A playbook's procedure: when it applies, its steps, and when a human takes over."""

from typing import Final

from pydantic import BaseModel, ConfigDict

MAX_PROCEDURE_CHARS: Final = 300
"""Maximum length of each text of a procedure, in characters."""

MAX_STEPS: Final = 10
"""Maximum number of steps of a procedure."""


class Procedure(BaseModel):
    """A procedure for a language model, in plain words. Each text is one line. An empty procedure
    adds nothing to the prompt.

    The procedure permits nothing: the playbook's rules determine the allowed actions.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    when: str = ""
    steps: tuple[str, ...] = ()
    hand_over: str = ""
