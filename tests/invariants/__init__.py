"""What the program keeps true of its own members."""
