"""Program -> points-to sets and call graph (Andersen), allocation sites, wrappers."""
