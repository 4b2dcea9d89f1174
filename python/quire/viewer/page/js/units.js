// Numbers with units: SI prefixes on axes and in tables.

import { marked } from "./marks.js";

const PREFIXES = { "-15": "f", "-12": "p", "-9": "n", "-6": "µ", "-3": "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T" };
const PREFIXED = new Set(["m", "s", "eV", "C", "A", "V", "W", "J", "T", "Hz", "N", "Pa", "rad", "m rad"]);

const POWERS = new Map([["u", -6], ...Object.entries(PREFIXES).map(([power, prefix]) => [prefix, Number(power)])]);

/** Return the unit before a slash without its prefix, and the power of the prefix. Tm and Gs are no metres and seconds. */
function withoutPrefix(head) {
  const [prefix, unit] = [head.slice(0, 1), head.slice(1)];
  const power = POWERS.get(prefix);
  const isPrefixed = !PREFIXED.has(head) && PREFIXED.has(unit) && power !== undefined && (power < 6 || !["m", "s"].includes(unit));
  return isPrefixed ? [unit, power] : [head, 0];
}

/** Return the factor and the unit with which the largest value has one to three digits before the point. */
export function scaleFor(unit, largest) {
  const [written] = unit.split("/");
  const [head, own] = withoutPrefix(written);
  if (!(largest > 0) || !Number.isFinite(largest)) return { factor: 1, unit: marked(unit) };
  const power = 3 * Math.floor(Math.log10(largest) / 3 + 1e-9);
  if (!PREFIXED.has(head)) {
    if (largest >= 1e-2 && largest < 1e4) return { factor: 1, unit: marked(unit) };
    return { factor: 10 ** -power, unit: `10${marked(`$a${power}$n`)} ${marked(unit)}`.trim() };
  }
  const held = Math.max(-15, Math.min(12, power + own));
  const rest = unit.slice(written.length);
  return { factor: 10 ** (own - held), unit: marked(PREFIXES[held] + head.replace("m rad", "m·rad") + rest) };
}

/**
 * Return the scale of an axis: it shows (value - offset) * factor in a unit. Limits that are close to each other
 * have an offset, which `origin` has as text; other axes have none.
 */
export function axisScale(low, high, unit) {
  const [largest, span] = [Math.max(Math.abs(low), Math.abs(high)), high - low];
  if (!(span > 0) || largest < 1e4 * span) return placed(scaleFor(unit, largest), 0, "");
  const step = 10 ** Math.ceil(Math.log10(span));
  const offset = Number((Math.round((low + high) / 2 / step) * step).toPrecision(15));
  const origin = `${offset < 0 ? "+" : "−"} ${Math.abs(offset)} ${unit === "1" ? "" : marked(unit)}`.trim();
  return placed(scaleFor(unit, Math.max(Math.abs(low - offset), Math.abs(high - offset))), offset, origin);
}

function placed({ factor, unit }, offset, origin) {
  return { factor, unit, offset, origin, shown: (value) => (value - offset) * factor, value: (shown) => shown / factor + offset };
}

/** Return a value between two limits with its unit as one text, with the digits that their distance needs. */
export function writtenWithin(value, unit, low, high) {
  const share = Math.max(Math.abs(low), Math.abs(high)) / (high - low);
  return written(value, unit, Math.min(15, 4 + Math.max(1, Math.ceil(Math.log10(share > 0 && share < Infinity ? share : 1)))));
}

/** Return the label of an axis: name, or symbol, and unit. */
export function labelOf(quantity, unit, origin = "") {
  const name = `${quantity.symbol ? marked(quantity.symbol) : quantity.name} ${quantity.name ? origin : ""}`.trim();
  return unit && unit !== "1" ? `${name}  [${unit}]` : name;
}

/** Return a number with up to so many digits. */
export function digits(value, count = 5) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(count - 1).replace(/\.?0+e/, "e").replace("e+", "e");
  return String(Number(value.toPrecision(count)));
}

/** Return a number and its unit with a prefix, as two texts. */
function withUnit(value, unit, count = 5) {
  if (value === null || Number.isNaN(value)) return ["–", ""];
  const { factor, unit: shown } = scaleFor(unit, Math.abs(value));
  const isPower = shown.startsWith("10");
  return isPower ? [digits(value, count), marked(unit)] : [digits(value * factor, count), shown === "1" ? "" : shown];
}

/** Return a number with its unit as one text. */
export function written(value, unit, count = 5) {
  return withUnit(value, unit, count).join(" ").trim();
}

/** Return a value and its error with the same prefix of the unit, the error with two digits. */
export function withError(value, error, unit) {
  const { factor, unit: shown } = scaleFor(unit, Math.max(Math.abs(value), error));
  const [scaled, spread] = [value * factor, error * factor];
  if (!(spread > 0) || !Number.isFinite(spread)) return `${written(value, unit)} ± ?`;
  const decimals = Math.max(0, Math.min(12, 1 - Math.floor(Math.log10(spread))));
  const isPower = shown.startsWith("10");
  return `${scaled.toFixed(decimals)} ± ${spread.toFixed(decimals)} ${isPower ? `· ${shown}` : shown === "1" ? "" : shown}`.trim();
}

/** Return a number with up to so many digits, with fewer if its text has more letters than there is room for. */
function fitted(value, count, room) {
  const text = digits(value, count);
  return text.length > room && count > 1 ? fitted(value, count - 1, room) : text;
}

/** Return numbers of one quantity with the same prefix, and their unit. Each has room for so many letters. */
export function withOneUnit(values, unit, count, room) {
  const known = values.filter((one) => one !== null && Number.isFinite(one));
  const { factor, unit: shown } = scaleFor(unit, Math.max(0, ...known.map(Math.abs)));
  // Counts and single numbers are read more easily without a power of ten before the unit.
  const isBare = (values.length === 1 || known.every(Number.isInteger)) && shown.startsWith("10");
  return [values.map((one) => (one !== null && Number.isFinite(one) ? fitted(isBare ? one : one * factor, count, room) : "–")),
    isBare ? marked(unit) : shown === "1" ? "" : shown];
}

/** Return a count with thin spaces between thousands. */
export function grouped(count) {
  return String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, "\u2009");
}
