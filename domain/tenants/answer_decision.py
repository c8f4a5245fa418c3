"""The versions of the decision whether an answer from knowledge is sent without review."""

from typing import Annotated, Final

from pydantic import Field

LATEST_DECISION: Final = 2
"""The version for new clients. An existing client keeps its version until a member changes it."""

AnswerDecision = Annotated[int, Field(ge=1, le=LATEST_DECISION)]
