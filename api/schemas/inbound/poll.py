"""Response models for polling, which finds lost webhooks."""

from pydantic import BaseModel, Field

from domain.integrations.poll_cursor import PollCursor


class PolledIntegration(PollCursor):
    """A connection that is polled every ten minutes, or less often after failed polls."""

    integration_id: str


class PollList(BaseModel):
    polls: list[PolledIntegration] = Field(
        description="Polling status of each connection that has been polled at least once."
    )
