"""Request and response models for the dashboard's publish gate routes."""

from typing import Annotated

from pydantic import Field

from api.schemas.core.client_query import ClientQuery
from api.schemas.playbooks.playbook import MAX_VERSION
from domain.cases.gate import GateStanding


class GateQuery(ClientQuery):
    version: Annotated[
        int | None,
        Field(
            ge=1,
            le=MAX_VERSION,
            description=("Version number of the playbook; defaults to the current version."),
        ),
    ] = None


class GateAnswer(GateStanding):
    version: int
    may_go_live: bool = Field(description="True if the version may go live now.")

    @staticmethod
    def of(version: int, standing: GateStanding) -> "GateAnswer":
        return GateAnswer(**dict(standing), version=version, may_go_live=standing.may_pass)
