#pragma once

#include "quire/format/options.hpp"
#include "quire/transport/transport.hpp"
#include "transport/striping.hpp"

namespace quire {

/// The options that choose the sizes of the data path and the place of files, for every format: part of
/// common_write_options().
[[nodiscard]] const std::vector<Option>& transport_knobs();

/// The sizes that the given options choose; others are left alone. Throws usage errors for sizes that cannot be.
[[nodiscard]] TransportLimits limits_of(const Options& options);

/// The striping that they ask for. Throws usage errors.
[[nodiscard]] Striping striping_of(const Options& options);

/// The options without those that choose sizes.
[[nodiscard]] Options without_transport_knobs(Options options);

}  // namespace quire
