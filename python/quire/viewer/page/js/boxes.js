// A box that the pointer draws, and what it becomes: a zoom, or a condition.

import { addCut, conditionAnd } from "./cuts.js";
import { followWhere } from "./followed.js";
import { change } from "./state.js";

const popup = document.getElementById("popup");
let current = null;

/**
 * Offer what can be done with ranges of quantities: `[[name, low, high], ...]`; at a place of the page. `file` is the
 * one whose particles they have.
 */
export function offer(ranges, place, forget, file) {
  dismiss();
  current = { ranges, forget, file };
  popup.hidden = false;
  const around = popup.parentElement.getBoundingClientRect();
  popup.style.left = `${Math.max(8, Math.min(place.x - around.x, around.width - popup.offsetWidth - 8))}px`;
  popup.style.top = `${Math.max(8, Math.min(place.y - around.y + 8, around.height - popup.offsetHeight - 8))}px`;
}

/** Forget the box. */
export function dismiss() {
  current?.forget();
  current = null;
  popup.hidden = true;
}

document.getElementById("box-zoom").addEventListener("click", () => {
  const { ranges } = current;
  dismiss();
  change({ zoom: ranges.map(([, low, high]) => [low, high]) });
});

document.getElementById("box-cut").addEventListener("click", () => {
  const where = conditionOf(current.ranges);
  dismiss();
  addCut(where);
});

document.getElementById("box-follow").addEventListener("click", () => {
  const { ranges, file } = current;
  dismiss();
  followWhere(conditionAnd(conditionOf(ranges)), file);
});

/** Return the condition that values are in ranges. */
function conditionOf(ranges) {
  return ranges.map(([name, low, high]) => {
    const term = /^[A-Za-z_]\w*$/.test(name) ? name : `(${name})`;
    const [first, last] = rounded(low, high);
    return `${term} >= ${first} and ${term} <= ${last}`;
  }).join(" and ");
}

/** Return limits with the digits that their distance needs. */
function rounded(low, high) {
  const step = 10 ** (Math.floor(Math.log10(high - low)) - 2);
  return [low, high].map((value) => {
    const size = Math.abs(value) || step;
    const digits = Math.max(1, Math.min(15, Math.ceil(Math.log10(size / step) + 1)));
    return String(Number(value.toPrecision(digits)));
  });
}

/** Let the pointer draw boxes in the areas of a density. `areas` returns them. */
export function drawBoxes(parent, areas, names) {
  let start = null;
  const box = document.createElement("div");
  box.className = "box";
  const inside = (event) => {
    const around = parent.getBoundingClientRect();
    return { x: event.clientX - around.x, y: event.clientY - around.y };
  };
  const clamped = (point, area) => ({
    x: Math.max(area.x, Math.min(area.x + area.width, point.x)),
    y: Math.max(area.y, Math.min(area.y + area.height, point.y)),
  });
  const areaAt = (point) => areas().find((one) =>
    point.x >= one.x && point.x <= one.x + one.width && point.y >= one.y && point.y <= one.y + one.height);
  parent.addEventListener("pointerdown", (event) => {
    const point = inside(event);
    const area = areaAt(point);
    dismiss();
    if (!area || event.button !== 0) return;
    start = { point, area };
    parent.setPointerCapture(event.pointerId);
  });
  parent.addEventListener("pointermove", (event) => {
    if (!start) return;
    const end = clamped(inside(event), start.area);
    Object.assign(box.style, {
      left: `${Math.min(start.point.x, end.x)}px`, top: `${Math.min(start.point.y, end.y)}px`,
      width: `${Math.abs(end.x - start.point.x)}px`, height: `${Math.abs(end.y - start.point.y)}px`,
    });
    if (!box.parentElement) parent.append(box);
  });
  parent.addEventListener("pointerup", (event) => {
    if (!start) return;
    const { point, area } = start;
    start = null;
    const end = clamped(inside(event), area);
    if (Math.abs(end.x - point.x) < 4 || Math.abs(end.y - point.y) < 4) {
      box.remove();
      return;
    }
    const sorted = (a, b) => (a < b ? [a, b] : [b, a]);
    const [x, y] = names();
    const ranges = [[x, ...sorted(area.toX(point.x), area.toX(end.x))], [y, ...sorted(area.toY(point.y), area.toY(end.y))]];
    offer(ranges, { x: event.clientX, y: event.clientY }, () => box.remove(), area.group[0]?.file);
  });
  return areaAt;
}
