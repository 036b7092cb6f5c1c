"""Who owns what at the borders of the code that is given."""
