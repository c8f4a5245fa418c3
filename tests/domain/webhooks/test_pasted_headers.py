"""Pasted headers are parsed as intended."""

from domain.webhooks.pasted_headers import pasted_of, read_headers


def test_headers_of_a_log_of_curl_and_of_json() -> None:
    text = '-H "X-Service-Timestamp: 17" \\\n"webhook-id": "E1",\nnonsense\nHost: a.example:8443'
    assert read_headers(text) == {
        "x-service-timestamp": "17",
        "webhook-id": "E1",
        "host": "a.example:8443",
    }


def test_the_signature_is_found_or_is_all_that_was_pasted() -> None:
    both = pasted_of("webhook-signature: v1,ab=\nX-Service-Signature: v1=00\nwebhook-id: E1", "{}")
    assert (both.signature, both.message_id, both.body) == ("v1=00", "E1", b"{}")
    assert pasted_of(" v1=00 ", "").signature == "v1=00"
    assert pasted_of("Host: a.example", "").signature == ""
