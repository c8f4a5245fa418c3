"""Freshdesk's webhooks: its automations send the service's template, with the secret in a
header."""

from collections.abc import Mapping
from datetime import datetime
from hashlib import sha256

from domain.inbound.author_proof import AuthorProof
from domain.inbound.helpdesk_form import FORM_TOPICS, check_secret, filled_form, form_meaning
from domain.inbound.helpdesk_news import MAX_BODY
from domain.inbound.inbound_request import InboundRequest
from domain.inbound.inbound_webhook import Identity, WebhookKind
from domain.inbound.meaning import Meaning
from domain.inbound.ports import EndpointFacts
from domain.integrations.providers import Provider


class FreshdeskWebhooks:
    provider = Provider.FRESHDESK
    topics: Mapping[str, WebhookKind] = FORM_TOPICS
    max_body = MAX_BODY
    refusal_status = 401
    needs_secret = False
    signs = True
    is_limited = True
    # All statements in the template about the ticket's requester are unverified claims.
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
        """Return the identity of a delivery. Freshdesk sends no delivery id, so the key consists of
        the ticket, the event, the time of the change and the text."""
        form = filled_form(request.body)
        said = sha256((form.message or form.status or "").encode()).hexdigest()[:16]
        key = f"{form.ticket_id}/{form.event}/{form.updated_at or ''}/{said}"
        return Identity(dedup_key=key, topic=form.event)

    def read(
        self,
        request: InboundRequest,
        identity: Identity,  # noqa: ARG002 - the protocol requires it
        facts: EndpointFacts,
    ) -> Meaning:
        return form_meaning(filled_form(request.body), Provider.FRESHDESK, facts.settings)
