"""Particles of a beam in one form, and the quantities that are computed from them."""
