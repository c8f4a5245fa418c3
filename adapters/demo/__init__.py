"""Stand-ins for other people's services that make run can act on."""
