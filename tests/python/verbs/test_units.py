"""Units of computed columns are simplified in the same way as those of expressions."""

from __future__ import annotations

import quire


def test_units_of_products_and_quotients_are_those_of_expressions() -> None:
    chain = quire.new("t[m]=0,1,2,4", "y[m]=1,2,-4,8", "n=1,2,3,4")
    product, quotient = (chain.define(f"r={text}").select("r") for text in ("y*t", "y/t"))
    wanted = [next(iter(one)).table["r"].unit for one in (product, quotient)]
    assert wanted == ["m^2", ""]
    found = {
        "y_integral": chain.integ("y", versus="t"),
        "y_derivative": chain.deriv("y", versus="t"),
        "y_slope": chain.zeros("y", versus="t"),
        "a": chain.stats("a=integral(y, versus=t)"),
        "b": chain.stats("b=slope(y, versus=t)"),
        "n_integral": chain.integ("n", versus="t"),
        "n_derivative": chain.deriv("n", versus="t"),
    }
    units = {name: next(iter(one)).table[name].unit for name, one in found.items()}
    assert units == {
        "y_integral": "m^2",
        "y_derivative": "",
        "y_slope": "",
        "a": "m^2",
        "b": "",
        "n_integral": "m",
        "n_derivative": "1/m",
    }
    even = quire.new("t[m]=0,1,2,3", "y[m]=1,2,-4,8").fft("y", versus="t", results="power,density")
    table = next(iter(even)).table
    assert [table[name].unit for name in table] == ["1/m", "m^2", "m^3"]
    joint = quire.new("t[m]=0,1,2,3", "y[m]=1,2,-4,8").hist("t", "y", bins=2, joint=True, norm="area")
    assert next(iter(joint)).table["frequency"].unit == "1/m^2"


def test_units_of_files_stay_as_written() -> None:
    chain = quire.new("x[1/(m^2)]=1,2", "y[m^2]=1,2").define("same=x", "product=x*y", "more=product+1")
    table = next(iter(chain)).table
    assert [table[name].unit for name in ("same", "product", "more")] == ["1/(m^2)", "", ""]
