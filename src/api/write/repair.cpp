#include <algorithm>
#include <memory>
#include <utility>

#include "api/file_sets.hpp"
#include "api/neighbour.hpp"
#include "api/publication.hpp"
#include "api/read/compressed.hpp"
#include "api/root.hpp"
#include "api/transport_source.hpp"
#include "api/write/write_target.hpp"
#include "api/writer_locks.hpp"
#include "base/compression.hpp"
#include "comm/agreement.hpp"
#include "quire/api/reader.hpp"
#include "quire/api/writer.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/base/archive.hpp"
#include "quire/spi/format/describer_capabilities.hpp"
#include "transport/replacement.hpp"

// Functions that change a file without writing steps.

namespace quire {

struct FileLock::State {
  WriteLock lock{};  ///< rank 0
};

namespace {

bool finish_replacement_agreed(const std::string& path, Comm& comm) {
  return unpack<bool>(from_root(comm, [&] { return pack(finish_replacing(path)); }));
}

}  // namespace

bool finish_replacement(const std::string& path, Comm comm) {
  agree_on_choice(comm, {.path = path, .transport = {}, .format = {}});
  return finish_replacement_agreed(path, comm);
}

FileLock lock_file(const std::string& path, Comm comm) {
  agree_on_choice(comm, {.path = path, .transport = {}, .format = {}});
  auto state = std::make_shared<FileLock::State>();
  static_cast<void>(from_root(comm, [&]() -> std::vector<std::byte> {
    finish_replacing(path);
    const std::string target = target_of(path);
    state->lock = lock_what_is_at(target);
    // The writer of a compressed file has another file open, and replaces this one at its end.
    if (compression_for_suffix(target) != Compression::none) state->lock.keep(lock_what_is_at(plain_path(target)));
    return {};
  }));
  return FileLock(std::move(state));
}

namespace {

bool repair_agreed(const std::string& path, Comm& comm, const ReadOptions& options,
                   const std::vector<std::int64_t>& dropped) {
  comm.set_deadline(options.deadline);
  Choice first{.path = path, .transport = options.transport, .format = options.format};
  for (const std::int64_t number : dropped) first.options += "without " + std::to_string(number) + ", ";
  agree_on_choice(comm, first);
  const bool replaced = finish_replacement_agreed(path, comm);
  Choice choice{.path = path, .transport = options.transport, .format = options.format};
  WriteLock lock;
  const auto looking = caught(comm.rank(), [&] {
    if (!comm.is_root()) return;
    choice.first_file = first_file_of(path, options.format);
    lock = lock_for_writing(choice.first_file);
  });
  const std::string first_file = agree_on_choice(comm, choice, looking).first_file;
  auto transport = open_transport(options.transport, first_file, Access::update, comm, {});
  const auto acted = from_root(comm, [&] {
    std::vector<std::byte> head(recognised_bytes);
    head.resize(transport->get(0, head));
    refuse_compressed(head, path);
    const auto bytes = std::make_shared<TransportSource>(*transport);
    const Format& format = options.format.empty() ? recognise(head, bytes) : format_named(options.format);
    const auto describer = format.describe(bytes, context_of(first_file, options.memory_budget),
                                           CheckedOptions(format.read_options, options.options));
    StepRemover* const remover = describer->capabilities().remover;
    if (!dropped.empty() && remover == nullptr) {
      throw Error(ErrorKind::unsupported, "single steps cannot be removed from this file");
    }
    const Publication acts = dropped.empty() ? repair_acts(*describer) : remover->drop(dropped);
    if (!describer->file().members.empty()) {
      transport = with_members(std::move(transport), first_file, describer->file(), [&](const std::string& member) {
        return open_transport(options.transport, member, Access::update, Comm::self(), {});
      });
    }
    carry_out(acts, *transport, true);
    return pack(!acts.empty());
  });
  transport->close();
  return unpack<bool>(acted) || replaced;
}

}  // namespace

bool repair(const std::string& path, Comm comm, const ReadOptions& options, const std::vector<std::int64_t>& dropped) {
  try {
    return repair_agreed(path, comm, options, dropped);
  } catch (Error& error) {
    if (error.file().empty()) error.in_file(path);
    throw;
  }
}

}  // namespace quire
