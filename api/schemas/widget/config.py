"""The configuration that the widget loads before a visitor opens it."""

from pydantic import BaseModel, Field


class WidgetConfig(BaseModel):
    display_name: str
    color: str = Field(description="Widget color in hexadecimal, such as `#1a2b3c`.")
    on_color: str = Field(description="Text color that is readable on `color`: black or white.")
    logo_url: str | None
    ask_rating: bool = Field(
        description="If true, the widget asks visitors whether an answer was helpful."
    )
    disclosure: dict[str, str] = Field(
        description=(
            "The greeting's AI disclosure line, by language. Empty if the client has switched "
            "off the AI disclosure."
        )
    )
    session_id: str = Field(
        description=(
            "Token for a new session. The service stores the session when the token is first used."
        )
    )
