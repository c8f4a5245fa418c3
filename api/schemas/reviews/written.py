"""Validators of the texts that members write to customers."""

from domain.agent.macro import gaps_in


def without_gaps(text: str) -> str:
    """Return the text. Raises ValueError if a placeholder of a template was not replaced."""
    if gaps_in(text):
        raise ValueError("replace the placeholders in brackets")
    return text
