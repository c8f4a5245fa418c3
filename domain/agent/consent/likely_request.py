"""Whether a message likely asks for an action on an order: enough to ask the customer, and never
enough to act.

A linear model reads what stands around each word that names an action. Its weights are made by
`python -m training.train_requests` and kept in `likely_request.npz` beside this module.
"""

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from domain.agent.consent.plain_request import plain_request
from domain.agent.consent.request_features import REQUEST_BUCKETS, Mention, mentions
from domain.agent.plan import ActionKind
from domain.core.lexicon import BrokenLexicon

REQUEST_MODEL_PATH: Final = Path(__file__).with_name("likely_request.npz")
_KEPT: Final = 16
WEIGHT_STEP: Final = 1 / 16
_ARRAYS: Final = ("weights", "bias", "asks", "hints")


@dataclass(frozen=True, slots=True)
class LikelyRequest:
    """`quote`: the words that ask for it, as they stand in the message."""

    kind: ActionKind
    quote: str


@dataclass(frozen=True, slots=True)
class RequestModel:
    """`asks`: the least score of a request. `hints`: the least score of a message that does not
    speak against one."""

    weights: NDArray[np.int8]
    bias: float
    asks: float
    hints: float

    def score(self, mention: Mention) -> float:
        """The log-odds that the mention asks for its action."""
        counted = self.weights[list(mention.buckets)]
        length = float(np.sqrt(len(mention.buckets)))
        return float(counted.sum(dtype=np.int64)) * WEIGHT_STEP / length + self.bias


def likely_request(text: str) -> LikelyRequest | None:
    """Return what a message likely asks for, in French or English, or None. Never raises.

    Of several requests a cancellation counts: it pays back as well.
    """
    if plain := plain_request(text):
        return LikelyRequest(plain.kind, text)
    asks = request_model().asks
    asking = [(score, one) for score, one in _scored(text) if score >= asks and not one.forbidden]
    if not asking:
        return None
    kinds = {one.kind for _, one in asking}
    kind = ActionKind.CANCEL_ORDER if ActionKind.CANCEL_ORDER in kinds else ActionKind.REFUND
    _, best = max((pair for pair in asking if pair[1].kind is kind), key=lambda pair: pair[0])
    return LikelyRequest(kind, text[best.start : best.end])


def speaks_against(text: str, kind: ActionKind) -> bool:
    """Return whether a message names this action and plainly does not ask for it: "do not refund
    it"."""
    hints = request_model().hints
    named = [(score, one) for score, one in _scored(text) if one.kind is kind]
    hinted = any(score >= hints and not one.forbidden for score, one in named)
    return bool(named) and not hinted


def names_action(text: str) -> bool:
    return bool(_scored(text))


@lru_cache(maxsize=_KEPT)
def _scored(text: str) -> tuple[tuple[float, Mention], ...]:
    """The mentions and their scores, kept for one message's several readers."""
    model = request_model()
    return tuple((model.score(one), one) for one in mentions(text))


@cache
def request_model() -> RequestModel:
    """Raises BrokenLexicon."""
    try:
        with np.load(REQUEST_MODEL_PATH, allow_pickle=False) as archive:
            weights, bias, asks, hints = (archive[name] for name in _ARRAYS)
    except (OSError, KeyError, ValueError) as error:
        raise BrokenLexicon("likely_request.npz: not a model file") from error
    if weights.shape != (REQUEST_BUCKETS,) or weights.dtype != np.int8:
        raise BrokenLexicon("likely_request.npz: made for other features")
    return RequestModel(weights, float(bias), float(asks), float(hints))
