"""The kinds of failed POSTs, with explanations that contain no text from the receiver."""

import ssl
from typing import Final

from domain.webhooks.delivery import FailureKind
from domain.webhooks.errors import InvalidWebhook


class PostFailed(Exception):
    """A POST that received no response. `text` is the reason, in English."""

    def __init__(self, kind: FailureKind, text: str) -> None:
        super().__init__(text)
        self.kind = kind
        self.text = text


MET: Final = (InvalidWebhook, PostFailed, OSError)
"""All errors that can be caused by a receiver or its URL. TimeoutError is a subclass of OSError."""

# OpenSSL's numbers for certificate errors (X509_V_ERR_…).
_CERTIFICATE: Final = {
    9: "the certificate is not valid yet",
    10: "the certificate has expired",
    18: "the certificate is self-signed",
    19: "the certificate's authority is not known",
    20: "the certificate's authority is not known, or an intermediate certificate is missing",
    21: "the certificate's authority is not known, or an intermediate certificate is missing",
    62: "the certificate is for another host",
    64: "the certificate is for another address",
}
# OpenSSL's names for other TLS errors.
_TLS: Final = {
    "WRONG_VERSION_NUMBER": "the port does not speak TLS",
    "HTTP_REQUEST": "the port does not speak TLS",
    "PACKET_LENGTH_TOO_LONG": "the port does not speak TLS",
    "RECORD_LAYER_FAILURE": "the port does not speak TLS",
    "UNSUPPORTED_PROTOCOL": "TLS 1.2 or newer is needed",
    "TLSV1_ALERT_PROTOCOL_VERSION": "TLS 1.2 or newer is needed",
    "TLSV13_ALERT_CERTIFICATE_REQUIRED": "a client's certificate is wanted",
}


def explained(met: Exception | None) -> PostFailed:
    """Return the failure that corresponds to an error in MET, based on its type and codes. Do not
    use this function if our deadline has passed."""
    match met:
        case PostFailed():
            return met
        case InvalidWebhook():
            return PostFailed(FailureKind.BLOCKED_ADDRESS, "the URL is not allowed")
        case ssl.SSLError():
            return PostFailed(FailureKind.TLS, _without_tls(met))
        case ConnectionRefusedError():
            return PostFailed(FailureKind.CONNECT, "the connection was refused")
        case ConnectionError():
            return PostFailed(FailureKind.CONNECT, "the connection broke before an answer")
        case _:
            return PostFailed(FailureKind.CONNECT, "no connection came about")


def _without_tls(error: ssl.SSLError) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return _CERTIFICATE.get(error.verify_code, "the certificate is not accepted")
    return _TLS.get(error.reason, "TLS failed")
