// The bar of steps: slider, play, jumps.

import { attributes, stepped, nearest, placeOfStep, shownFiles } from "./files.js";
import { change } from "./state.js";
import { written } from "./units.js";
import { nearestStep } from "./view_run.js";

const LEAST_PAUSE = 120;
const element = (name) => document.getElementById(name);
let isPlaying = false;
let shell = null;

/** Connect the bar. `whole.refreshed()` is awaited between two steps that play. */
export function connect(whole) {
  shell = whole;
  element("slider").addEventListener("input", (event) => goTo(Number(event.target.value)));
  element("first").addEventListener("click", () => goTo(0));
  element("previous").addEventListener("click", () => move(-1));
  element("next").addEventListener("click", () => move(1));
  element("last").addEventListener("click", () => goTo(Infinity));
  element("play").addEventListener("click", () => play(!isPlaying));
  element("jump").addEventListener("keydown", (event) => { if (event.key === "Enter") jump(); });
}

/** Go to a step by its place in the file with most steps. */
export function goTo(place) {
  const first = stepped();
  if (first) change({ step: first.numbers[Math.max(0, Math.min(first.numbers.length - 1, place))] });
}

/** Go some steps on or back. */
export function move(count) {
  goTo(placeOfStep() + count);
}

/** Begin or end to play through the steps. */
export async function play(wanted) {
  if (wanted === isPlaying) return;
  isPlaying = wanted;
  element("play").textContent = wanted ? "\u275a\u275a" : "\u25b6";
  element("play").setAttribute("aria-label", wanted ? "Pause" : "Play");
  if (!wanted) return;
  const count = stepped()?.numbers.length ?? 0;
  if (placeOfStep() === count - 1) goTo(0);
  while (isPlaying && placeOfStep() < count - 1) {
    await Promise.all([shell.refreshed(), new Promise((done) => setTimeout(done, LEAST_PAUSE))]);
    if (isPlaying) move(1);
  }
  play(false);
}

/** Return whether the steps play. */
export function plays() {
  return isPlaying;
}

async function jump() {
  const box = element("jump");
  const by = element("jump-by").value;
  const value = Number(box.value.trim() || NaN);
  box.classList.toggle("wrong", !Number.isFinite(value));
  if (!Number.isFinite(value)) {
    shell.fail(`'${box.value}' is not a number to go to.`);
    return;
  }
  try {
    const step = by === "step" ? stepped().numbers[nearest(stepped().numbers, value)] : await nearestStep(by, value);
    if (step !== null) change({ step });
  } catch (problem) {
    shell.fail(problem.message);
  }
}

/** Show the steps of the file with most steps. */
export function showSteps() {
  const first = stepped();
  const count = first?.numbers.length ?? 0;
  const slider = element("slider");
  slider.max = String(Math.max(count - 1, 0));
  slider.value = String(placeOfStep());
  slider.disabled = count < 2;
  for (const name of ["first", "previous", "next", "last", "play", "jump"]) element(name).disabled = count < 2;
  const by = element("jump-by");
  const names = ["step", ...attributes(stepped()).map((one) => one.name)];
  if ([...by.options].map((one) => one.value).join() !== names.join()) {
    by.replaceChildren(...names.map((name) => new Option(name, name)));
  }
  if (!count) element("place").textContent = "no steps";
}

/** Show the number of the step, and where it is. */
export function showPlace(step) {
  const first = stepped();
  if (!first) return;
  const number = first.numbers[placeOfStep()];
  const where = ["s", "spos", "SPOS", "time", "TIME", "t"].map((name) => step?.attributes.find((one) => one.name === name && one.isNumber)).find(Boolean);
  const text = where ? `,  ${where.name} = ${written(Number(where.value), where.unit)}` : "";
  element("place").textContent = `step ${number}  (${placeOfStep() + 1} of ${first.numbers.length})${text}`;
  element("slider").setAttribute("aria-valuetext", `step ${number}`);
  const others = shownFiles().filter((one) => !one.numbers.includes(number));
  element("place").title = others.length ? `nearest steps of ${others.map((one) => one.label).join(", ")}` : "";
}
