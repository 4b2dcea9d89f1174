"""Figures of reports: scenes of simple shapes, and painters that make SVG or pixels of them."""
