"""The words of an author who is not verified to hold the customer's address."""

import pytest

from domain.agent.brain import BrainRequest
from domain.intake.event import Channel
from tests.support.agent.policy_context import an_event


@pytest.mark.parametrize("channel", [Channel.EMAIL, Channel.HELPDESK])
@pytest.mark.parametrize("mailed_back", [True, False])
def test_forged_mail_and_tickets_are_claims(channel: Channel, mailed_back: bool) -> None:
    """The answer to such a message goes to the claimed address, which may be a victim's."""
    event = an_event(text="Hello").model_copy(
        update={"channel": channel, "proved": None, "mailed_back": mailed_back}
    )
    asked = BrainRequest.about(
        event, brand_name="Boutique", has_shop=True, templates=(), passages=()
    )
    assert asked.is_claim
