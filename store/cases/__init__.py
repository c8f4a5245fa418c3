"""SQL for saved cases, their runs, and the publish gate."""
