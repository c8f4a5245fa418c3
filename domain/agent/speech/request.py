"""The request: the order action that a customer requests, with its certainty."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.agent.plan import ActionKind


class Standing(StrEnum):
    """How certainly the customer requests an action.

    `plain`: in the customer's own present words, with nothing against it in the message. `likely`:
    probable, but hesitant, elliptic or doubtful, so the customer must be asked. `none`: not
    requested, or vetoed.
    """

    PLAIN = "plain"
    LIKELY = "likely"
    NONE = "none"


class Veto(StrEnum):
    """The reason against treating words as a request. Stable codes: stored and shown."""

    NEGATED = "negated"
    QUOTED = "quoted"
    CONDITIONAL = "conditional"
    HYPOTHETICAL = "hypothetical"
    OTHER_PERSON = "other_person"
    PART = "part"
    EXCHANGE = "exchange"
    EXISTING = "existing"
    RULES = "rules"
    QUESTION = "question"
    TO_THE_AGENT = "to_the_agent"
    PAST = "past"
    WITHDRAWN = "withdrawn"


class SpokenRequest(BaseModel):
    """The request in one message.

    `kind`: None if the message mentions no action on an order. `quote`: the requesting words,
    exactly as in the message. `vetoes`: the distinct reasons against the request.
    """

    model_config = ConfigDict(frozen=True)

    kind: ActionKind | None = None
    standing: Standing = Standing.NONE
    quote: str = ""
    vetoes: tuple[Veto, ...] = ()
