"""The copilot tool that searches the product documentation."""

from typing import Final

from pydantic import Field

from domain.copilot.answer import CitedKind
from domain.copilot.tool import CopilotFacts, CopilotInput, ToolFindings
from domain.tenants.actor import ANYONE
from services.copilot.copilot_service import CopilotService, ReadTool


class DocumentsWanted(CopilotInput):
    question: str = Field(
        min_length=1, max_length=500, description=("A question, in French or English.")
    )
    limit: int = Field(default=3, ge=1, le=5)


class DocumentFacts(CopilotFacts):
    place: str = Field(description="Page and heading of the section.")
    title: str
    heading: str
    excerpt: str
    score: float


class DocumentsFound(CopilotFacts):
    sections: tuple[DocumentFacts, ...]


async def _search(copilot: CopilotService, wanted: DocumentsWanted) -> ToolFindings[DocumentsFound]:
    found = copilot.documents.search(wanted.question, wanted.limit)
    sections = tuple(
        DocumentFacts(
            place=one.section.place,
            title=one.section.title,
            heading=one.section.heading,
            excerpt=one.section.excerpt,
            score=one.score,
        )
        for one in found
    )
    return ToolFindings(
        DocumentsFound(sections=sections),
        tuple(
            copilot.cite(CitedKind.DOCUMENT, one.place, f"{one.title}: {one.heading}")
            for one in sections
        ),
    )


SEARCH_DOCUMENTS: Final = ReadTool(
    "search_documents",
    "Search the product documentation, for example for instructions or the meaning of a field.",
    ANYONE,
    None,
    DocumentsWanted,
    _search,
)
