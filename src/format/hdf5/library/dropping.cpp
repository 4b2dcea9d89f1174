#include "format/hdf5/library/dropping.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/links.hpp"

namespace quire::hdf5 {
namespace {

/// The depth of a step, its fields, a field and its components.
constexpr unsigned deepest = 4;

/// The header that HDF5 reads in place of an object that it must neither read nor free when its link is deleted: a
/// version 1 header of a group with two links.
std::vector<std::byte> stand_in() {
  constexpr std::uint8_t version = 1;
  constexpr std::uint8_t links = 2;
  constexpr std::uint8_t symbol_table = 0x11;
  constexpr std::uint8_t addresses = 16;
  constexpr std::uint8_t message_header = 8;
  std::vector<std::uint8_t> header{version, 0, 1, 0, links, 0, 0, 0, message_header + addresses, 0, 0, 0, 0, 0, 0, 0};
  header.insert(header.end(), {symbol_table, 0, addresses, 0, 0, 0, 0, 0});
  header.resize(header.size() + addresses, std::uint8_t{0xff});  // nowhere
  std::vector<std::byte> bytes(header.size());
  std::ranges::transform(header, bytes.begin(), [](std::uint8_t value) { return std::byte{value}; });
  return bytes;
}

/// Whether the index of the chunks of a dataset, if it has one, can be read, as HDF5 does to free them. HDF5 leaks
/// memory and reports that at exit if it cannot.
bool has_sound_index(hid_t dataset) {
  const Handle properties(H5Dget_create_plist(dataset));
  const Handle space(H5Dget_space(dataset));
  if (!properties || !space) return false;
  hsize_t chunks = 0;
  return H5Pget_layout(properties.id()) != H5D_CHUNKED || H5Dget_num_chunks(dataset, space.id(), &chunks) >= 0;
}

/// Whether the headers of an object and of all objects below it can be read, and the indexes of chunks.
bool is_sound(Image& image, hid_t group, const Link& link, unsigned depth) {
  if (link.type != H5L_TYPE_HARD) return true;
  try {
    check_before_opening(image, link);
    const Handle object = open_listed(group, link);
    if (!object) throw hdf5_error("open the object", link.name);
    if (H5Iget_type(object.id()) == H5I_DATASET && !has_sound_index(object.id())) {
      throw hdf5_error("read the chunks", link.name);
    }
    if (depth == 0 || H5Iget_type(object.id()) != H5I_GROUP) return true;
    const std::vector<Link> below = list_links(object.id(), link.name);
    return std::ranges::all_of(below,
                               [&](const Link& inner) { return is_sound(image, object.id(), inner, depth - 1); });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file && error.kind() != ErrorKind::unsupported) throw;
    image.forget_failure();
    return false;
  }
}

/// Drops links; the objects of `damaged` links are not freed.
Publication drop_all(FileWriter& writer, std::span<const std::string> names,
                     const std::function<bool(hid_t, const Link&)>& is_damaged) {
  Image& image = writer.image();
  const std::vector<std::byte> dummy = stand_in();
  std::set<std::string> damaged;
  // Before any change, and in a session of its own: HDF5 would not read again what it has already read.
  const auto look = [&](hid_t file) {
    for (const std::string& name : names) {
      if (is_damaged(file, find_link(file, name))) damaged.insert(name);
    }
  };
  return writer.session(
      {},
      [&](hid_t file) {
        std::vector<std::uint64_t> places;
        for (const std::string& name : names) {
          const Link link = find_link(file, name);
          if (damaged.contains(name) && link.type == H5L_TYPE_HARD) {
            places.push_back(link.address + image.base().value_or(0));
            image.write(places.back(), dummy);
          }
          require(H5Ldelete(file, name.c_str(), H5P_DEFAULT), "drop the step", name);
        }
        require(H5Fflush(file, H5F_SCOPE_LOCAL), "flush the HDF5 file");
        for (const std::uint64_t place : places) image.forget(place, dummy.size());
      },
      look);
}

}  // namespace

Publication drop_links(FileWriter& writer, std::span<const std::string> names) {
  try {
    return drop_all(writer, names,
                    [&](hid_t file, const Link& link) { return !is_sound(writer.image(), file, link, deepest); });
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file) throw;
  }
  // Something else in them is damaged, which HDF5 reads only to free it.
  return drop_damaged(writer, names);
}

Publication drop_damaged(FileWriter& writer, std::span<const std::string> names) {
  return drop_all(writer, names, [](hid_t, const Link&) { return true; });
}

}  // namespace quire::hdf5
