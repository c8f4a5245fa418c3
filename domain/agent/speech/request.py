"""The request: the action on an order that a customer requests, with its certainty."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.agent.plan import ActionKind


class Standing(StrEnum):
    """The certainty with which the customer requests an action.

    - `plain`: requested in the customer's own words, and not contradicted in the message.
    - `likely`: hesitant, elliptical or doubtful. The customer must confirm.
    - `none`: not requested, or vetoed.
    """

    PLAIN = "plain"
    LIKELY = "likely"
    NONE = "none"


class Veto(StrEnum):
    """The reason not to treat words as a request. The codes are stable, stored and shown."""

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
    """The action requested in a message. `kind` is None without an action on an order. `quote`
    contains the exact words of the request. `vetoes` lists the distinct reasons against it."""

    model_config = ConfigDict(frozen=True)

    kind: ActionKind | None = None
    standing: Standing = Standing.NONE
    quote: str = ""
    vetoes: tuple[Veto, ...] = ()
