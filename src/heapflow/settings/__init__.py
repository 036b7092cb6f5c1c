"""What the user chose, in heapflow.toml, pyproject.toml or on the command line."""
