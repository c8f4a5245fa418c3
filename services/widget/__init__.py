"""Use cases for the chat widget, for visitors and merchants."""
