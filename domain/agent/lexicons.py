"""The word lists of the judgement, read before the first message needs them."""

from domain.agent.consent.answering_words import answer_words
from domain.agent.consent.likely_request import likely_request
from domain.agent.grounding.claims import unbacked_claims
from domain.agent.intents.closing import closes
from domain.agent.intents.wanted import intents
from domain.agent.safety.detection import unsafe
from domain.agent.safety.net import sensitive_matter
from domain.agent.wording import which_order
from domain.intake.order_number import find_order_numbers

_MESSAGE = "Bonjour, remboursez la commande 1042. Please refund order 1042."


def read_lexicons() -> None:
    """Read them all now: a worker that starts takes a second, and no message waits for it.

    Raises BrokenLexicon.
    """
    answer_words()
    for read in (likely_request, sensitive_matter, intents, closes, unsafe, find_order_numbers):
        read(_MESSAGE)
    unbacked_claims(_MESSAGE, frozenset(), ())
    which_order("fr", "")
