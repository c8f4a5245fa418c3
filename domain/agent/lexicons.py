"""Preload the agent's word lists at startup."""

from domain.agent.grounding.claims import unbacked_claims
from domain.agent.intents.closing import closes
from domain.agent.intents.wanted import intents
from domain.agent.safety.detection import unsafe
from domain.agent.safety.net import sensitive_matter
from domain.agent.speech.loading import load_speech
from domain.agent.speech.unqualified import is_unqualified
from domain.agent.wording import which_order
from domain.intake.order_number import find_order_numbers

_MESSAGE = "Bonjour, remboursez la commande 1042. Please refund order 1042."


def read_lexicons() -> None:
    """Load all word lists, so that the first message does not wait. Adds about a second to the
    worker's start. Raises BrokenLexicon."""
    load_speech()
    for read in (sensitive_matter, intents, closes, unsafe, find_order_numbers):
        read(_MESSAGE)
    unbacked_claims(_MESSAGE, frozenset(), ())
    is_unqualified(_MESSAGE, "refund order 1042")
    which_order("fr", "")
