// Colours that people with any colour vision can order, from low to high: viridis, cividis and magma (CC0).

const STOPS = {
  viridis: "440154 481a6c 472f7d 414487 39568c 31688e 2a788e 23888e 1f988b 22a884 35b779 54c568 7ad151 a5db36 d2e21b fde725",
  cividis: "00224e 002e6c 1e3a6f 35456c 47516c 575d6d 666970 757575 848279 948e77 a59c74 b7a96e c8b866 dbc75a eed649 fee838",
  magma: "0e0b2b 21114e 390f6e 54137d 6b1d81 832681 9b2e7f b3367a cc3f71 e34e65 f2645c fa7f5e fd9b6b feb77e fed597 fcf0b2",
};

/** Colours that the palettes do not have. */
export const CONTRAST = { viridis: [255, 110, 199], cividis: [255, 110, 199], magma: [25, 227, 255] };

export const PALETTES = Object.keys(STOPS);

/** Return 256 colours of a palette, as [red, green, blue]. */
export function palette(name) {
  const stops = (STOPS[name] ?? STOPS.viridis).split(" ").map((one) =>
    [0, 2, 4].map((place) => parseInt(one.slice(place, place + 2), 16)));
  return Array.from({ length: 256 }, (_, place) => {
    const along = (place / 255) * (stops.length - 1);
    const first = Math.min(Math.floor(along), stops.length - 2);
    return stops[first].map((one, part) => Math.round(one + (stops[first + 1][part] - one) * (along - first)));
  });
}

const FILES = {
  light: ["#0072b2", "#d55e00", "#009e73", "#b0598c", "#8a6d00", "#3a4a5a"],
  dark: ["#56b4e9", "#f0883e", "#2fc596", "#e39ac4", "#e6c84f", "#c3ced9"],
};

/** Return the colour of a file. */
export function colourOf(file) {
  const colours = FILES[document.documentElement.dataset.theme === "dark" ? "dark" : "light"];
  return colours[file % colours.length];
}
