"""Types only: enums, column tables and the Program. Imports nothing else of heapflow."""
