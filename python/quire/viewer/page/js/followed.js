// The particles that are followed: those that a condition selects in a step, found by their ids in every other one.

import { convertsCut } from "./command.js";
import { conditionWith, withoutCuts } from "./cuts.js";
import { files, leader, sources } from "./files.js";
import { change, state } from "./state.js";
import { grouped } from "./units.js";

const element = (name) => document.getElementById(name);

/** Connect the controls. */
export function connectFollowed() {
  element("cut-follow").addEventListener("click", followCut);
  element("followed-end").addEventListener("click", () => change({ followed: null, onlyFollowed: false }));
}

/** Follow the rows that the cut selects in the step that is shown; without a cut, no longer follow any. */
export function followCut() {
  const where = conditionWith(element("where").value.trim());
  if (where) followWhere(where);
  else if (state.followed) change({ followed: null, onlyFollowed: false });
}

/** Follow the particles that satisfy a condition in the step of a file, by default the first. */
export function followWhere(where, file = sources()[0].file) {
  const { step } = sources().find((one) => one.file === file);
  if (convertsCut(where, [files[file]])) {
    element("alert").hidden = false;
    element("alert").textContent = `The condition is in the units of ${leader().label}: follow particles of that file.`;
    return;
  }
  change({ followed: { file, step, where }, ...withoutCuts() });
}

/** Show what is followed. */
export function showFollowed() {
  const { followed } = state;
  element("followed").hidden = !followed;
  element("cut-follow").disabled = !sources().length;
  if (!followed) return;
  element("followed-where").textContent = followed.where;
  element("followed-where").title = `${followed.where} in step ${followed.step} of ${files[followed.file]?.path ?? "a file"}`;
}

/** Show how many of the particles the steps have. `answers` are the numbers of each file. */
export function showCounts(answers) {
  if (!state.followed) return;
  const found = answers.filter((one) => one.followed).map((one) => {
    const { particles, absent } = one.followed;
    const name = answers.length > 1 ? `${files[one.file].label}: ` : "";
    return `${name}${grouped(particles - absent)} of ${grouped(particles)} in step ${one.step}`
      + `${absent ? `, ${grouped(absent)} absent` : ""}`;
  });
  element("followed-counts").textContent = `of step ${state.followed.step}. ${found.join("; ")}`;
}
