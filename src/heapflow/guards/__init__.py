"""Branch conditions as BDDs: which paths reach a block, evaluated rather than numbered."""
