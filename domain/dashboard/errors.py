"""Errors of pages."""

from domain.core.errors import DomainError, RuleBroken


class ChangedMeanwhile(DomainError):
    """The data that the form was filled from has changed since."""

    code = "changed_meanwhile"


class AlreadyPosted(DomainError):
    """The form was sent before, and took effect. `location`: where that led; None if it showed a
    secret, which is shown once."""

    code = "already_posted"

    def __init__(self, location: str | None) -> None:
        super().__init__(location)
        self.location = location


class NotConfirmed(DomainError):
    """The confirmation text, which prevents ending something by mistake, was not typed."""

    code = "not_confirmed"


class InvalidPreferences(RuleBroken):
    code = "invalid_preferences"
