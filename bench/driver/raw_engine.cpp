// The baselines: every rank moves its ready bytes by plain system calls, to disjoint page-aligned ranges of one file or
// to a file of its own, and waits for no other rank. It reads the file of another method if requested: where the pages
// of a file are in memory changes the speed of a read by a third, so a method and its baseline read the same pages.

#include <fcntl.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "driver/engine.hpp"
#include "driver/pieces.hpp"
#include "driver/raw_file.hpp"
#include "driver/scratch.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::bench {
namespace {

class RawEngine final : public Engine {
 public:
  RawEngine(Task given, bool shared)
      : Engine(std::move(given)), layout_(cell(), shared), is_durable_(is_durable(task().method)) {
    if (cell().maker && !shared) throw Error(ErrorKind::usage, "only one file of another method is read");
  }

  void prepare_writing() override { source_ = make_source(ShareMemory::Order::together); }

  void write(const std::string& folder, Trial& trial) override { write_to(folder, trial); }
  void rewrite(const std::string& folder, Trial& trial) override { write_to(folder, trial); }

  void verify(const std::string& folder) override {
    require_sizes(folder);
    const int neighbour = (comm().rank() + 1) % comm().size();
    const PieceMemory memory({{neighbour, 0, layout_.bytes_of(neighbour)}});
    TransportCounters counters;
    const Files files = open_files(folder, memory.pieces(), O_RDONLY);
    for (std::uint64_t s = 0; s < steps(); ++s) {
      memory.forget();
      read_step(files, memory, s, counters);
      memory.check(cell());
    }
  }

  void prepare_reading(const std::string& folder) override {
    folder_ = folder;
    for (std::uint64_t s = 0; s < steps(); ++s) {
      targets_.push_back(std::make_unique<PieceMemory>(pieces_of(cell(), comm().rank(), comm().size())));
      targets_.back()->forget();
    }
  }

  void read(const std::string& folder, Trial& trial) override {
    TransportCounters counters;
    Files files;
    trial.time(Phase::create, [&] {
      const int flags = is_direct() ? O_RDONLY | O_DIRECT : O_RDONLY;
      files = open_files(folder, targets_.front()->pieces(), flags);
    });
    counters.opens += files.size();
    trial.time(Phase::data, [&] {
      for (std::uint64_t s = 0; s < steps(); ++s) read_step(files, *targets_[s], s, counters);
    });
    trial.time(Phase::close, [&] {
      for (auto& [writer, file] : files) file->close();
    });
    count_calls(trial, counters);
  }

  void check_read() override {
    if (cell().maker) return check_bytes_of_file();
    for (const auto& target : targets_) target->check(cell());
  }

  [[nodiscard]] std::optional<std::uint64_t> predicted_bytes() const override { return layout_.total_size(); }

 private:
  void write_to(const std::string& folder, Trial& trial) {
    TransportCounters counters;
    std::optional<RawFile> file;
    // Every rank may create the file: no rank waits for another.
    trial.time(Phase::create, [&] { file.emplace(layout_.path(folder, comm().rank()), O_WRONLY | O_CREAT); });
    ++counters.opens;
    ++counters.creates;
    write_each(trial,
               [&](std::uint64_t s) { file->write(layout_.place(comm().rank(), s), source_->bytes(), counters); });
    if (is_durable_) trial.time(Phase::commit_sync, [&] { make_durable(*file, folder); });
    trial.time(Phase::close, [&] { file->close(); });
    count_calls(trial, counters);
  }

  [[nodiscard]] static bool is_durable(const CellMethod& method) {
    const auto found = method.options.find("durable");
    return found != method.options.end() && found->second == "true";
  }

  /// One sync of all data when everybody has written (each of its own file), and one of the folder.
  void make_durable(const RawFile& file, const std::string& folder) {
    if (!layout_.is_shared()) file.sync();
    comm().barrier();
    if (comm().is_root()) {
      if (layout_.is_shared()) file.sync();
      sync_folder(folder);
    }
    comm().barrier();
  }

  /// Of another method's file only the bytes are known.
  void check_bytes_of_file() const {
    const PieceMemory again(targets_.front()->pieces());
    TransportCounters counters;
    const Files files = open_files(folder_, again.pieces(), O_RDONLY);
    for (std::uint64_t s = 0; s < steps(); ++s) {
      again.forget();
      read_step(files, again, s, counters);
      for (std::size_t p = 0; p < again.pieces().size(); ++p) {
        if (std::ranges::equal(again.bytes(p), targets_[s]->bytes(p))) continue;
        throw Error(ErrorKind::bad_file, "the memory holds other bytes than the file").in_file(folder_);
      }
    }
  }

  [[nodiscard]] bool is_direct() const { return cell().cache == "direct"; }

  using Files = std::map<int, std::unique_ptr<RawFile>>;

  /// The files that hold some pieces, by their writers.
  [[nodiscard]] Files open_files(const std::string& folder, const std::vector<Piece>& pieces, int flags) const {
    Files files;
    for (const Piece& piece : pieces) {
      auto& file = files[layout_.is_shared() ? 0 : piece.writer];
      if (file) continue;
      const std::string path = cell().maker ? only_file_in(folder) : layout_.path(folder, piece.writer);
      file = std::make_unique<RawFile>(path, flags);
    }
    return files;
  }

  void read_step(const Files& files, const PieceMemory& memory, std::uint64_t step, TransportCounters& counters) const {
    for (std::size_t p = 0; p < memory.pieces().size(); ++p) {
      const Piece& piece = memory.pieces()[p];
      const RawFile& file = *files.at(layout_.is_shared() ? 0 : piece.writer);
      const std::uint64_t offset = layout_.place(piece.writer, step) + piece.offset;
      if (is_direct()) {
        const std::uint64_t skipped = offset % PieceMemory::page;
        file.read(offset - skipped, memory.pages(p), static_cast<std::size_t>(skipped + piece.length), counters);
      } else {
        file.read(offset, memory.bytes(p), counters);
      }
    }
  }

  void require_sizes(const std::string& folder) const {
    const std::uint64_t wanted = layout_.file_size(comm().rank());
    const std::string mine = layout_.path(folder, comm().rank());
    std::error_code failure;
    const std::uintmax_t size = std::filesystem::file_size(mine, failure);
    if (failure || size != wanted) {
      throw Error(ErrorKind::bad_file, "the file has not the " + std::to_string(wanted) + " bytes that were written")
          .in_file(mine);
    }
  }

  ByteLayout layout_;
  bool is_durable_;
  std::string folder_;  ///< of what is read
  std::shared_ptr<const ShareMemory> source_;
  std::vector<std::unique_ptr<PieceMemory>> targets_;
};

}  // namespace

std::unique_ptr<Engine> make_raw_engine(Task task, bool shared) {
  return std::make_unique<RawEngine>(std::move(task), shared);
}

}  // namespace quire::bench
