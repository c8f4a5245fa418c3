"""What a simulator is asked: a scenario, and by what it is thought through."""

from pydantic import BaseModel, ConfigDict

from domain.simulation.scenario import Scenario
from domain.simulation.variant import LIVE, Variant


class SimulationAsked(BaseModel):
    model_config = ConfigDict(frozen=True)

    scenario: Scenario
    variant: Variant = LIVE
