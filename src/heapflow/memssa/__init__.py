"""Full-sparse memory SSA: mod-ref, regions, may-uses and may-defs, versions."""
