// Planes of fields as images: each pixel has the colour of its cell.

import { palette } from "./palettes.js";

/** Return the limits of finite values, and the place of a value between them. */
export function scaleOf(values) {
  let [least, most] = [Infinity, -Infinity];
  for (const one of values) {
    if (!Number.isFinite(one)) continue;
    if (one < least) least = one;
    if (one > most) most = one;
  }
  if (!(least <= most)) [least, most] = [0, 0];
  return { least, most, of: (value) => (most > least ? Math.max(0, Math.min(1, (value - least) / (most - least))) : 0.5) };
}

/** Return the cell between edges, which increase or decrease, that has a place. */
export function cellOf(edges, place) {
  const isUp = edges[0] <= edges.at(-1);
  let [low, high] = [0, edges.length - 2];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (isUp ? edges[middle] <= place : edges[middle] >= place) low = middle; else high = middle - 1;
  }
  return low;
}

/** Return the image of values whose lines have a length. Its pixels are of the cells in `columns` and `rows`. */
export function imageOfCells(values, length, columns, rows, scale, name) {
  const colours = palette(name);
  const image = new ImageData(columns.length, rows.length);
  rows.forEach((row, j) => columns.forEach((column, i) => {
    const value = values[row * length + column];
    if (!Number.isFinite(value)) return;
    image.data.set([...colours[Math.round(scale.of(value) * 255)], 255], (j * columns.length + i) * 4);
  }));
  return image;
}
