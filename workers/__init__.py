"""What each worker process runs, one queue a file."""
