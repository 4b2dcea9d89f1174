#include "format/hdf5/library/text_references.hpp"

#include <cstring>
#include <vector>

#include "format/hdf5/library/handle.hpp"

namespace quire::hdf5 {
namespace {

constexpr std::size_t reference_length = 16;  ///< length of the text, address of its heap, its index there
constexpr const char* tag = "quire: references of texts";

/// Converts variable-length texts in a file to their references: the bytes are not changed.
extern "C" herr_t keep_references(hid_t from, hid_t into, H5T_cdata_t* state, size_t /*count*/, size_t /*stride*/,
                                  size_t /*background*/, void* /*values*/, void* /*old*/, hid_t /*transfer*/) noexcept {
  if (state->command != H5T_CONV_INIT) return 0;
  state->need_bkg = H5T_BKG_NO;
  const LibraryText name(H5Tget_tag(into));
  // In memory they are pointers.
  const bool is_ours = name != nullptr && std::strcmp(name.get(), tag) == 0;
  return is_ours && H5Tget_size(from) == reference_length && H5Tget_size(into) == reference_length ? 0 : -1;
}

bool is_reference_type(hid_t type) {
  if (type < 0 || H5Iget_type(type) != H5I_DATATYPE || H5Tget_class(type) != H5T_OPAQUE) return false;
  const LibraryText name(H5Tget_tag(type));
  return name != nullptr && std::strcmp(name.get(), tag) == 0;
}

/// The memory type of the conversion, which is registered once and kept until the program closes the library, because
/// registering takes longer than reading an attribute. Other users of the library in this process are not affected: the
/// conversion refuses all types but this one.
hid_t reference_type() {
  static hid_t type = H5I_INVALID_HID;
  if (is_reference_type(type)) return type;
  const Handle texts = own(H5Tvlen_create(H5T_NATIVE_INT8), "create a type");
  Handle made = own(H5Tcreate(H5T_OPAQUE, reference_length), "create a type");
  require(H5Tset_tag(made.id(), tag), "name a type");
  require(H5Tregister(H5T_PERS_SOFT, tag, texts.id(), made.id(), keep_references), "register a conversion");
  type = made.id();
  made.abandon();
  return type;
}

}  // namespace

void check_text_references(Image& image, const ReadAs& read, std::uint64_t count) {
  if (count == 0 || !image.base()) return;
  std::vector<std::byte> references(static_cast<std::size_t>(count) * reference_length);
  if (read(reference_type(), references.data()) < 0) return;
  HeapObjects& heaps = image.heap_objects();
  const Piece all(references, 0);
  for (std::size_t i = 0; i < count; ++i) heaps.check(all.part(i * reference_length, reference_length), 1);
}

}  // namespace quire::hdf5
