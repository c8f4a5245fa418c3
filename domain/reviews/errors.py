"""Errors of decisions on escalations, which the API calls reviews."""

from collections.abc import Mapping

from domain.core.errors import DomainError


class EscalationNotFound(DomainError):
    """The review does not exist, or belongs to another client."""

    code = "review_not_found"


class EscalationDecided(DomainError):
    """The review was already decided, or its time has run out; each review is decided only once."""

    code = "review_decided"


class EscalationClaimed(DomainError):
    """Another person has claimed the review, and the claim has not expired."""

    code = "review_claimed"

    def __init__(self, escalation_id: str, claimed_by: str) -> None:
        super().__init__(escalation_id)
        self.claimed_by = claimed_by

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"claimed_by": self.claimed_by}


class EscalationChanged(DomainError):
    """The draft or the plan has changed since the deciding person read it."""

    code = "review_changed"


class ConversationMovedOn(DomainError):
    """The customer has written again after the message that the decision names, or the decision
    names none."""

    code = "conversation_moved_on"


class SecondPersonRequired(DomainError):
    """The plan moves more money than one person may release, and this person has already approved
    it."""

    code = "second_person_required"


class OwnRequest(DomainError):
    """The deciding person typed the request or another message of its conversation, or created the
    API key that sent one."""

    code = "own_request"


class DraftMissing(DomainError):
    """There is no draft to approve: the agent wrote none, so a human must write the text."""

    code = "draft_missing"
