"""The chat widget: its settings, its sessions, its visitors and their verification."""
