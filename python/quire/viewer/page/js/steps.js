// The bar of steps: slider, play, jumps.

import { attributes, stepped, nearest, placeOfStep, shownFiles, stepNumber } from "./files.js";
import { change } from "./state.js";
import { digits, written } from "./units.js";
import { nearestStep } from "./view_run.js";

const LEAST_PAUSE = 120;
const element = (name) => document.getElementById(name);
let isPlaying = false;
let shell = null;
let jumping = Promise.resolve("");
/** What was written for the last jump, and the step that it has reached. */
let tried = "";
let reached = { step: null, text: "" };

/** Connect the bar. `whole.refreshed()` is awaited between two steps that play. */
export function connect(whole) {
  shell = whole;
  element("slider").addEventListener("input", (event) => goTo(Number(event.target.value)));
  element("first").addEventListener("click", () => goTo(0));
  element("previous").addEventListener("click", () => move(-1));
  element("next").addEventListener("click", () => move(1));
  element("last").addEventListener("click", () => goTo(Infinity));
  element("play").addEventListener("click", () => play(!isPlaying));
  connectJump();
}

/** Jump to what is written by the key Enter, and when the box and that for what it is are left. */
function connectJump() {
  const [box, by] = [element("jump"), element("jump-by")];
  box.addEventListener("keydown", (event) => { if (event.key === "Enter") jump(); });
  box.addEventListener("input", () => {
    jumping = Promise.resolve("");
    box.classList.remove("wrong");
  });
  by.addEventListener("change", () => { if (isTyped()) jump(); else box.value = tried = ""; });
  for (const one of [box, by]) one.addEventListener("focusout", ({ relatedTarget }) => { if (![box, by].includes(relatedTarget) && isTyped()) jump(); });
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

/** Return, when the last jump is done, what is wrong with what is written for it; empty if nothing is. */
export function jumped() {
  return jumping;
}

function jump() {
  jumping = jumpTo(element("jump-by").value, tried = element("jump").value);
}

function isTyped() {
  const text = element("jump").value;
  return Boolean(text.trim()) && text !== tried;
}

/** Return what is wrong with a text to go to. */
async function jumpTo(by, text) {
  const box = element("jump");
  const value = Number(text.trim() || NaN);
  box.classList.toggle("wrong", !Number.isFinite(value));
  try {
    if (!Number.isFinite(value)) throw new Error(`'${text}' is not a number to go to.`);
    const found = by === "step" ? stepNear(value) : await nearestStep(by, value);
    if (!found) return "";
    reached = { step: found.step, text: String(Number(found.value.toPrecision(12))) };
    if (box.value === text) box.value = tried = reached.text;
    change({ step: found.step });
    element("jump-note").textContent = remarkOn(by, value, found);
    return "";
  } catch (problem) {
    shell.fail(problem.message);
    return problem.message;
  }
}

function stepNear(value) {
  const { numbers } = stepped();
  const step = numbers[nearest(numbers, value)];
  return { step, value: step, ends: [numbers[0], numbers.at(-1)] };
}

/** Return how the place that is reached differs from that which was asked for. */
function remarkOn(by, asked, { value, ends: [least, most] }) {
  const text = digits(value, 6);
  if (by !== "step") return asked > most ? `The greatest ${by} is ${text}.` : asked < least ? `The least ${by} is ${text}.` : "";
  return asked > most ? `The last step is ${value}.` : asked < least ? `The first step is ${value}.`
    : asked === value ? "" : `There is no step ${asked}; ${value} is the nearest.`;
}

/** Forget the step that a jump has reached, if another one is shown. */
function forgetReached() {
  if (reached.step === stepNumber()) return;
  if (element("jump").value === reached.text) element("jump").value = tried = "";
  element("jump-note").textContent = "";
}

/** Show the steps of the file with most steps. */
export function showSteps() {
  forgetReached();
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
