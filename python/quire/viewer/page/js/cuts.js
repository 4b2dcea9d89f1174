// The cuts: conditions of rows, typed or drawn. Those that are switched on apply together; one is in the text box.

import { change, state } from "./state.js";

const element = (name) => document.getElementById(name);
/** The place of the cut in the text box, that after the last one for a new cut; null: the last one. */
let chosen = null;
/** The place and the error of a cut that is wrong. */
let wrong = null;

/** Return the conditions that apply, as one. */
function combined(list) {
  const conditions = list.filter((one) => !one.isOff).map((one) => one.where);
  return conditions.length < 2 ? conditions[0] ?? "" : conditions.map((one) => `(${one})`).join(" and ");
}

/** Return all cuts. A condition that is not theirs, such as that of a link, is the only one. */
export function cuts() {
  const list = Array.isArray(state.cuts) ? state.cuts.filter((one) => typeof one?.where === "string" && one.where) : [];
  if (combined(list) === state.where) return list;
  return state.where ? [{ where: state.where }] : [];
}

/** Return the conditions that apply. */
export function conditions() {
  return cuts().filter((one) => !one.isOff).map((one) => one.where);
}

function place() {
  const { length } = cuts();
  return chosen === null ? Math.max(length - 1, 0) : Math.min(chosen, length);
}

/** Return what changes for a list of cuts. One without a name needs no list. */
function parts(list) {
  const isPlain = list.length < 2 && !list[0]?.name && !list[0]?.isOff;
  return { cuts: isPlain ? null : list, where: combined(list), row: 0 };
}

function replaced(at, ...made) {
  return cuts().toSpliced(at, 1, ...made);
}

/** Return the condition with a text instead of the cut in the text box. */
export function conditionWith(text) {
  const isNew = text && text !== cuts()[place()]?.where;
  return combined(isNew ? replaced(place(), { where: text }) : cuts());
}

/** Return the condition with one more cut. */
export function conditionAnd(where) {
  return combined([...cuts(), { where }]);
}

/** Add a cut. */
export function addCut(where) {
  chosen = null;
  change(parts([...cuts(), { where }]));
}

/** Apply the text box: to its cut, or as a new one. */
function apply() {
  const where = element("where").value.trim();
  const at = place();
  if (where) chosen = at;
  change(parts(where ? replaced(at, { ...cuts()[at], where, isOff: undefined }) : replaced(at)));
  showCuts();
}

/** Return whether something is written in the text box that is not applied. */
function isTyped() {
  return element("where").value.trim() !== (cuts()[place()]?.where ?? "").trim();
}

/** Apply what is written in the text box, if it is not. */
export function applyTyped() {
  if (isTyped()) apply();
}

function showTyped() {
  element("where-typed").hidden = !isTyped();
}

/** Write another cut. */
export function newCut() {
  chosen = cuts().length;
  showCuts();
  element("where").focus();
}

/** Return what changes if there is no cut any more. */
export function withoutCuts() {
  chosen = null;
  element("where").value = "";
  return parts([]);
}

/** Connect the controls. */
export function connectCuts() {
  element("cut-apply").addEventListener("click", apply);
  element("cut-new").addEventListener("click", newCut);
  element("cut-clear").addEventListener("click", () => {
    change(withoutCuts());
    showCuts();
  });
  element("where").addEventListener("input", showTyped);
  element("where").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    apply();
  });
}

/**
 * Show at its cut what is wrong with it, or with null that none is wrong. Returns the beginning of a sentence that
 * names the cut, if there are several.
 */
export function markWrong(problem) {
  const places = cuts().flatMap((one, number) => (one.isOff ? [] : [number]));
  const isOnly = places.length === 1 && problem?.message.includes(state.where);
  const number = places[problem?.cut ?? (isOnly ? 0 : null)];
  wrong = number === undefined ? null : { number, message: problem.message };
  showCuts();
  element("where").classList.toggle("wrong", number !== undefined && number === place());
  if (number === undefined || cuts().length < 2) return "";
  return `Cut ${cuts()[number].name ?? number + 1}: `;
}

/** Show the list, and the cut in the text box unless something else is written there. */
export function showCuts() {
  showList();
  showTyped();
}

function showList() {
  const [list, at] = [cuts(), place()];
  const text = list[at]?.where ?? "";
  const [box, rows] = [element("where"), element("cuts")];
  const shown = keyOf(list, at);
  if (rows.dataset.shown === shown) return;
  if (box.dataset.shown !== `${at} ${text}`) box.value = text;
  box.dataset.shown = `${at} ${text}`;
  rows.dataset.shown = shown;
  const { row, part } = document.activeElement?.dataset ?? {};
  rows.replaceChildren(...list.map((one, number) => rowOf(one, number, number === at)));
  const same = row === undefined ? [] : rows.querySelectorAll(`[data-part=${part}]`);
  same[Math.min(Number(row), same.length - 1)]?.focus();
}

function keyOf(list, at) {
  return JSON.stringify([list, at, wrong]);
}

function rowOf(cut, number, isChosen) {
  const made = document.createElement("li");
  const control = (tag, part, properties) => {
    const one = Object.assign(document.createElement(tag), { title: cut.where, ...properties });
    Object.assign(one.dataset, { row: number, part });
    made.append(one);
    return one;
  };
  const changed = (more) => replaced(number, { ...cuts()[number], ...more });
  const words = (text) => ({ ariaLabel: `${text} ${cut.where}` });
  control("input", "tick", { type: "checkbox", checked: !cut.isOff, ...words("Apply") })
    .addEventListener("change", (event) => change(parts(changed({ isOff: event.target.checked ? undefined : true }))));
  control("input", "name", { value: cut.name ?? "", placeholder: cut.where, spellcheck: false, autocomplete: "off", ...words("Name of") })
    .addEventListener("change", (event) => {
      const list = changed({ name: event.target.value.trim() || undefined });
      element("cuts").dataset.shown = keyOf(list, place()); // the focus is about to go to the next control
      change(parts(list));
    });
  control("button", "edit", { textContent: "✎", ariaPressed: String(isChosen), ...words("Edit"), title: `Edit ${cut.where}` })
    .addEventListener("click", () => {
      chosen = number;
      showCuts();
      element("where").focus();
    });
  control("button", "remove", { textContent: "×", ...words("Remove"), title: `Remove ${cut.where}` })
    .addEventListener("click", () => {
      chosen = null;
      change(parts(replaced(number)));
    });
  made.classList.toggle("off", Boolean(cut.isOff));
  if (wrong?.number === number) made.append(...errorOf(wrong.message));
  return made;
}

/** Return what is wrong with a cut: its text, in which the place is marked, and why. */
function errorOf(message) {
  const made = (tag, className, ...content) => {
    const one = Object.assign(document.createElement(tag), { className });
    one.append(...content);
    return one;
  };
  const [reason] = message.split("\n");
  const found = /\n {4}(.*)\n {4}( *)(\^+)/.exec(message);
  if (!found) return [made("p", "warning", reason)];
  const [text, first, last] = [found[1], found[2].length, found[2].length + found[3].length];
  const code = made("code", "warning", text.slice(0, first), made("mark", "", text.slice(first, last) || " "), text.slice(last));
  return [code, made("p", "warning", reason)];
}
