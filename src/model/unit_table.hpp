#pragma once

#include <array>
#include <string_view>

namespace quire::units {

/// A name and the text of what it means.
struct Definition {
  std::string_view name;
  std::string_view text;
};

struct Prefix {
  std::string_view name;
  int power;  ///< of ten
};

/// A text that counts as a whole. A momentum over mass and c has two meanings (MassTimesC).
struct Phrase {
  std::string_view name;
  std::string_view text;
  std::string_view momentum;
  bool is_separate = false;  ///< only as a whole unit or in brackets: "kg m c" is a product
};

/// A letter of the mark-up `$g...$r`, which is Greek.
struct Letter {
  char latin;
  std::string_view greek;
};

inline constexpr std::array<std::string_view, 7> base{"m", "kg", "s", "A", "K", "mol", "cd"};

/// Both codes of the Greek letter are micro.
inline constexpr std::array prefixes{
    Prefix{"Q", 30},  Prefix{"R", 27},  Prefix{"Y", 24},  Prefix{"Z", 21},  Prefix{"E", 18},      Prefix{"P", 15},
    Prefix{"T", 12},  Prefix{"G", 9},   Prefix{"M", 6},   Prefix{"k", 3},   Prefix{"h", 2},       Prefix{"da", 1},
    Prefix{"d", -1},  Prefix{"c", -2},  Prefix{"m", -3},  Prefix{"u", -6},  Prefix{"\u00b5", -6}, Prefix{"\u03bc", -6},
    Prefix{"n", -9},  Prefix{"p", -12}, Prefix{"f", -15}, Prefix{"a", -18}, Prefix{"z", -21},     Prefix{"y", -24},
    Prefix{"r", -27}, Prefix{"q", -30},
};

/// Units that take prefixes.
inline constexpr std::array prefixed{
    Definition{"m", "m"},
    Definition{"g", "1e-3 kg"},
    Definition{"s", "s"},
    Definition{"A", "A"},
    Definition{"K", "K"},
    Definition{"mol", "mol"},
    Definition{"cd", "cd"},
    Definition{"rad", "1"},
    Definition{"sr", "1"},
    Definition{"Hz", "1/s"},
    Definition{"N", "kg m/s^2"},
    Definition{"Pa", "kg/(m s^2)"},
    Definition{"J", "kg m^2/s^2"},
    Definition{"W", "kg m^2/s^3"},
    Definition{"C", "A s"},
    Definition{"V", "kg m^2/(A s^3)"},
    Definition{"F", "A^2 s^4/(kg m^2)"},
    Definition{"Ohm", "kg m^2/(A^2 s^3)"},
    Definition{"ohm", "kg m^2/(A^2 s^3)"},
    Definition{"\u03a9", "kg m^2/(A^2 s^3)"},
    Definition{"S", "A^2 s^3/(kg m^2)"},
    Definition{"Wb", "kg m^2/(A s^2)"},
    Definition{"T", "kg/(A s^2)"},
    Definition{"H", "kg m^2/(A^2 s^2)"},
    Definition{"eV", "1.602176634e-19 kg m^2/s^2"},
    Definition{"bar", "1e5 kg/(m s^2)"},
    Definition{"L", "1e-3 m^3"},
};

/// Units and constants without prefixes. Constants are exact in SI, the masses are those of CODATA 2022.
inline constexpr std::array plain{
    Definition{"kg", "kg"},
    Definition{"deg", "pi/180"},
    Definition{"degree", "pi/180"},
    Definition{"\u00b0", "pi/180"},
    Definition{"min", "60 s"},
    Definition{"h", "3600 s"},
    Definition{"Gauss", "1e-4 kg/(A s^2)"},
    Definition{"gauss", "1e-4 kg/(A s^2)"},
    Definition{"c", "299792458 m/s"},
    Definition{"e", "1.602176634e-19 A s"},
    Definition{"m_e", "9.1093837139e-31 kg"},
    Definition{"m_p", "1.67262192595e-27 kg"},
    Definition{"%", "1/100"},
    Definition{"\u03c0", "pi"},
    Definition{"beta", "1"},
    Definition{"gamma", "1"},
    Definition{"\u03b2", "1"},
    Definition{"\u03b3", "1"},
};

/// Names that are spelled out, which are no units in files; for messages.
inline constexpr std::array spelled{
    Definition{"metre", "m"},   Definition{"meter", "m"},   Definition{"millim", "mm"},  Definition{"microm", "um"},
    Definition{"micron", "um"}, Definition{"sec", "s"},     Definition{"volt", "V"},     Definition{"electronv", "eV"},
    Definition{"amp", "A"},     Definition{"tesla", "T"},   Definition{"radian", "rad"}, Definition{"degrees", "deg"},
    Definition{"coul", "C"},    Definition{"joule", "J"},   Definition{"watt", "W"},     Definition{"hertz", "Hz"},
    Definition{"newton", "N"},  Definition{"pascal", "Pa"}, Definition{"gram", "g"},     Definition{"kelvin", "K"},
    Definition{"farad", "F"},   Definition{"henry", "H"},   Definition{"weber", "Wb"},   Definition{"gauss", "Gauss"},
    Definition{"liter", "L"},   Definition{"litre", "L"},   Definition{"hour", "h"},     Definition{"minute", "min"},
};

/// The longest first. The first one is that of CODATA 2022.
inline constexpr std::array phrases{
    Phrase{"m_e c^2", "8.1871057880e-14 kg m^2/s^2", "8.1871057880e-14 kg m^2/s^2"},
    Phrase{"m_e c", "1", "m_e*c"},
    Phrase{"m_e*c", "1", "m_e*c"},
    Phrase{"m_p c", "1", "m_p*c"},
    Phrase{"m_p*c", "1", "m_p*c"},
    Phrase{"m_ec", "1", "m_e*c"},
    Phrase{"m_pc", "1", "m_p*c"},
    Phrase{"m c", "1", "1", true},
    Phrase{"mc", "1", "1"},
    Phrase{"x'", "1", "1"},
    Phrase{"y'", "1", "1"},
};

inline constexpr std::array letters{
    Letter{'a', "\u03b1"}, Letter{'b', "\u03b2"}, Letter{'g', "\u03b3"}, Letter{'d', "\u03b4"}, Letter{'e', "\u03b5"},
    Letter{'m', "\u00b5"}, Letter{'p', "\u03c0"}, Letter{'s', "\u03c3"}, Letter{'W', "\u03a9"},
};

}  // namespace quire::units
