"""The emails: required and forbidden content."""

import pytest

from adapters.system import utc_now
from domain.core.service_name import ServiceName
from domain.identity.invitation import INVITED_FOR, Invitation
from domain.identity.mails import LANGUAGES, code_mail, invitation_mail, no_account_mail
from domain.tenants.client import Role

NAME = ServiceName("Maison Aide")
HERE = "https://engine.example/app/sign-in"
PAGE = "https://engine.example/app/invitations"


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_every_mail(language: str) -> None:
    now = utc_now()
    invitation = Invitation(
        "ID", "anne@shop.example", Role.AGENT, "user", language, now, now + INVITED_FOR
    )
    code = code_mail("ID", "anne@shop.example", language, "123456", service=NAME)
    nobody = no_account_mail("ID", "anne@shop.example", language, sign_up=HERE, service=NAME)
    invited = invitation_mail(invitation, "owner@shop.example", page=PAGE, service=NAME)

    assert "123456" in code.subject
    assert "123456" in code.text
    assert "10 minutes" in code.text
    assert HERE in nobody.text
    assert PAGE in invited.text
    assert "owner@shop.example" in invited.subject
    assert "owner@shop.example" in invited.text.splitlines()[2]
    anonymous = invitation_mail(invitation, None, page=PAGE, service=NAME)
    assert "@" not in anonymous.subject + anonymous.text
    for mail in (code, nobody, invited):
        assert mail.to == "anne@shop.example"
        assert mail.name == "accounts.id"
        assert mail.from_name == "Maison Aide"
        assert mail.auto_submitted == "auto-generated"
        assert "{" not in mail.subject + mail.text
