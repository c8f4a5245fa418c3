"""Gorgias' webhooks: its HTTP integrations send the service's template, with the secret in a
header."""

from collections.abc import Mapping
from datetime import datetime

from domain.inbound.author_proof import AuthorProof
from domain.inbound.helpdesk_form import FORM_TOPICS, check_secret, filled_form, form_meaning
from domain.inbound.helpdesk_news import MAX_BODY
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.inbound.meaning import Meaning
from domain.inbound.ports import EndpointFacts
from domain.integrations.providers import Provider


class GorgiasWebhooks:
    provider = Provider.GORGIAS
    topics: Mapping[str, WebhookKind] = FORM_TOPICS
    max_body = MAX_BODY
    refusal_status = 401
    needs_secret = False
    signs = True
    is_limited = True
    # All statements in the template about the ticket's customer are unverified claims. In a chat,
    # for example, customers type their own name and address.
    author_proof = AuthorProof.NOTHING

    def is_ping(self, request: InboundRequest) -> bool:  # noqa: ARG002 - the protocol requires it
        return False

    def verify(
        self,
        request: InboundRequest,
        secrets: tuple[str, ...],
        now: datetime,  # noqa: ARG002 - the protocol requires it
    ) -> None:
        check_secret(request, secrets)

    def identify(self, request: InboundRequest) -> Identity:
        """Return the identity of a delivery: the message's id, or the time of a state change."""
        form = filled_form(request.body)
        last = form.message_id or f"{form.status or ''}/{form.updated_at or ''}"
        return Identity(dedup_key=f"{form.ticket_id}/{form.event}/{last}", topic=form.event)

    def read(
        self,
        request: InboundRequest,
        identity: Identity,  # noqa: ARG002 - the protocol requires it
        facts: EndpointFacts,
    ) -> Meaning:
        return form_meaning(filled_form(request.body), Provider.GORGIAS, facts.settings)
