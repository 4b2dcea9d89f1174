// The buttons that save and copy: only what is shown, and only if this is what was asked for.

import { made } from "./api.js";
import { files } from "./files.js";
import { copy, csv, download, packed, png, svg } from "./save.js";

const element = (name) => document.getElementById(name);
const NOTHING = "Nothing is saved or copied until this is mended.";

/**
 * Connect the buttons. `page.asked()` applies what is typed, and returns the view that is shown after it with its
 * name, or why there is none; `page.fail` shows why something is not saved.
 */
export function connectTakeAway(page) {
  const click = (name, use) => element(name).addEventListener("click", (event) => take(page, use, event.target));
  click("copy-line", async (shown, button) => said(button, copy(element("line").textContent)));
  click("copy-link", async (shown, button) => said(button, copy(location.href)));
  click("save-png", (shown) => savePicture(shown, "png", png));
  click("save-svg", (shown) => savePicture(shown, "svg", (picture) => svg(picture, element("line").textContent)));
  click("save-csv", ({ view, name }) => download(`${name}.csv`, new Blob([csv(view.numbers())], { type: "text/csv" })));
  element("save-table").addEventListener("change", (event) => {
    const { value: format, dataset: { suffix } } = event.target.selectedOptions[0];
    event.target.value = "";
    take(page, (shown) => saveTable(shown, format, suffix));
  });
}

/** Show whether the buttons are off. A click on one that is off says why. */
export function showTakeAway(isOff) {
  for (const name of ["save-png", "save-svg", "save-csv", "save-table", "copy-link"]) element(name).classList.toggle("off", isOff);
}

async function take(page, use, button) {
  const { view, name, refusal } = await page.asked();
  try {
    if (view) await use({ view, name }, button); else page.fail(`${refusal}\n${NOTHING}`);
  } catch (problem) {
    page.fail(problem.message);
  }
}

async function savePicture({ view, name }, suffix, form) {
  const picture = view.picture();
  if (!picture) throw new Error("Rows are no picture: save them as CSV.");
  download(`${name}.${suffix}`, await form(picture));
}

/** Save the numbers in the format that was chosen, which the server writes. */
async function saveTable({ view, name }, format, suffix) {
  const title = `${view.filesOf().map((one) => files[one].label).join(", ")} - Quire`;
  const about = { format, title, command: element("line").textContent };
  download(`${name}${suffix}`, await made("table", packed(view.numbers(), about)));
}

/** Offer the formats that hold tables. */
export function offerFormats(formats) {
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
