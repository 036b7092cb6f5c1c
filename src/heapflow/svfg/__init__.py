"""The sparse value-flow graph: where the values of definitions go."""
