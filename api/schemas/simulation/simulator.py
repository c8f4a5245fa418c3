"""Request and response models for the simulator."""

import json
from typing import Annotated, Final, Self

from pydantic import BaseModel, ConfigDict, Field, JsonValue, ValidationError

from api.schemas.core.strict_body import StrictBody, Whole
from api.schemas.playbooks.playbook import MAX_VERSION, Document
from domain.agent.brain import Citation
from domain.agent.escalation_reason import EscalationReason
from domain.agent.plan import PlannedAction
from domain.cases.case import CaseExpectation
from domain.cases.verdict_on_case import expected_of
from domain.core.errors import InvalidBody
from domain.core.ids import parse_ulid
from domain.intake.event import resolve_event_type
from domain.playbooks.errors import InvalidPlaybook, PlaybookNotFound
from domain.playbooks.file import draft_in
from domain.playbooks.playbook import PlaybookSpec
from domain.simulation.asked import SimulationAsked
from domain.simulation.outcome import OutcomeStatus, SimulatedOutcome, Simulation
from domain.simulation.scenario import (
    MAX_MESSAGE,
    MAX_MESSAGES,
    Scenario,
    ScenarioCustomer,
    ScenarioFields,
    ScenarioMessage,
    ScenarioOrder,
)
from domain.simulation.variant import Variant
from domain.tenants.errors import ClientIdMissing

_EXAMPLE: Final[dict[str, JsonValue]] = {
    "client_id": "01J9ZQ4Z8N3V5X7B2C4D6E8F0G",
    "messages": [{"text": "Où est ma commande n° 1042 ?"}],
    "customer": {"email": "lea@example.com"},
    "order": {"number": "1042", "state": "shipped", "total": "49.00"},
}
_Line = Annotated[str, Field(min_length=1, max_length=200)]


