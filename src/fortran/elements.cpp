#include "fortran/handle.hpp"

// The structures are those of the C interface, which the module quire_element_binding repeats.

namespace {

using quire::fortran::File;
using quire::fortran::guarded;
using quire::fortran::require;

}  // namespace

extern "C" {

quire_status quire_fortran_put_elements(File* file, std::uint64_t parts, const quire_element_part* const* mine,
                                        const quire_layout* layout) {
  return guarded(file, [&](File& open) { require(open, quire_put_elements(open.file, parts, mine, layout)); });
}

quire_status quire_fortran_read_elements_all(File* file, const quire_element_request* request) {
  return guarded(file, [&](File& open) { require(open, quire_read_elements_all(open.file, request)); });
}

quire_status quire_fortran_elements_info(File* file, quire_elements_info* info, std::uint64_t size) {
  return guarded(file, [&](File& open) { require(open, quire_get_elements_info(open.file, info, size)); });
}

quire_status quire_fortran_element_block(File* file, std::uint64_t index, quire_element_block* block,
                                         std::uint64_t size) {
  return guarded(file, [&](File& open) { require(open, quire_get_element_block(open.file, index, block, size)); });
}

}  // extern "C"
