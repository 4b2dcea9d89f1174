// The page: what changes is shown.

import { ask, busy, stop } from "./api.js";
import * as beam from "./beam.js";
import { wrongBins } from "./bins.js";
import { dismiss } from "./boxes.js";
import { convertsCut, line } from "./command.js";
import * as controls from "./controls.js";
import { applyTyped, markWrong, newCut } from "./cuts.js";
import { files, setFiles, shownFiles, view as nameOfView } from "./files.js";
import { connectFollowed, followCut } from "./followed.js";
import { connectKeys } from "./keys.js";
import { change, fromHash, onChange, state } from "./state.js";
import * as steps from "./steps.js";
import { connectTakeAway, offerFormats, showTakeAway } from "./take_away.js";
import * as curves from "./view_curves.js";
import * as density from "./view_density.js";
import * as fields from "./view_fields.js";
import * as histogram from "./view_histogram.js";
import * as rows from "./view_rows.js";
import * as run from "./view_run.js";
import * as space from "./view_space.js";
import { watch } from "./watch.js";

const VIEWS = { density, histogram, curves, run, fields, rows, space };
const OF_LOOK = new Set(["scale", "palette", "ellipse", "overlay", "logy", "share", "points", "cumulative", "turn", "cuts"]);
const OLD = "The picture is the one before the error; the numbers beside it are of what is chosen. Saving, link and command are off until this is mended.";
const element = (name) => document.getElementById(name);
const plot = element("plot");
let current = Promise.resolve();
/** Why the picture is not what is asked for; empty if it is. */
let refusal = "";
/** The last picture of what was asked for: its view, how this gets its numbers back, and the note below. */
let drawn = null;
let quantityNames = [];

/** What views use of the page. */
const shell = {
  size: () => ({ width: plot.clientWidth, height: plot.clientHeight }),
  show(content) {
    if (plot.firstChild !== content) plot.replaceChildren(content);
    plot.classList.remove("stale");
  },
  read(text) { element("read").textContent = text; },
  note(text) { element("note").textContent = text; },
  progress(share) {
    element("progress").hidden = false;
    element("progress").value = share;
  },
  fail(text) {
    element("alert").hidden = !text;
    element("alert").textContent = text;
  },
  stepIs(step) { steps.showPlace(step); },
  refreshed: () => current,
};

function view() {
  return VIEWS[nameOfView()] ?? density;
}

async function refreshPlot() {
  const [asked, reason] = [view(), view().reason()];
  if (reason) {
    stop("plot");
    plot.replaceChildren();
    shell.note("");
    refuse(reason);
    return;
  }
  try {
    const isDone = await asked.refresh(shell);
    if (!isDone) return;
    drawn = { view: asked, restore: asked.kept?.(), note: element("note").textContent };
    refusal = "";
    shell.fail((asked.failed?.() ?? []).join("\n"));
  } catch (problem) {
    refuse(`${markWrong(problem)}${problem.message}`);
    drawOld();
    element("progress").hidden = true;
    return;
  }
  markWrong(null);
  element("progress").hidden = true;
  showCommand();
}

/** Say why the picture is not what is asked for: it has no command then, and is not saved. */
function refuse(reason) {
  refusal = reason;
  shell.fail(reason);
  showCommand();
}

function showCommand() {
  const isDrawn = !refusal;
  showTakeAway(!isDrawn);
  const parts = { bins: view().bins?.() ?? [], quantities: run.quantities(), slices: fields.slices(), overlay: fields.overlay(),
    rangesOf: density.rangesOf, shares: density.SHARES, cutOf: density.cutOf };
  const written = isDrawn ? line(parts) : "";
  element("line").textContent = written;
  element("command").hidden = !written;
  element("bins").classList.toggle("wrong", wrongBins().length > 0);
  const isCutOfEach = isDrawn && ["histogram", "curves", "run"].includes(nameOfView()) && convertsCut();
  const isOld = !isDrawn && !view().reason() && plot.firstChild;
  const unsaid = [isOld && OLD, isDrawn && view().unsaid?.(), isCutOfEach && "The cut is in the units of the first file; the command applies it in those of each file."];
  element("unsaid").textContent = unsaid.filter(Boolean).join(" ");
  element("unsaid").hidden = !unsaid.some(Boolean);
}

