"""The configuration that a widget loads before it is opened."""

from pydantic import BaseModel, Field


class WidgetConfig(BaseModel):
    display_name: str
    color: str = Field(description="Hexadecimal color, such as `#1a2b3c`.")
    on_color: str = Field(description="Readable text color on `color`: black or white.")
    logo_url: str | None
    ask_rating: bool = Field(description="Ask the visitor whether an answer was helpful.")
    session_id: str = Field(
        description="Token of a new session. The session is stored when it is first used."
    )
