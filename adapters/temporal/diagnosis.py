"""Diagnose a failed connection to Temporal, in plainer language than the Temporal library's
errors."""

import asyncio
import ssl
from contextlib import suppress
from typing import Final, NamedTuple

from settings.temporal import TemporalSettings

_TIMEOUT_S: Final = 2.0
# An HTTP/2 server sends data immediately. A server that requires a certificate closes the
# connection instead.
_SPEAKS_WITHIN_S: Final = 1.0


class Reason(NamedTuple):
    """The reason why a connection fails, in one `sentence`. `reached` means that the server accepts
    connections with the configured settings."""

    sentence: str
    reached: bool = False


async def why_not(temporal: TemporalSettings) -> Reason:
    """Return why Temporal cannot be used, diagnosed over a separate connection. Never raises."""
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            await _connected(temporal, None)
    except OSError as error:
        return Reason(error.strerror or "the address does not answer")
    return await (_by_tls(temporal) if temporal.is_encrypted else _plain(temporal))


async def _by_tls(temporal: TemporalSettings) -> Reason:
    speaks = False
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            speaks = await _connected(temporal, _context(temporal))
    except ssl.SSLCertVerificationError as error:
        return Reason(f"its certificate is not believed: {error.verify_message}")
    except ssl.SSLError as error:
        return Reason(f"it does not speak TLS with us ({error.reason})")
    except TimeoutError:
        return Reason("it does not answer by TLS")
    except OSError:  # The server closed the connection during the handshake.
        pass
    if speaks:
        return Reason("it takes connections, and no calls", reached=True)
    asks = "ask for a" if temporal.tls_client_cert_path is None else "not believe our"
    return Reason(
        f"it ends the connection; it may {asks} certificate (TEMPORAL_TLS_CLIENT_CERT_PATH)"
    )


async def _plain(temporal: TemporalSettings) -> Reason:
    """Return the reason why a connection without TLS fails, for example because the server requires
    TLS."""
    anybody = ssl.create_default_context()
    anybody.check_hostname = False
    anybody.verify_mode = ssl.CERT_NONE
    with suppress(OSError):
        async with asyncio.timeout(_TIMEOUT_S):
            await _connected(temporal, anybody)
            return Reason("it speaks TLS: set TEMPORAL_TLS to true")
    return Reason("it takes connections, and no calls", reached=True)


async def _connected(temporal: TemporalSettings, context: ssl.SSLContext | None) -> bool:
    """Open a connection to Temporal, without TLS if `context` is None. Return False if the server
    closes it without sending data."""
    host, _, port = temporal.address.rpartition(":")
    name = (temporal.tls_server_name or host) if context else None
    reader, writer = await asyncio.open_connection(
        host.strip("[]"), int(port), ssl=context, server_hostname=name
    )
    try:
        if context is None:
            return True
        async with asyncio.timeout(_SPEAKS_WITHIN_S):
            return bool(await reader.read(1))
    except TimeoutError:
        return True
    except OSError:
        return False
    finally:
        writer.transport.abort()


def _context(temporal: TemporalSettings) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=temporal.tls_server_ca_cert_path)
    context.set_alpn_protocols(["h2"])
    if temporal.tls_client_cert_path is not None:
        context.load_cert_chain(temporal.tls_client_cert_path, temporal.tls_client_key_path)
    return context
