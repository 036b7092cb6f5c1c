"""C in, program tables out: build capture, compilation, bitcode reading, linking."""
