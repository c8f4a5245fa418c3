"""The chat widget: its settings, its sessions, its visitors and the verification of visitors."""
