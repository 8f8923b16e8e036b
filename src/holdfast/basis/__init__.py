"""Kernel columns that look like rows, and the choice of the rows that make them."""
