"""Errors in decisions on escalations. The API calls an escalation a review."""

from collections.abc import Mapping

from domain.core.errors import DomainError


class EscalationNotFound(DomainError):
    """The review does not exist, or belongs to another client."""

    code = "review_not_found"


class EscalationDecided(DomainError):
    """The review was already decided, or the time to decide has elapsed. Each review is decided
    only once."""

    code = "review_decided"


class EscalationClaimed(DomainError):
    """Another reviewer has claimed the review, and the claim has not expired."""

    code = "review_claimed"

    def __init__(self, escalation_id: str, claimed_by: str) -> None:
        super().__init__(escalation_id)
        self.claimed_by = claimed_by

    @property
    def facts(self) -> Mapping[str, str | int]:
        return {"claimed_by": self.claimed_by}


class EscalationChanged(DomainError):
    """The review's draft or plan has changed since the reviewer read it."""

    code = "review_changed"


class ConversationMovedOn(DomainError):
    """The customer has written again since the message to which the decision refers. A decision
    that specifies no message refers to the first message."""

    code = "conversation_moved_on"


class SecondPersonRequired(DomainError):
    """The plan moves more money than one reviewer may approve, and this reviewer has already
    approved the plan. Another reviewer must approve it."""

    code = "second_person_required"


class OwnRequest(DomainError):
    """The reviewer must not approve their own request. They typed it, created the API key that sent
    it, or are the customer who wants the money."""

    code = "own_request"


class DraftMissing(DomainError):
    """There is no draft to approve, because the agent wrote none. A human must write the text."""

    code = "draft_missing"


class UnsubscribeLinkUnknown(DomainError):
    """This service did not issue the link that turns off email notifications."""

    code = "unsubscribe_link_unknown"
