"""A certificate authority shared by all mail servers, and a mailer that trusts it."""

from collections.abc import Iterator

import pytest

from adapters.mail.mailer import SmtpMailer
from tests.support.integrations.mailers import mailer_to
from tests.support.servers.tls import CertificateAuthority, certificate_authority


@pytest.fixture(scope="package")
def authority() -> Iterator[CertificateAuthority]:
    with certificate_authority() as found:
        yield found


@pytest.fixture
def mailer(authority: CertificateAuthority) -> SmtpMailer:
    return mailer_to(None, ca_file=authority.file)
