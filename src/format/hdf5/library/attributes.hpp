#pragma once

#include <string>
#include <vector>

#include "format/hdf5/library/handle.hpp"
#include "quire/model/description.hpp"

namespace quire::hdf5 {

/// Which arrays of 8-bit integers are texts, in addition to those terminated by NUL.
enum class OldTexts : std::uint8_t {
  with_end,  ///< no others
  any,       ///< also ASCII characters without a NUL: H5Part 1.x had no other texts
};

/// The attributes of an object of the image's file (root, step or field group) in the order of its header.
///
/// H5Part writes scalars as arrays of one element: such arrays are described as scalars. Arrays of 8-bit integers with
/// a NUL at the end, or after printable characters, are texts of the old H5Part 1.x. Attributes that cannot be
/// described are named in `warnings`.
[[nodiscard]] std::vector<Attribute> read_attributes(Image& image, hid_t object, std::uint64_t memory_budget,
                                                     std::vector<std::string>& warnings,
                                                     OldTexts texts = OldTexts::with_end);

/// Whether an object of the image's file has an attribute of this name. A file that is read is asked by this function
/// alone: HDF5 decodes all attributes of the object, which are checked before.
[[nodiscard]] bool has_attribute(Image& image, hid_t object, const std::string& name);

/// The names of the attributes of an object of the image's file, in the same order.
[[nodiscard]] std::vector<std::string> attribute_names(Image& image, hid_t object);

/// Appends `<path> <name>` for each attribute of an open object that the format does not read, or, if the attributes
/// are damaged, the reason why they cannot be listed.
void name_attributes(Image& image, hid_t object, const std::string& path, std::vector<std::string>& names);

/// Warns that attributes of such objects are left out, if `names` is not empty.
void report_left_out_attributes(const std::string& objects, const std::vector<std::string>& names,
                                std::vector<std::string>& warnings);

/// Returns the attribute as a file can store it: float80 becomes float64 (if lossless, or if `lossy`), characters
/// become texts, and arrays of 8-bit integers become 16 bits wide (otherwise they would be read as texts). Throws type,
/// usage and unsupported errors that name the attribute.
[[nodiscard]] Attribute accepted(const Attribute& attribute, bool lossy);
/// The same for a file of H5Part: all 8-bit integers become 16 bits wide. H5hut of 2019 fails on 8-bit integers.
[[nodiscard]] Attribute accepted_in_h5part(const Attribute& attribute, bool lossy);

/// How attributes that are single numbers are stored.
enum class Scalars : std::uint8_t {
  as_arrays,  ///< of one element, as H5Part has them
  as_such,
};

/// Writes an accepted attribute. An attribute of the same name is written again, or, if it has another type or shape,
/// is replaced and moves to the end. Texts are stored with fixed length, including the NUL.
void write_attribute(hid_t object, const std::string& name, const Value& value, Scalars scalars = Scalars::as_arrays);

}  // namespace quire::hdf5
