"""The request to a simulator: a scenario, and the variant used to run it."""

from pydantic import BaseModel, ConfigDict

from domain.simulation.scenario import Scenario
from domain.simulation.variant import LIVE, Variant


class SimulationAsked(BaseModel):
    model_config = ConfigDict(frozen=True)

    scenario: Scenario
    variant: Variant = LIVE