class SimulatorBody(StrictBody):
    """A simulation request. Exactly one of `message` and `messages` is required. If only
    `playbook_id` is given, that playbook handles every event type. `playbook` is an unsaved draft.
    If `playbook_id` is also given, the draft replaces that playbook."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    client_id: str = Field(description="ULID of the client.", json_schema_extra={"pattern": r"\S"})
    message: Annotated[str, Field(min_length=1, max_length=MAX_MESSAGE)] | None = Field(
        default=None, description="A single message from the customer."
    )
    messages: (
        Annotated[list[ScenarioMessage], Field(min_length=1, max_length=MAX_MESSAGES)] | None
    ) = Field(
        default=None,
        description=(
            "The customer's messages, in order. Omit the agent's answers, because the "
            "simulation generates them."
        ),
    )
    event_type: _Line | None = Field(
        default=None,
        description=(
            "Event type, which determines the playbook and the channel; defaults to `source`, "
            "then `api_direct`."
        ),
    )
    source: _Line | None = None
    subject: Annotated[str, Field(min_length=1, max_length=500)] | None = None
    playbook_id: str | None = None
    playbook: Document | None = None
    version: Annotated[Whole, Field(ge=1, le=MAX_VERSION)] | None = Field(
        default=None, description="Version of `playbook_id`; defaults to the current version."
    )
    threshold: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None,
        description=(
            "Confidence threshold to use instead of the playbook's threshold, from 0 to 1."
        ),
    )
    customer: ScenarioCustomer | None = None
    order: ScenarioOrder | None = Field(
        default=None,
        description=(
            "Simulated order. If omitted, the connected shops are queried but not changed."
        ),
    )
    fields: ScenarioFields = Field(
        default={}, description="Additional fields of the event, as in a gateway request."
    )
    embedded_brain: bool = Field(
        default=False, description="Use the embedded brain, which has no model cost."
    )

    def asked(self) -> SimulationAsked:
        """Return the requested simulation. Raises InvalidBody, InvalidPlaybook,
        PlaybookNotFound."""
        return SimulationAsked(scenario=self._scenario(), variant=self._variant())

    def _scenario(self) -> Scenario:
        if (self.message is None) == (self.messages is None):
            raise InvalidBody("`message` ou `messages`, l'un des deux")
        said = self.messages or [ScenarioMessage(text=self.message or "")]
        if said[-1].author != "customer":
            raise InvalidBody("`messages` : le dernier est du client")
        try:
            return Scenario(
                messages=tuple(said),
                event_type=resolve_event_type(self.event_type, self.source),
                source=self.source,
                subject=self.subject,
                customer=self.customer or ScenarioCustomer(),
                order=self.order,
                fields=self.fields,
            )
        except ValidationError as error:
            raise InvalidBody(f"champ « {error.errors()[0]['loc'][0]} »") from None

    def _variant(self) -> Variant:
        playbook_id = None
        if self.playbook_id is not None:
            playbook_id = parse_ulid(self.playbook_id)
            if playbook_id is None:
                raise PlaybookNotFound(self.playbook_id)
        if self.version is not None and (playbook_id is None or self.playbook is not None):
            raise InvalidBody("`version` va avec `playbook_id` seul")
        return Variant(
            playbook_id=playbook_id,
            version=self.version,
            draft=None if self.playbook is None else _draft(self.playbook),
            threshold=self.threshold,
            embedded_brain=self.embedded_brain,
        )


def parse_simulation(value: dict[str, JsonValue]) -> SimulatorBody:
    """Return the validated body of a simulation. Raises ClientIdMissing, InvalidBody."""
    client_id = value.get("client_id")
    if client_id is None or (isinstance(client_id, str) and not client_id.strip()):
        raise ClientIdMissing
    try:
        # Validate the body as JSON. Strict mode also applies to nested models, and only JSON mode
        # accepts strings for enums.
        return SimulatorBody.model_validate_json(json.dumps(value), strict=True)
    except ValidationError as error:
        raise InvalidBody(_said_of(error)) from None


def _said_of(error: ValidationError) -> str:
    """Return the path of the invalid field. The path contains only known field names, never
    input."""
    first = error.errors()[0]
    if first["type"] == "extra_forbidden":
        return "champ inconnu"
    path = first["loc"][:1] if first["loc"][0] == "fields" else first["loc"]
    return f"champ « {'.'.join(map(str, path))} »"


def _draft(document: dict[str, JsonValue]) -> PlaybookSpec:
    try:
        return draft_in(document).spec
    except InvalidPlaybook as error:
        raise InvalidPlaybook([f"playbook.{line}" for line in error.problems]) from None


class SimulationTrace(BaseModel):
    """Details of a simulation. `outcomes` contains the outcome of each customer message, in order,
    with its policy decisions, retrieved content, order, playbook and model. `cost_micros` is the
    total cost, in millionths of a US dollar."""

    outcomes: tuple[SimulatedOutcome, ...]
    cost_micros: int
    duration_ms: int = Field(description="Duration of the simulation, in milliseconds.")


class SimulatorAnswer(BaseModel):
    """The simulated outcome of the last message. Nothing was executed. `expected` is the expected
    outcome of a case that this simulation would pass."""

    status: OutcomeStatus
    held: bool
    classification: str
    confidence: float
    response: str = Field(
        description=(
            "Answer that the customer would receive; empty if the message would be held for human "
            "review."
        )
    )
    draft: str = Field(description="Text that the agent generated, even if `response` is empty.")
    reason: EscalationReason | None = Field(
        description=(
            "Reason why the message would be held for human review; null if no review is needed."
        )
    )
    plan: tuple[PlannedAction, ...]
    sources: tuple[Citation, ...]
    expected: CaseExpectation
    trace: SimulationTrace

    @classmethod
    def of(cls, simulation: Simulation, duration_ms: int) -> Self:
        last = simulation.last
        return cls(
            status=last.status,
            held=last.held,
            classification=last.classification,
            confidence=last.confidence,
            response=last.response,
            draft=last.draft,
            reason=last.reason,
            plan=last.plan,
            sources=last.sources,
            expected=expected_of(last),
            trace=SimulationTrace(
                outcomes=simulation.outcomes,
                cost_micros=sum(one.cost_micros for one in simulation.outcomes),
                duration_ms=duration_ms,
            ),
        )
