"""Errors on the dashboard's pages."""

from domain.core.errors import DomainError, RuleBroken


class ChangedMeanwhile(DomainError):
    """The data with which the form was filled has changed since the page was loaded."""

    code = "changed_meanwhile"


class AlreadyPosted(DomainError):
    """The form was already submitted successfully. `location` is the page that the first submission
    led to. It is None if that page showed a secret, which is shown only once."""

    code = "already_posted"

    def __init__(self, location: str | None) -> None:
        super().__init__(location)
        self.location = location


class NotConfirmed(DomainError):
    """The user did not type the name of the record to delete or end. The typed name protects
    against accidental deletion."""

    code = "not_confirmed"


class InvalidPreferences(RuleBroken):
    code = "invalid_preferences"
