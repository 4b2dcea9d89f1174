// The mark-up of units and symbols, such as `m$be$nc`, as letters: $a raises, $b lowers, $n returns, $g and $r
// begin and end Greek letters.

const GREEK = Object.fromEntries([..."abgdezhqiklmnxprstufcywGDQLXPSUFYW"].map((letter, place) =>
  [letter, [..."αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"][place]]));
const RAISED = Object.fromEntries([..."0123456789+-n"].map((letter, place) => [letter, [..."⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ"][place]]));
const LOWERED = Object.fromEntries([..."0123456789+-aehijklmnoprstuvx"].map((letter, place) =>
  [letter, [..."₀₁₂₃₄₅₆₇₈₉₊₋ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"][place]]));

/** Return a unit or symbol without its mark-up. */
export function marked(text) {
  let found = "";
  let script = null;
  let isGreek = false;
  for (const piece of text.split(/(\$[a-z])/)) {
    if (piece === "$a") script = RAISED;
    else if (piece === "$b") script = LOWERED;
    else if (piece === "$n") script = null;
    else if (piece === "$g") isGreek = true;
    else if (piece === "$r") isGreek = false;
    else if (!/^\$[a-z]$/.test(piece)) {
      for (const letter of piece) {
        const one = isGreek ? GREEK[letter] ?? letter : letter;
        found += script ? script[one] ?? one : one;
      }
    }
  }
  return found.replaceAll("#beta", "β").replaceAll("#gamma", "γ").replace(/\^(-?\d+)/g, (_, power) => [...power].map((one) => RAISED[one]).join("")).replace(/\*/g, "·");
}
