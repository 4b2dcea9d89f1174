#pragma once

#include <string>
#include <vector>

#include "format/h5/hdf5.hpp"
#include "quire/model/description.hpp"

namespace quire::h5 {

/// Which arrays of 8-bit integers are texts, beside those that a NUL ends.
enum class OldTexts : std::uint8_t {
  with_end,  ///< no others
  any,       ///< several ASCII characters without a NUL, too: in files of H5Part, whose 1.x had no other texts
};

/// Values of an object of the image's file (root, step or field group) in the order in which they stand in its header.
///
/// H5Part writes scalars as arrays of one element: such arrays are described as scalars. Arrays of 8-bit integers with
/// a NUL at the end, or behind printable characters, are texts of the old H5Part 1.x. What cannot be described is named
/// in `warnings`.
[[nodiscard]] std::vector<Attribute> read_attributes(Image& image, hid_t object, std::uint64_t memory_budget,
                                                     std::vector<std::string>& warnings,
                                                     OldTexts texts = OldTexts::with_end);

/// The names of the attributes of an object of the image's file, in the same order.
[[nodiscard]] std::vector<std::string> attribute_names(Image& image, hid_t object);

/// Adds `<path> <name>` for each attribute of an open object that the format does not read; of damaged ones why they
/// cannot be listed.
void name_attributes(Image& image, hid_t object, const std::string& path, std::vector<std::string>& names);

/// Warns of attributes of such objects, if there are any.
void tell_left_out_attributes(const std::string& objects, const std::vector<std::string>& names,
                              std::vector<std::string>& warnings);

/// The attribute as a file can hold it: float80 becomes float64 (losslessly, or when `lossy`), characters become texts,
/// arrays of 8-bit integers become 16 bits wide (they would read back as texts). Throws type, usage and unsupported
/// errors that name it.
[[nodiscard]] Attribute accepted(const Attribute& attribute, bool lossy);
/// The same in a file of H5Part: all 8-bit integers become 16 bits wide. H5hut of 2019 fails on a file that has others.
[[nodiscard]] Attribute accepted_in_h5part(const Attribute& attribute, bool lossy);

/// How attributes that are single numbers stand in a file.
enum class Scalars : std::uint8_t {
  as_arrays,  ///< of one element, as H5Part has them
  as_such,
};

/// Writes an accepted attribute; one of the same name is replaced and moves to the end. Texts become fixed-length ones
/// with their NUL.
void write_attribute(hid_t object, const std::string& name, const Value& value, Scalars scalars = Scalars::as_arrays);

}  // namespace quire::h5
