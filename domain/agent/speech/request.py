"""The request: the action on an order that a customer requests, with its certainty."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.agent.plan import ActionKind


class Standing(StrEnum):
    """The certainty with which the customer requests an action.

    `plain`: requested in the customer's own words in this message, and not contradicted there.
    `likely`: probably requested, but the words are hesitant, elliptical or doubtful, so the
    customer must be asked. `none`: not requested, or vetoed.
    """

    PLAIN = "plain"
    LIKELY = "likely"
    NONE = "none"


class Veto(StrEnum):
    """The reason not to treat words as a request. The codes are stable. They are stored and
    shown."""

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
    """The requested action in one message.

    `kind`: the action, or None if the message mentions no action on an order. `quote`: the words
    that make the request, exactly as in the message. `vetoes`: the distinct reasons against the
    request.
    """

    model_config = ConfigDict(frozen=True)

    kind: ActionKind | None = None
    standing: Standing = Standing.NONE
    quote: str = ""
    vetoes: tuple[Veto, ...] = ()
