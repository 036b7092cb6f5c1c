"""What conditions are made of: numbers of things, terms, comparisons, and the space of conditions."""
