"""What people teach: corrections that they accept, and the labelled examples that they give."""
