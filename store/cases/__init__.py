"""SQL of saved cases, their runs and the gate."""
