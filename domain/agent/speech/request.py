"""The request: what a customer asks to be done about an order, and how surely."""

from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from domain.agent.plan import ActionKind


class Standing(StrEnum):
    """How surely an action is asked for.

    `plain`: in the customer's own present words, and nothing in the message speaks against it.
    `likely`: probably, but hesitant, elliptic or doubtful: the customer is to be asked.
    `none`: not asked for, or something speaks against it.
    """

    PLAIN = "plain"
    LIKELY = "likely"
    NONE = "none"


class Veto(StrEnum):
    """What speaks against a request. Stable codes: stored and shown."""

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
    """What one message asks for.

    `kind` is None where no action on an order is spoken of. `quote`: the words that ask for it, as
    they stand in the message. `vetoes`: what speaks against it, each once.
    """

    model_config = ConfigDict(frozen=True)

    kind: ActionKind | None = None
    standing: Standing = Standing.NONE
    quote: str = ""
    vetoes: tuple[Veto, ...] = ()
