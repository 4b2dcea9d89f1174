// The counts of rows in bins, of all rows and on top of them of the particles that are followed.

import { compute } from "./api.js";
import { state } from "./state.js";

/**
 * Compute a distribution, and show each of its frames. Particles that are followed have a frame of their own with
 * the same axes, which is `top` of that of all rows; unless only they are shown.
 */
export async function distribution(shell, body, show) {
  const isOnTop = state.followed && !state.onlyFollowed;
  let all = null;
  const receive = (one, use) => {
    if (one.kind === "progress") shell.progress(one.share);
    if (one.kind === "distribution") use({ ...one, weight: body.weight });
  };
  const isDone = await compute("plot", "distribution", { ...body, followed: isOnTop ? null : body.followed },
    (one) => receive(one, (frame) => show(all = frame)));
  if (!isDone || !isOnTop) return isDone;
  return compute("plot", "distribution", { ...body, bins: all.axes.map((axis) => axis.bins), limits: all.axes.map(({ low, high }) => [low, high]) },
    (one) => receive(one, (frame) => show({ ...all, top: frame })));
}

/** Return the panel and the counts of the followed particles of a file, null without any. */
export function topOf(frame, file) {
  const place = frame.top?.panels.findIndex((one) => one.file === file) ?? -1;
  return place < 0 ? null
    : { ...frame.top.panels[place], counts: frame.top.arrays[place].values, lines: linesOf(frame.top, place), fit: frame.top.fits?.[place] };
}

/** Return the lines around shares of the rows of a panel: for each share pieces `x0, y0, x1, y1`, in bins. */
export function linesOf(frame, place) {
  const { length } = frame.panels;
  const count = (frame.arrays.length - length) / length;
  return frame.arrays.slice(length + place * count, length + (place + 1) * count).map((one) => one.values);
}
