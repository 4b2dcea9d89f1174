// The numbers of bins that are written into their box.

import { state } from "./state.js";

const MOST = 2048;

/** Return the numbers of bins that are written, one or two; null if there are none or they are wrong. */
export function writtenBins() {
  const given = state.bins.toLowerCase().split("x").map((one) => Number(one.trim() || NaN));
  return given.length <= 2 && given.every((one) => Number.isInteger(one) && one >= 1 && one <= MOST) ? given : null;
}

/** Return what is wrong with the bins that are written, as a list of sentences. */
export function wrongBins() {
  if (!state.bins || writtenBins()) return [];
  return [`'${state.bins}' is no number of bins: write one from 1 to ${MOST}, or 40x30 for two axes. Automatic ones are drawn.`];
}
