"""Units of measurement: texts of the field as factors and dimensions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from quire.errors import ConflictError, UsageError
from quire.units import convert, is_known, parse, registry, scale, simplified

KNOWN = [
    ("", 1.0, ""),
    ("1", 1.0, ""),
    ("mm", 1e-3, "m"),
    ("um rad", 1e-6, "m"),
    ("µm", 1e-6, "m"),
    ("μm", 1e-6, "m"),
    ("$gm$rm", 1e-6, "m"),
    ("m$a2$n", 1.0, "m^2"),
    ("1/m$a2$n", 1.0, "m^-2"),
    ("cm-1", 100.0, "m^-1"),
    ("m**0.5", 1.0, "m^1/2"),
    ("m^(1/2)", 1.0, "m^1/2"),
    ("rad", 1.0, ""),
    ("deg", math.pi / 180, ""),
    ("1/(2$gp$r)", 1 / (2 * math.pi), ""),
    ("pi mm mrad", math.pi * 1e-6, "m"),
    ("%", 0.01, ""),
    ("m$be$nc", 1.0, ""),
    ("#beta#gamma", 1.0, ""),
    ("$gb$r$gg$r", 1.0, ""),
    ("beta*gamma", 1.0, ""),
    ("m_e c", 1.0, ""),
    ("mc", 1.0, ""),
    ("mC", 1e-3, "s A"),
    ("x'", 1.0, ""),
    ("eV", 1.602176634e-19, "m^2 kg s^-2"),
    ("MeV/c", 1.602176634e-13 / 299792458, "m kg s^-1"),
    ("MeV/c^2", 1.602176634e-13 / 299792458**2, "kg"),
    ("kg*m/s", 1.0, "m kg s^-1"),
    ("kg m / s", 1.0, "m kg s^-1"),
    ("kg.m.s^-1", 1.0, "m kg s^-1"),
    ("MV/m", 1e6, "m kg s^-3 A^-1"),
    ("T", 1.0, "kg s^-2 A^-1"),
    ("k$gW$r", 1e3, "m^2 kg s^-3 A^-2"),
    ("ps", 1e-12, "s"),
    ("kA", 1e3, "A"),
    ("$gW$r", 1.0, "m^2 kg s^-3 A^-2"),
    ("min", 60.0, "s"),
]


@pytest.mark.parametrize(("text", "factor", "si"), KNOWN)
def test_texts_of_the_field_have_their_factor_and_dimension(text: str, factor: float, si: str) -> None:
    unit = parse(text)
    assert (unit.si, unit.text) == (si, text)
    assert unit.factor == pytest.approx(factor, rel=4e-16)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("furlong", "'furlong' is not the name"),
        ("kGauss", "'kGauss' is not the name"),
        ("J/kg K", "two ways"),
        ("m^", "exponent"),
        ("m^a2$n", "exponent"),
        ("(m", "bracket"),
        ("m)", "not expected"),
        ("m^100", "too large"),
        ("1e200 * 1e200", "range of float64"),
        ("Qm^99", "range of float64"),
        ("0", "0 is not a unit"),
        ("/s", "not complete"),
        ("m*", "missing"),
        ("m" * 300, "300 characters"),
        ("(" * 50 + "m", "not complete"),
        ("m € s", "not understood"),
    ],
)
def test_other_texts_are_errors_with_the_reason(text: str, reason: str) -> None:
    assert not is_known(text)
    with pytest.raises(UsageError, match=reason.replace("(", "\\(")):
        parse(text)


def test_different_dimensions_are_not_converted() -> None:
    with pytest.raises(
        ConflictError, match='"mm" cannot be converted to "s": the first is in m, the second in s'
    ):
        convert(1.0, "mm", "s")
    with pytest.raises(ConflictError, match="a pure number"):
        convert(1.0, "m$be$nc", "MeV/c")


def test_conversions_round_once() -> None:
    values = np.random.default_rng(1).normal(size=1000)
    assert np.array_equal(convert(values, "mm", "m"), values / 1000)
    assert np.array_equal(convert(values, "m", "mm"), values * 1000)
    assert convert(values, "mm", "1e-3 m") is values
    assert convert(90.0, "deg", "rad") == math.pi / 2


NORMAL = st.floats(-1e100, 1e100).filter(lambda value: value == 0 or abs(value) > 1e-100)


@given(NORMAL, st.sampled_from(["mm", "um", "nm", "MeV", "MeV/c", "deg", "nC", "ps"]))
def test_a_conversion_and_its_inverse_return_the_value_within_2_ulp(value: float, unit: str) -> None:
    si = parse(unit).si
    back = convert(convert(value, unit, si), si, unit)
    assert abs(back - value) <= 2 * np.spacing(abs(value))


def test_every_name_of_the_registry_is_a_unit() -> None:
    known = registry()
    for name in [*known.plain, *known.prefixed, *known.phrases]:
        assert is_known(name), name
    for prefix in known.prefixes:
        for name in known.prefixed:
            assert is_known(prefix + name), prefix + name


def test_prefixes_do_not_hide_names() -> None:
    assert scale("min", "s").factor == 60
    assert scale("cd", "cd").factor == 1
    assert scale("Pa", "kg/(m s^2)").factor == 1


@given(st.text(alphabet="m$abngr^*/()1 2e-+.kgsVeµπ'#", max_size=12))
def test_no_text_raises_anything_but_usage_errors(text: str) -> None:
    if is_known(text):
        assert math.isfinite(parse(text).factor)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1/(m^2)", "1/m^2"),
        ("mm (1/mm)", ""),
        ("(1/(m^2)) (m^2)", ""),
        ("furlong (1/furlong)", ""),
        ("1/(1/s)", "s"),
        ("1/(m^-2)", "m^2"),
        ("(m^2)/m", "m"),
        ("(1/m)/m", "1/m^2"),
        ("T (1/s)", "T/s"),
        ("(mm^2)/(1/m)^2", "mm^2 m^2"),
        ("(kg/(m s)) (s)", "kg/m"),
        ("(m$be$nc)^2/m$be$nc", "m$be$nc"),
        ("(MeV/c) m", "MeV m/c"),
    ],
)
def test_products_have_each_unit_once(text: str, expected: str) -> None:
    assert simplified(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "T m",
        "1/(m rad)",
        "mm/m",
        "J/kg K",
        "(J/kg K) K",
        "(cm-1) m",
        "1/(2$gp$r)",
        "(m^2)^(1/2)",
        "(m c)/m",
        "(",
        "()",
        "1/m$be$nc",
        "m m$be$nc",
        "(m)(m)",
        "(m",
    ],
)
def test_products_that_are_not_shorter_or_not_clear_stay(text: str) -> None:
    assert simplified(text) == text


NAMES = st.sampled_from(["m", "mm", "s", "T", "MeV", "rad"])


@given(
    st.recursive(
        NAMES,
        lambda some: st.tuples(some, st.sampled_from([" ", "/"]), some).map(
            lambda one: f"({one[0]}){one[1]}({one[2]})"
        ),
        max_leaves=6,
    )
)
def test_simplified_products_are_the_same_unit(text: str) -> None:
    found = simplified(text)
    assert parse(found).dimension == parse(text).dimension
    assert parse(found).factor == pytest.approx(parse(text).factor, rel=1e-14)
    assert simplified(found) == found
