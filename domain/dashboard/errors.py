"""Errors of the dashboard's pages."""

from domain.core.errors import DomainError, RuleBroken


class ChangedMeanwhile(DomainError):
    """The data from which the form was filled has changed since."""

    code = "changed_meanwhile"


class AlreadyPosted(DomainError):
    """The form was submitted before, and took effect. `location`: the page to which the submission
    led; None if that page showed a secret, which is shown only once."""

    code = "already_posted"

    def __init__(self, location: str | None) -> None:
        super().__init__(location)
        self.location = location


class NotConfirmed(DomainError):
    """The confirmation text, which prevents ending something by accident, was not typed."""

    code = "not_confirmed"


class InvalidPreferences(RuleBroken):
    code = "invalid_preferences"
