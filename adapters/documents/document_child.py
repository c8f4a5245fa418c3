"""A process that parses large documents."""

from adapters.documents.document_reading import read_inline
from adapters.documents.document_wire import DocumentAnswer, DocumentRequest
from adapters.processes.serving import serve
from domain.core.document import Document, DocumentKind
from domain.core.errors import DocumentRefused


def _answer(request: bytes) -> bytes:
    return _answered(request).model_dump_json().encode()


def _answered(request: bytes) -> DocumentAnswer:
    try:
        return DocumentAnswer(
            value=read_inline(DocumentRequest.model_validate_json(request).document)
        )
    except DocumentRefused as error:
        return DocumentAnswer(refused=error.problems)
    except Exception as error:  # noqa: BLE001 - reported by its type, and the process goes on
        return DocumentAnswer(failed=type(error).__name__)


def _warm_up() -> None:
    _answered(
        DocumentRequest(document=Document(DocumentKind.CASE_FILE, "a: 1"))
        .model_dump_json()
        .encode()
    )


if __name__ == "__main__":
    serve(_answer, warm_up=_warm_up)
