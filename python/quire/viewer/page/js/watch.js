// A run that grows: new steps are shown as they are written.

import { ask } from "./api.js";
import { files, stepped, setFiles } from "./files.js";
import { change, state } from "./state.js";

const PAUSE = 1000;
let timer = null;

/** Look for new steps from now on, or no longer. `grown` is called if there are some. */
export function watch(grown) {
  clearTimeout(timer);
  if (state.watch) timer = setTimeout(() => look(grown), PAUSE);
}

async function look(grown) {
  try {
    const before = lengths(files);
    const found = (await ask("files", {}, true)).files;
    if (state.watch && lengths(found) !== before) {
      setFiles(found);
      const last = stepped()?.numbers.at(-1) ?? null;
      if (last !== state.step) change({ step: last }); else grown();
    }
  } catch {
    // The next request of the page reports a server that has ended.
  }
  watch(grown);
}

function lengths(some) {
  return some.map((one) => `${one.numbers.length} ${one.numbers.at(-1)} ${one.error ?? ""}`).join("\n");
}
