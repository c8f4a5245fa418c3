"""The configuration that a widget loads before it is opened."""

from pydantic import BaseModel, Field


class WidgetConfig(BaseModel):
    display_name: str
    color: str = Field(description="As in `#1a2b3c`.")
    on_color: str = Field(description="Black or white: what can be read on `color`.")
    logo_url: str | None
    ask_rating: bool = Field(description="Ask the visitor whether an answer was helpful.")
    session_id: str = Field(
        description="A fresh session's token. No session is kept before it is used."
    )
