"""What stage 1 takes for granted, by name: a table, and which of it is in force."""
