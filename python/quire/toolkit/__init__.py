"""Work on whole files that knows only the model: copy, compare, sum, bin, recover, draw."""
