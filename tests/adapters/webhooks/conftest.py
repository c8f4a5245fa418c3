"""A certificate authority shared by all receivers, and a receiver."""

from collections.abc import Iterator

import pytest

from tests.support.servers.tls import CertificateAuthority, certificate_authority
from tests.support.servers.webhook_receiver import WebhookReceiver, webhook_receiver


@pytest.fixture(scope="package")
def authority() -> Iterator[CertificateAuthority]:
    with certificate_authority() as found:
        yield found


@pytest.fixture
def receiver(authority: CertificateAuthority) -> Iterator[WebhookReceiver]:
    with webhook_receiver(authority) as found:
        yield found
