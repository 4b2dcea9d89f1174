"""Verbs: what the toolkit does with the steps of a file, each from any format to any other.

with quire.chain("beam.h5") as chain:
    chain.filter("x > 0").sort("z").stats("mean(x)").write("means.h5")
"""
