#pragma once

#include "quire/format/options.hpp"
#include "quire/spi/transport/transport.hpp"
#include "transport/striping.hpp"

namespace quire {

/// The options that choose the sizes of the data path and the place of files, for every format: part of
/// common_write_options().
[[nodiscard]] const std::vector<Option>& transport_knobs();

/// The sizes set by the given options; others keep their defaults. Throws usage errors for invalid sizes.
[[nodiscard]] TransportLimits limits_of(const Options& options);

/// The requested striping. Throws usage errors.
[[nodiscard]] Striping striping_of(const Options& options);

/// The options without those that choose sizes.
[[nodiscard]] Options without_transport_knobs(Options options);

}  // namespace quire
