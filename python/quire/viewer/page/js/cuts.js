// The cuts: conditions of rows, typed or drawn. Those that are switched on apply together; one is in the text box.

import { change, state } from "./state.js";

const element = (name) => document.getElementById(name);
/** The place of the cut in the text box, that after the last one for a new cut; null: the last one. */
let chosen = null;

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
  element("where").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    apply();
  });
}

/** Show the list, and the cut in the text box unless something else is written there. */
export function showCuts() {
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
  return JSON.stringify([list, at]);
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
  return made;
}
