"""The versions of the decision what a customer receives from knowledge without a human review.

- 1 and 2: a confident answer. Version 2 sends more answers.
- 3: as 2. If the agent is unsure, the customer also receives an excerpt of the entry at once, while
  a human review of the answer is pending.
"""

from typing import Annotated, Final

from pydantic import Field

LATEST_DECISION: Final = 3
"""The version for new clients. An existing client keeps its version until a member changes it."""

AnswerDecision = Annotated[int, Field(ge=1, le=LATEST_DECISION)]

EXCERPTS_SINCE: Final = 3
"""The first version with excerpts."""
