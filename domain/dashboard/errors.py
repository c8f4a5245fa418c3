"""Errors of pages."""

from domain.core.errors import DomainError, RuleBroken


class ChangedMeanwhile(DomainError):
    """What the form was filled from has changed since."""

    code = "changed_meanwhile"


class AlreadyPosted(DomainError):
    """The form was sent before, and had its effect. `location`: where that led; None where it
    showed a secret, which is shown once."""

    code = "already_posted"

    def __init__(self, location: str | None) -> None:
        super().__init__(location)
        self.location = location


class NotConfirmed(DomainError):
    """What was to be typed, so that nothing is ended by mistake, was not typed."""

    code = "not_confirmed"


class InvalidPreferences(RuleBroken):
    code = "invalid_preferences"
