// Lines of equal density that contain shares of the rows.

export const SHARES = [0.5, 0.9, 0.99];
// Smoothing by this share of the width that is best for a normal distribution keeps the shape of others.
const SHARE_OF_WIDTH = 0.5;
const LEAST_WIDTH = 1.2; // of the smoothing, in bins

/** Return the rms width of counts along an axis in bins. `place` returns the bin on it. */
function widthOf(counts, place) {
  let [sum, first, second] = [0, 0, 0];
  counts.forEach((count, index) => {
    const at = place(index);
    sum += count;
    first += count * at;
    second += count * at * at;
  });
  return sum > 0 ? Math.sqrt(Math.max(0, second / sum - (first / sum) ** 2)) : 0;
}

/** Return a Gaussian in steps of bins, with the sum 1. */
function kernelOf(width) {
  const reach = Math.ceil(3 * width);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, place) => Math.exp(-0.5 * ((place - reach) / width) ** 2));
  const whole = weights.reduce((sum, one) => sum + one, 0);
  return weights.map((one) => one / whole);
}

/** Return lines of numbers, of which those `stride` apart follow each other, after smoothing; their ends stay 0. */
function smoothedAlong(values, width, { length, stride, lines, step }) {
  const kernel = kernelOf(width);
  const reach = (kernel.length - 1) / 2;
  const made = new Float64Array(values.length);
  for (let line = 0; line < lines; line += 1) {
    for (let at = 1; at < length - 1; at += 1) {
      let sum = 0;
      const [first, last] = [Math.max(1, at - reach), Math.min(length - 2, at + reach)];
      for (let other = first; other <= last; other += 1) sum += kernel[other - at + reach] * values[line * step + other * stride];
      made[line * step + at * stride] = sum;
    }
  }
  return made;
}

/** Return smoothed counts with an empty bin around them: lines of `up + 2` numbers. */
function smoothed(counts, across, up, rows) {
  const [wide, high] = [across + 2, up + 2];
  const found = new Float64Array(wide * high);
  for (let i = 0; i < across; i += 1) for (let j = 0; j < up; j += 1) found[(i + 1) * high + j + 1] = counts[i * up + j];
  const width = (place) => Math.max(LEAST_WIDTH, SHARE_OF_WIDTH * widthOf(counts, place) * Math.max(rows, 1) ** (-1 / 6));
  const once = smoothedAlong(found, width((index) => index % up), { length: high, stride: 1, lines: wide, step: high });
  const values = smoothedAlong(once, width((index) => Math.floor(index / up)), { length: wide, stride: high, lines: high, step: 1 });
  return { values, wide, high };
}

/** Return the densities above which shares of the rows are. */
function levelsOf(values) {
  const sorted = Float64Array.from(values).sort().reverse();
  const whole = sorted.reduce((sum, one) => sum + one, 0);
  let [sum, place] = [0, 0];
  return SHARES.map((share) => {
    while (place < sorted.length - 1 && sum + sorted[place] < share * whole) sum += sorted[place++];
    return sorted[place];
  });
}

/** Return the lines around shares of some rows: for each share pieces `[x0, y0, x1, y1]`, in bins. */
export function contours(counts, across, up, rows) {
  const { values, wide, high } = smoothed(counts, across, up, rows);
  return levelsOf(values).map((level) => (level > 0 ? piecesAt(values, wide, high, level) : []));
}

function piecesAt(values, wide, high, level) {
  const pieces = [];
  for (let i = 0; i < wide - 1; i += 1) {
    for (let j = 0; j < high - 1; j += 1) {
      const corners = [[i, j], [i + 1, j], [i + 1, j + 1], [i, j + 1]].map(([a, b]) => [a, b, values[a * high + b]]);
      const crossed = corners.flatMap((one, place) => crossing(one, corners[(place + 1) % 4], level));
      // The middle of a bin is half a bin after its edge, and the first one is the empty one around all.
      const points = crossed.map(([x, y]) => [x - 0.5, y - 0.5]);
      if (points.length === 2) pieces.push(points.flat());
      else if (points.length === 4) {
        const isHigh = corners.reduce((sum, [, , value]) => sum + value, 0) / 4 >= level;
        const isFirst = corners[0][2] >= level;
        const [a, b, c, d] = points;
        pieces.push(...(isHigh === isFirst ? [[...a, ...b], [...c, ...d]] : [[...d, ...a], [...b, ...c]]));
      }
    }
  }
  return pieces;
}

function crossing([x0, y0, first], [x1, y1, last], level) {
  if ((first >= level) === (last >= level)) return [];
  const share = (level - first) / (last - first);
  return [[x0 + share * (x1 - x0), y0 + share * (y1 - y0)]];
}
