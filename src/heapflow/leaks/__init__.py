"""Sources, sinks, summaries and guarded reachability on the value-flow graph: leak candidates."""
