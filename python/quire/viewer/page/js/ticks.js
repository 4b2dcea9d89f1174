// Places of ticks on axes.

/** Return the decimals with which multiples of a step are written without rounding, for a step of a few digits. */
export function decimalsOf(step) {
  for (let decimals = 0; decimals < 15; decimals += 1) {
    const digits = step * 10 ** decimals;
    if (digits > 0.5 && Math.abs(digits - Math.round(digits)) < 1e-3 * digits) return decimals;
  }
  return 15;
}

/** Return round numbers between two limits, about so many of them, and how they are written. */
export function ticks(low, high, wanted) {
  const span = high - low;
  if (!(span > 0)) return { values: [low], text: String };
  const rough = span / Math.max(wanted, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * power).find((one) => one >= rough * 0.999) ?? 10 * power;
  const values = [];
  for (let place = Math.ceil(low / step - 1e-9); place * step <= high + step * 1e-9; place += 1) values.push(place * step);
  const decimals = decimalsOf(step);
  const largest = Math.max(Math.abs(low), Math.abs(high));
  const text = (value) => {
    if (Math.abs(value) < step * 1e-6) return "0";
    return largest >= 1e6 || decimals > 5 ? Number(value.toPrecision(6)).toExponential() : value.toFixed(decimals);
  };
  return { values, text };
}

/** Return powers of ten between two positive limits. */
export function powers(low, high) {
  const values = [];
  for (let power = Math.ceil(Math.log10(low) - 1e-9); 10 ** power <= high * 1.000001; power += 1) values.push(10 ** power);
  return values;
}
