"""Use cases of the chat widget, for visitors and merchants."""
