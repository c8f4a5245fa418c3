"""Errors of a decision on an escalation, which the API calls a review."""

from collections.abc import Mapping

from domain.core.errors import DomainError


class EscalationNotFound(DomainError):
    """There is no such review, or it is another client's."""

    code = "review_not_found"


class EscalationDecided(DomainError):
    """The review is decided already, or its time has run out; a decision happens once."""

    code = "review_decided"


class EscalationClaimed(DomainError):
    """Another person has claimed the review, and the claim still lasts."""

    code = "review_claimed"

    def __init__(self, escalation_id: str, claimed_by: str) -> None:
        super().__init__(escalation_id)
        self.claimed_by = claimed_by

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"claimed_by": self.claimed_by}


class EscalationChanged(DomainError):
    """The draft or the plan has changed since the decision's author read it."""

    code = "review_changed"


class ConversationMovedOn(DomainError):
    """The customer has written since the message that the decision names, or none is named."""

    code = "conversation_moved_on"


class SecondPersonRequired(DomainError):
    """It moves more money than one person may release, and this person has approved already."""

    code = "second_person_required"


class OwnRequest(DomainError):
    """The deciding person typed the request or another message of its conversation, or made the key
    that sent one."""

    code = "own_request"


class DraftMissing(DomainError):
    """There is nothing to approve: the agent wrote no draft, so a human's text is needed."""

    code = "draft_missing"
