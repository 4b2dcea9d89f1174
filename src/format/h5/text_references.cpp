#include "format/h5/text_references.hpp"

#include <cstring>
#include <vector>

#include "format/h5/hdf5.hpp"

namespace quire::h5 {
namespace {

constexpr std::size_t reference_length = 16;  ///< how long the text is, where its heap stands, its number there
constexpr const char* tag = "quire: references of texts";

/// Conversion of texts of any length in a file to their references: the bytes are these already.
extern "C" herr_t keep_references(hid_t from, hid_t into, H5T_cdata_t* state, size_t /*count*/, size_t /*stride*/,
                                  size_t /*background*/, void* /*values*/, void* /*old*/, hid_t /*transfer*/) noexcept {
  if (state->command != H5T_CONV_INIT) return 0;
  state->need_bkg = H5T_BKG_NO;
  const LibraryText name(H5Tget_tag(into));
  // In memory they are pointers.
  const bool is_ours = name != nullptr && std::strcmp(name.get(), tag) == 0;
  return is_ours && H5Tget_size(from) == reference_length && H5Tget_size(into) == reference_length ? 0 : -1;
}

Handle reference_type() {
  Handle type = own(H5Tcreate(H5T_OPAQUE, reference_length), "make a type");
  require(H5Tset_tag(type.id(), tag), "name a type");
  return type;
}

/// While it lives, the library has the conversion: others who use it in this process never meet it.
class Conversion {
 public:
  Conversion() : texts_(own(H5Tvlen_create(H5T_NATIVE_INT8), "make a type")), references_(reference_type()) {
    require(H5Tregister(H5T_PERS_SOFT, tag, texts_.id(), references_.id(), keep_references), "register a conversion");
  }
  ~Conversion() { H5Tunregister(H5T_PERS_SOFT, tag, texts_.id(), references_.id(), keep_references); }
  Conversion(const Conversion&) = delete;
  Conversion& operator=(const Conversion&) = delete;

  [[nodiscard]] hid_t references() const noexcept { return references_.id(); }

 private:
  Handle texts_;
  Handle references_;
};

}  // namespace

TextReferences::TextReferences(Image& image)
    : image_(image), read_(image.reader()), heaps_(read_, image.size(), image.base().value_or(0)) {}

void TextReferences::check(const ReadAs& read, std::uint64_t count) {
  if (count == 0 || !image_.base()) return;
  std::vector<std::byte> references(static_cast<std::size_t>(count) * reference_length);
  {
    const Conversion conversion;
    if (read(conversion.references(), references.data()) < 0) return;
  }
  const Piece all(references, 0);
  for (std::size_t i = 0; i < count; ++i) heaps_.check(all.part(i * reference_length, reference_length), 1);
}

}  // namespace quire::h5
