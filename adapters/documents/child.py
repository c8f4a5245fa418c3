"""A process that reads large documents."""

from adapters.documents.inline import read_inline
from adapters.documents.wire import Answer, Request
from adapters.processes.child import serve
from domain.core.documents import Document, DocumentKind
from domain.core.errors import DocumentRefused


def _answer(request: bytes) -> bytes:
    return _answered(request).model_dump_json().encode()


def _answered(request: bytes) -> Answer:
    try:
        return Answer(value=read_inline(Request.model_validate_json(request).document))
    except DocumentRefused as error:
        return Answer(refused=error.problems)
    except Exception as error:  # noqa: BLE001 - reported by its type, and the process goes on
        return Answer(failed=type(error).__name__)


def _warm_up() -> None:
    _answered(Request(document=Document(DocumentKind.CASE_FILE, "a: 1")).model_dump_json().encode())


if __name__ == "__main__":
    serve(_answer, warm_up=_warm_up)
