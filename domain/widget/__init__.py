"""The chat widget: its settings, sessions and visitors, and the verification of visitors."""
