"""The numbers of the toolkit: pure functions on NumPy arrays, one module a subject.

They know arrays and errors, and neither files nor tables. SciPy, where it is needed, is imported by the
function that needs it, so that an import of these modules is fast. Missing and undefined results are NaN.
"""