/** Show everything again. */
function refresh(isNumbersToo) {
  const finish = busy();
  dismiss();
  shell.read("");
  controls.showFiles();
  controls.showControls(quantityNames);
  steps.showSteps();
  const numbers = isNumbersToo ? beam.refresh(shell) : Promise.resolve();
  current = Promise.all([refreshPlot(), numbers]).catch((problem) => shell.fail(problem.message)).finally(finish);
}

function redraw() {
  const finish = busy();
  shell.read("");
  controls.showControls(quantityNames);
  try {
    if (refusal) drawOld(); else view().draw(shell);
  } catch (problem) {
    shell.fail(problem.message);
  } finally {
    finish();
  }
  showCommand();
}

/** Draw the last picture again, which stays while another one is asked for that cannot be drawn. */
function drawOld() {
  if (view().reason()) return;
  drawn?.restore?.();
  drawn?.view.draw(shell);
  shell.note(drawn?.note ?? "");
  plot.classList.add("stale");
}

/** Apply what is written in boxes, and wait until it is shown; return the view with its name, or why it is not shown. */
async function asked() {
  applyTyped();
  const wrong = await steps.jumped();
  if (wrong) return { refusal: wrong };
  for (let seen = null; seen !== current;) await (seen = current);
  return refusal ? { refusal } : { view: view(), name: nameOfView() };
}

onChange((names) => {
  if (names.has("watch")) watch(() => refresh(true));
  if ([...names].every((name) => name === "watch")) controls.showControls(quantityNames);
  else if ([...names].every((name) => OF_LOOK.has(name))) redraw();
  else if (nameOfView() === "run" && names.size === 1 && names.has("step")) {
    // Curves along the run stay: only their mark moves.
    const finish = busy();
    steps.showSteps();
    redraw();
    current = beam.refresh(shell).finally(finish);
  } else refresh(["files", "step", "table", "where", "followed"].some((name) => names.has(name)));
});

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try { localStorage.setItem("quire-theme", theme); } catch { /* a frame may have no storage */ }
}

function changeTheme() {
  setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  controls.showFiles();
  redraw();
}

function usualTheme() {
  let kept = null;
  try { kept = localStorage.getItem("quire-theme"); } catch { /* a frame may have no storage */ }
  return kept ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

function connect() {
  controls.connect();
  steps.connect(shell);
  connectFollowed();
  connectKeys({ changeTheme, followCut, newCut });
  element("theme").addEventListener("click", changeTheme);
  element("help").addEventListener("click", () => element("keys").showModal());
  connectTakeAway({ asked, fail: shell.fail });
  window.addEventListener("hashchange", () => change(fromHash(location.hash)));
  let last = "";
  new ResizeObserver(() => {
    const { width, height } = shell.size();
    if (`${width}x${height}` !== last && last) redraw();
    last = `${width}x${height}`;
  }).observe(plot);
}

async function start() {
  const finish = busy();
  setTheme(usualTheme());
  connect();
  try {
    const answer = await ask("files");
    setFiles(answer.files);
    quantityNames = answer.quantities;
    offerFormats(answer.formats);
    Object.assign(state, fromHash(location.hash));
    document.title = `${files.map((one) => one.label).join(", ")} - Quire`;
    watch(() => refresh(true));
    refresh(true);
    if (!shownFiles().length) shell.fail(files.map((one) => one.error).filter(Boolean).join("\n") || "There are no steps to show.");
  } catch (problem) {
    shell.fail(problem.message);
  } finally {
    finish();
  }
}

start();
