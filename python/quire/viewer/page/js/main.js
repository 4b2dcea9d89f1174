// The page: what changes is shown.

import { ask, busy, made } from "./api.js";
import * as beam from "./beam.js";
import { wrongBins } from "./bins.js";
import { dismiss } from "./boxes.js";
import { convertsCut, lines } from "./command.js";
import * as controls from "./controls.js";
import { markWrong, newCut } from "./cuts.js";
import { files, setFiles, shownFiles, view as nameOfView } from "./files.js";
import { connectFollowed, followCut } from "./followed.js";
import { connectKeys } from "./keys.js";
import { copy, csv, download, packed, png, svg } from "./save.js";
import { change, fromHash, onChange, state } from "./state.js";
import * as steps from "./steps.js";
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
const element = (name) => document.getElementById(name);
const plot = element("plot");
let current = Promise.resolve();
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
  const reason = view().reason();
  if (reason) {
    plot.replaceChildren();
    shell.note("");
    shell.fail(reason);
    showCommand();
    return;
  }
  try {
    const isDone = await view().refresh(shell);
    if (!isDone) return;
    shell.fail((view().failed?.() ?? []).join("\n"));
  } catch (problem) {
    plot.classList.add("stale");
    shell.fail(`${markWrong(problem)}${problem.message}`);
    showCommand();
    element("progress").hidden = true;
    return;
  }
  markWrong(null);
  element("progress").hidden = true;
  showCommand();
}

function showCommand() {
  const isDrawn = !view().reason();
  const parts = { bins: view().bins?.() ?? [], quantities: run.quantities(), slices: fields.slices(), overlay: fields.overlay(),
    rangesOf: density.rangesOf, shares: density.SHARES, cutOf: density.cutOf };
  const written = isDrawn ? lines(parts).join("; ") : "";
  element("line").textContent = written;
  element("command").hidden = !written;
  element("bins").classList.toggle("wrong", wrongBins().length > 0);
  const isCutOfEach = isDrawn && ["histogram", "curves", "run"].includes(nameOfView()) && convertsCut();
  const unsaid = [isDrawn && view().unsaid?.(), isCutOfEach && "The cut is in the units of the first file; the command applies it in those of each file."];
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
    if (!view().reason()) view().draw(shell);
  } catch (problem) {
    shell.fail(problem.message);
  } finally {
    finish();
  }
  showCommand();
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
  element("copy-line").addEventListener("click", (event) => said(event.target, copy(element("line").textContent)));
  element("copy-link").addEventListener("click", (event) => said(event.target, copy(location.href)));
  element("save-png").addEventListener("click", () => savePicture("png", png));
  element("save-svg").addEventListener("click", () => savePicture("svg", (picture) => svg(picture, element("line").textContent)));
  element("save-csv").addEventListener("click", () => {
    if (!view().reason()) download(`${nameOfView()}.csv`, new Blob([csv(view().numbers())], { type: "text/csv" }));
  });
  element("save-table").addEventListener("change", (event) => saveTable(event.target));
  window.addEventListener("hashchange", () => change(fromHash(location.hash)));
  let last = "";
  new ResizeObserver(() => {
    const { width, height } = shell.size();
    if (`${width}x${height}` !== last && last) redraw();
    last = `${width}x${height}`;
  }).observe(plot);
}

async function savePicture(suffix, form) {
  if (view().reason()) return;
  const picture = view().picture();
  if (picture) download(`${nameOfView()}.${suffix}`, await form(picture)); else shell.fail("Rows are no picture: save them as CSV.");
}

/** Save the numbers in the format that was chosen, which the server writes. */
async function saveTable(box) {
  const { value: format, dataset } = box.selectedOptions[0];
  box.value = "";
  if (view().reason()) return;
  try {
    const about = { format, title: document.title, command: element("line").textContent };
    download(`${nameOfView()}${dataset.suffix}`, await made("table", packed(view().numbers(), about)));
  } catch (problem) {
    shell.fail(problem.message);
  }
}

/** Offer the formats that hold tables. */
function offerFormats(formats) {
  element("save-table").append(...formats.map(({ name, title, suffix }) => {
    const option = new Option(`${suffix.slice(1)}: ${title}`, name);
    option.dataset.suffix = suffix;
    return option;
  }));
}

async function said(button, done) {
  await done;
  const text = button.textContent;
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = text; }, 1200);
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
