"""Properties of objects over their lives: state machines, and where a program may break them."""
