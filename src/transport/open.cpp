#include <algorithm>
#include <optional>

#include "quire/spi/base/checked.hpp"
#include "quire/spi/transport/transport.hpp"
#include "transport/alignment.hpp"
#include "transport/factory.hpp"
#include "transport/failure.hpp"
#include "transport/file_system.hpp"

namespace quire {
namespace {

const TransportFactory& factory_named(std::string_view name) {
  const auto factories = transport_factories();
  const auto found = std::ranges::find(factories, name, &TransportFactory::name);
  if (found != factories.end()) return *found;
  std::string known;
  for (const TransportFactory& factory : factories) known += (known.empty() ? "" : ", ") + std::string(factory.name);
  throw Error(ErrorKind::usage, "there is no transport '" + std::string(name) + "' in this build")
      .advise("choose one of: " + known);
}

/// Rounds buffers and pieces up to whole pages, at least one.
TransportLimits in_pages(TransportLimits limits) {
  limits.piece = static_cast<std::size_t>(round_up(std::max<std::size_t>(limits.piece, 1), page_bytes));
  limits.staging = static_cast<std::size_t>(round_up(std::max<std::size_t>(limits.staging, 1), page_bytes));
  return limits;
}

}  // namespace

std::unique_ptr<Transport> make_transport(std::string_view name, const std::string& path, Access access,
                                          const Comm& comm, const TransportOptions& options) {
  require_path(path);
  const FileRequest request{path, access, access == Access::create && comm.is_root(), options.durable,
                            in_pages(options.limits)};
  return factory_named(name).make(request, comm);
}

std::unique_ptr<Transport> open_transport(std::string_view name, const std::string& path, Access access,
                                          const Comm& comm, const TransportOptions& options) {
  std::unique_ptr<Transport> transport;
  FirstFailure failure(path);
  failure.attempt([&] { transport = make_transport(name, path, access, comm, options); });
  Comm everybody = comm;
  agree(everybody, failure.error());
  return transport;
}

bool is_transport_collective(std::string_view name) { return factory_named(name).is_collective; }

bool moves_in_background(std::string_view name) { return factory_named(name).is_positional; }

std::vector<std::string> transport_names() {
  std::vector<std::string> names;
  for (const TransportFactory& factory : transport_factories()) names.emplace_back(factory.name);
  return names;
}

}  // namespace quire
