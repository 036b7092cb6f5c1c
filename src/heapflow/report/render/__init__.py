"""One file per output format; each turns a `Report` into text and computes nothing."""
