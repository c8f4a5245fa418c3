"""Request and response models for imports of knowledge from websites and connected systems."""

from typing import Annotated

from pydantic import BaseModel, Field

from api.schemas.core.strict_body import StrictBody
from domain.content.site_address import MAX_ADDRESS
from domain.content.site_import import SiteImport, SitePage, SiteScope


class SiteImportBody(StrictBody):
    url: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_ADDRESS,
            description="Address of the site, or of one page. `https://` may be omitted.",
            examples=["https://www.example.com/help"],
        ),
    ]
    scope: SiteScope = Field(
        default=SiteScope.SITE,
        strict=False,  # A form sends text.
        description=(
            "`site` reads the pages in the site's sitemap below the address, or the linked pages "
            "if there is no sitemap. `page` reads only the address."
        ),
    )


class SiteImportPage(BaseModel):
    imports: tuple[SiteImport, ...] = Field(description="Imports, newest first.")
    next_cursor: str | None = Field(description="Cursor for the next page; null on the last page.")


class SiteImportPages(BaseModel):
    site_import: SiteImport = Field(description="The import, with its progress.")
    pages: tuple[SitePage, ...] = Field(
        description="Pages of the import, in the order in which it reads them."
    )
