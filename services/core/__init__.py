"""What every use case builds on."""
