"""A secured Temporal cluster: TLS in front of the development server, with required client
certificates or an API key."""

from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, Final

import grpc

from tests.support.servers.tls import CertificateAuthority

_THREADS: Final = 16


class _Front(grpc.GenericRpcHandler):  # type: ignore[misc]
    """A handler that forwards each authorized call unchanged. `forbidden` are the last parts of the
    names of forbidden methods."""

    def __init__(self, behind: Any, api_key: str | None, forbidden: Collection[str]) -> None:
        self._behind = behind
        self._api_key = api_key
        self._forbidden = forbidden

    def service(self, details: Any) -> Any:
        call = self._behind.unary_unary(details.method)

        def forward(request: bytes, context: Any) -> bytes:
            given = dict(context.invocation_metadata())
            if self._api_key and given.get("authorization") != f"Bearer {self._api_key}":
                context.abort(grpc.StatusCode.UNAUTHENTICATED, "no such API key")
            if details.method.rpartition("/")[2] in self._forbidden:
                context.abort(grpc.StatusCode.PERMISSION_DENIED, "not for you")
            ours = [(name, value) for name, value in given.items() if name.startswith("client-")]
            try:
                answer: bytes = call(request, timeout=context.time_remaining(), metadata=ours)
            except grpc.RpcError as error:
                context.set_trailing_metadata(error.trailing_metadata())
                context.abort(error.code(), error.details())
            return answer

        return grpc.unary_unary_rpc_method_handler(forward)


@contextmanager
def secured_temporal(
    address: str,
    authority: CertificateAuthority,
    *,
    mutual: bool = False,
    api_key: str | None = None,
    forbidden: Collection[str] = (),
) -> Iterator[str]:
    """Return the address of a server that terminates TLS for the one at `address`. `mutual`:
    whether the server requires a client certificate."""
    key, certificate = authority.key_and_certificate()
    credentials = grpc.ssl_server_credentials(
        [(key.read_bytes(), certificate.read_bytes())],
        root_certificates=authority.file.read_bytes() if mutual else None,
        require_client_auth=mutual,
    )
    server = grpc.server(ThreadPoolExecutor(_THREADS))
    with grpc.insecure_channel(address) as behind:
        server.add_generic_rpc_handlers([_Front(behind, api_key, forbidden)])
        port = server.add_secure_port("127.0.0.1:0", credentials)
        server.start()
        try:
            yield f"127.0.0.1:{port}"
        finally:
            server.stop(grace=None).wait()
