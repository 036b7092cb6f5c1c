"""What the program keeps true of its own fields, globals and parameters."""
