#pragma once

#include "quire/format/format.hpp"

namespace quire {

/// Adds a format to those of the library: formats() lists it last. For tests of the contract of formats. No effect if
/// it was added before. Not to be called at the same time as any other function of the library.
void register_format(const Format& format);

}  // namespace quire
