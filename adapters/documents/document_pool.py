"""Parse documents with limited resources. Large documents are parsed in child processes that can be
killed."""

from typing import Final

from pydantic import JsonValue

from adapters.documents.document_reading import read_inline
from adapters.documents.document_wire import DocumentAnswer, DocumentRequest
from adapters.processes.process_pool import CPU_S, ProcessPool, WorkFailed
from domain.core.document import Document
from domain.core.errors import DocumentRefused, DocumentTooCostly, OverBudget

_CHILD: Final = "adapters.documents.document_child"


class DocumentPool:
    """A `DocumentReader` that parses small documents in the current process, and large documents in
    a child process.

    The child processes start when the first large document arrives, because most installations
    rarely receive one.
    """

    def __init__(self, *, cpu_s: float = CPU_S) -> None:
        self._processes = ProcessPool(_CHILD, cpu_s=cpu_s)

    async def read(self, document: Document) -> JsonValue:
        """Return the document's value. Raises DocumentRefused, DocumentTooCostly,
        EngineUnavailable."""
        if not document.is_large:
            return read_inline(document)
        request = DocumentRequest(document=document)
        try:
            came = await self._processes.ask(request.model_dump_json().encode())
        except OverBudget:
            raise DocumentTooCostly from None
        answer = DocumentAnswer.model_validate_json(came)
        if answer.failed:
            raise WorkFailed(answer.failed)
        if answer.refused is not None:
            raise DocumentRefused(answer.refused)
        return answer.value

    async def close(self) -> None:
        await self._processes.close()
