"""What fills the tables of cases, replays, corrections and ratings."""
