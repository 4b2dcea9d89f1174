#include "driver/cells.hpp"

#include <fcntl.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "driver/engine.hpp"
#include "driver/environment.hpp"
#include "driver/measured.hpp"
#include "driver/offsets.hpp"
#include "driver/page_cache.hpp"
#include "driver/plan.hpp"
#include "driver/raw_file.hpp"
#include "driver/scratch.hpp"
#include "quire/base/error.hpp"

namespace quire::bench {
namespace {

/// Bytes of all ranks together that are written before the first cell, at most.
constexpr std::uint64_t warm_up_most = 256ULL << 20;

/// A file that later cells may read, with all that belongs to it.
struct Kept {
  std::string folder;
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
};

Json as_json(const ClockOffsets& clocks) { return {{"offsets", clocks.seconds}, {"uncertainty", clocks.uncertainty}}; }

template <class Value>
Json optional(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

/// Collective. The plan, which rank 0 reads.
CellPlan read_plan(const std::string& path, Comm& comm) {
  std::ostringstream text;
  const auto error = together(comm, [&] {
    if (!comm.is_root()) return;
    const std::ifstream file(path, std::ios::binary);
    text << file.rdbuf();
    if (!file || !text) throw Error(ErrorKind::missing, "the plan cannot be read").in_file(path);
  });
  if (error) throw Error(*error);
  CellPlan plan = CellPlan::of(text_of_root(comm, text.str()));
  for (const Cell& cell : plan.cells) {
    if (std::max(cell.ranks, cell.readers) > comm.size()) {
      throw Error(ErrorKind::usage, "the cell wants " + std::to_string(std::max(cell.ranks, cell.readers)) +
                                        " ranks, and the world has " + std::to_string(comm.size()))
          .on(cell.id)
          .advise("the starter belongs to another MPI than this program, or starts fewer");
    }
  }
  return plan;
}

class Cells {
 public:
  Cells(const CellsRequest& request, Comm world)
      : world_(std::move(world)), plan_(read_plan(request.plan, world_)), scratch_(request.directory, world_) {
    const Json environment = describe_environment(world_, scratch_.path());
    warm_up();
    const ClockOffsets clocks = compare_clocks(world_);
    offset_ = clocks.seconds[static_cast<std::size_t>(world_.rank())];
    origin_ = gather(world_, clock_now()).front();
    if (!world_.is_root()) return;
    Json line{{"kind", "environment"}, {"version", 1}};
    line.update(environment);
    line["scratch"] = scratch_.path();
    line["clocks"] = as_json(clocks);
    print_line(line);
  }

  int run() {
    for (pass_ = 0; pass_ < plan_.passes.size(); ++pass_) {
      const std::vector<std::size_t>& places = plan_.passes[pass_].cells;
      for (at_ = 0; at_ < places.size(); ++at_) {
        const Cell& cell = plan_.cells[places[at_]];
        if (const Json refusal = refusal_of(cell); !refusal.is_null()) {
          if (world_.is_root()) print_line(refusal);
          is_good_ = false;
        } else {
          run_cell(cell);
        }
        world_.barrier();
      }
    }
    const Json clocks = as_json(compare_clocks(world_));
    if (world_.is_root()) {
      print_line({{"kind", "end"}, {"cells", plan_.cells.size()}, {"seconds", elapsed()}, {"clocks", clocks}});
    }
    std::vector<std::uint64_t> bad{is_good_ ? 0ULL : 1ULL};
    world_.sum(bad);
    return bad[0] == 0 ? 0 : 1;
  }

 private:
  [[nodiscard]] double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
  }

  /// Collective. The first bytes that a rank writes to a file system take longer than all others, and so do those for
  /// which a virtual machine must fetch memory back from its host: ranks write what the largest cell has, within
  /// bounds.
  void warm_up() {
    std::uint64_t bytes = 0;
    for (const Cell& cell : plan_.cells) bytes = std::max(bytes, payload_of(cell.data));
    bytes = std::min({bytes, warm_up_most, free_bytes(scratch_.path()) / 4});
    const std::uint64_t mine = std::max<std::uint64_t>(bytes / static_cast<std::uint64_t>(world_.size()), 1);
    const std::string path = scratch_.path() + "/warm-up-" + std::to_string(world_.rank());
    const auto error = together(world_, [&] {
      const std::vector<std::byte> piece(RawFile::piece);
      TransportCounters counters;
      RawFile file(path, O_WRONLY | O_CREAT);
      for (std::uint64_t at = 0; at < mine; at += piece.size()) file.write(at, piece, counters);
      file.close();
    });
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    if (error) throw Error(*error);
  }

  /// Collective over all ranks, the first time. The first `size` ranks; the others get one they never use.
  Comm& ranks(int size) {
    const auto found = comms_.find(size);
    if (found != comms_.end()) return found->second;
    return comms_.emplace(size, world_.split(world_.rank() < size ? 0 : 1, world_.rank())).first->second;
  }
  [[nodiscard]] bool takes_part(int size) const { return world_.rank() < size; }

  /// Collective over all ranks. Why a cell must not run, or null.
  Json refusal_of(const Cell& cell) {
    return Json::parse(text_of_root(world_, world_.is_root() ? limit_of(cell).dump() : std::string()));
  }

  /// Rank 0.
  [[nodiscard]] Json limit_of(const Cell& cell) const {
    const double copies = cell.operation == "rewrite" || cell.to ? 2 : 1;
    double bytes = copies * static_cast<double>(payload_of(cell.data));
    double files = cell.files;
    const auto room = static_cast<double>(free_bytes(scratch_.path()));
    const bool fits = kept_.contains(cell.file_key()) || bytes < room;
    for (const auto& [key, kept] : kept_) {
      bytes += static_cast<double>(kept.bytes);
      files += static_cast<double>(kept.files);
    }
    const auto refuse = [&](const char* limit, const std::string& why) {
      return Json{{"kind", "refused"}, {"id", cell.id}, {"cell", cell.given}, {"limit", limit}, {"error", why}};
    };
    if (bytes > plan_.limits.bytes.value_or(bytes)) return refuse("bytes", "the files would be larger than allowed");
    if (files > plan_.limits.files.value_or(files)) return refuse("files", "there would be more files than allowed");
    if (elapsed() > plan_.limits.seconds.value_or(elapsed())) return refuse("seconds", "the time is over");
    if (!fits) return refuse("space", "the file system has no room for this cell");
    return {};
  }

  /// Collective over all ranks.
  void run_cell(const Cell& cell) {
    Comm& active = ranks(cell.active());
    started_cell_ = utc_now();
    const bool is_first = seen_.insert(cell.id).second;
    std::string folder;
    std::optional<Error> error;
    if (!cell.writes()) error = find_file(cell, folder);
    if (takes_part(cell.active())) {
      Measured measured;
      if (error) {
        measured.error = error;
      } else if (const auto wrong = wrong_.find(cell.id); wrong != wrong_.end()) {
        measured.error = wrong->second;
      } else if (cell.writes()) {
        write_cell(cell, active, measured);
      } else {
        read_cell(cell, active, folder, measured);
      }
      report(cell, active, measured, is_first);
      if (measured.error) {
        is_good_ = false;
        engines_.erase(cell.id);
        if (plan_.is_repeated()) wrong_.insert_or_assign(cell.id, *measured.error);
      }
      if (!plan_.is_repeated()) engines_.clear();
    }
    world_.barrier();
    if (world_.is_root()) forget_files();
  }

  /// Collective over the ranks of `comm`. An empty folder: one that was used before, if there is one. File systems
  /// store the files of a new folder elsewhere, where the first bytes take longer.
  std::string empty_folder(Comm& comm) {
    std::string name;
    if (comm.is_root() && !empty_.empty()) {
      name = empty_.back();
      empty_.pop_back();
    } else if (comm.is_root()) {
      name = scratch_.path() + "/" + std::to_string(folders_++);
      std::filesystem::create_directory(name);
    }
    return text_of_root(comm, name);
  }

  /// Collective over all ranks. The file that a cell reads: made outside of the clock, unless it is there.
  std::optional<Error> find_file(const Cell& cell, std::string& folder) {
    Comm& writers = ranks(cell.ranks);
    const auto kept = kept_.find(cell.file_key());
    folder = text_of_root(world_, kept == kept_.end() ? "" : kept->second.folder);
    if (!folder.empty()) return std::nullopt;
    std::optional<Error> error;
    if (takes_part(cell.ranks)) {
      folder = empty_folder(writers);
      error = make_file(cell, writers, folder);
    }
    folder = text_of_root(world_, folder);
    return together(world_, [&] {
      if (error) throw Error(*error);
    });
  }

  /// Collective over the writers.
  std::optional<Error> make_file(const Cell& cell, Comm& comm, const std::string& folder) {
    Cell maker = cell;
    maker.method = cell.maker.value_or(cell.method);
    maker.operation = "write";
    maker.cache = "none";
    maker.data.compute = 0;
    maker.to.reset();
    maker.maker.reset();
    std::unique_ptr<Engine> engine;
    auto error = together(comm, [&] {
      engine = make_engine({maker, maker.method, comm, {}, &sources_});
      Trial unmeasured;
      engine->prepare_writing();
      engine->write(folder, unmeasured);
    });
    if (!error) error = together(comm, [&] { engine->verify(folder); });
    const auto files = files_in(folder, comm);
    PageCache(comm).sync(files, true);
    if (error) {
      garbage_.push_back(folder);
    } else {
      keep(cell, folder, files);
    }
    return error;
  }

  /// Rank 0 remembers a file for later cells.
  void keep(const Cell& cell, const std::string& folder, const std::vector<FileEntry>& files) {
    if (world_.is_root()) kept_[cell.file_key()] = {folder, bytes_in(files), files.size()};
  }

  /// Collective over the active ranks.
  void write_cell(const Cell& cell, Comm& comm, Measured& measured) {
    const std::string folder = empty_folder(comm);
    std::unique_ptr<Engine>& engine = engines_[cell.id];
    const bool again = cell.operation == "rewrite";
    measured.error = together(comm, [&] {
      if (!engine) {
        engine = make_engine({cell, cell.method, comm, {}, &sources_});
        engine->prepare_writing();
      }
      Trial unmeasured;
      if (again) engine->write(folder, unmeasured);
    });
    const std::uint64_t before = again ? bytes_in(files_in(folder, comm)) : 0;
    if (!measured.error) {
      measured.predicted = engine->predicted_bytes();
      const auto work = [&](Trial& trial) { again ? engine->rewrite(folder, trial) : engine->write(folder, trial); };
      measure_trial(comm, cell, work, measured);
    }
    const auto files = files_in(folder, comm);
    if (!measured.error && !plan_.is_repeated()) {
      measured.trial.time(Phase::sync, [&] { PageCache(comm).sync(files, true); });
      measured.durable = clock_now() - measured.began;
    }
    if (!measured.error && is_verified_now()) {
      if (cell.fault.kind == Fault::Kind::spoil && comm.is_root()) spoil(files);
      comm.barrier();
      measured.error = together(comm, [&] { engine->verify(folder); });
    }
    describe_files(comm, files, measured);
    if (!measured.error) measured.error = together(comm, [&] { require_size(comm, measured); });
    // What a series has grown by, unless the same places were written once more.
    if (measured.file_bytes > before) measured.file_bytes -= before;
    if (!measured.error && cell.operation == "write" && !kept_.contains(cell.file_key())) {
      keep(cell, folder, files);
    } else {
      garbage_.push_back(folder);
    }
  }

  /// Collective over the active ranks.
  void read_cell(const Cell& cell, Comm& comm, const std::string& folder, Measured& measured) {
    std::unique_ptr<Engine>& engine = engines_[cell.id];
    const auto files = files_in(folder, comm);
    const std::string target = cell.to ? empty_folder(comm) : std::string();
    if (cell.to) garbage_.push_back(target);
    Comm readers = comm;
    if (cell.cache == "shifted") {
      measured.shift = find_shift(comm);
      readers = shifted(comm, *measured.shift);
    }
    measured.error = together(comm, [&] {
      if (engine && !cell.to) return;
      engine = make_engine({cell, cell.method, readers, target, &sources_});
      engine->prepare_reading(folder);
    });
    if (measured.error) return;
    PageCache cache(comm);
    if (cell.cache == "warm") cache.warm(files);
    const bool is_cold = cell.cache == "evicted" || cell.cache == "direct";
    measured.resident = is_cold ? cache.evict(files) : cache.resident(files);
    measure_trial(
        comm, cell, [&](Trial& trial) { engine->read(folder, trial); }, measured);
    if (!measured.error && is_verified_now()) measured.error = together(comm, [&] { engine->check_read(); });
    describe_files(comm, cell.to ? files_in(target, comm) : files, measured);
  }

  /// Cells that are repeated are verified in their first pass: others would find their memory and caches changed.
  [[nodiscard]] bool is_verified_now() const { return !plan_.is_repeated() || pass_ == 0; }

  /// Rank 0. What is in the files must be what was planned, where that is known.
  static void require_size(const Comm& comm, const Measured& measured) {
    if (!comm.is_root() || !measured.predicted || *measured.predicted == measured.file_bytes) return;
    throw Error(ErrorKind::bad_file, "the files have " + std::to_string(measured.file_bytes) +
                                         " bytes instead of the " + std::to_string(*measured.predicted) +
                                         " that were planned");
  }

  static void describe_files(const Comm& comm, const std::vector<FileEntry>& files, Measured& measured) {
    measured.file_bytes = bytes_in(files);
    measured.trial.counts["files"] = comm.is_root() ? files.size() : 0;
  }

  /// Collective over the active ranks.
  void report(const Cell& cell, Comm& comm, const Measured& measured, bool is_first) {
    const Json results = describe(comm, measured);
    std::vector<std::uint64_t> subset{Share::of(cell.data, comm.rank(), comm.size()).subset_bytes()};
    comm.sum(subset);
    const bool is_subset = cell.operation == "read-subset";
    Json cold;
    if (!cell.writes() && measured.resident) cold = *measured.resident <= cold_until;
    if (measured.shift) cold = measured.shift->warm == 0;
    // On rank 0's clock.
    const std::vector<double> began = gather(comm, measured.began - offset_ - origin_);
    if (!comm.is_root()) return;
    const bool counts = !plan_.is_repeated() || pass_ > 0;
    Json line{{"kind", counts ? "repetition" : "warm-up"},
              {"id", cell.id},
              {"cell", cell.given},
              {"pass", plan_.passes[pass_].number},
              {"order", at_},
              {"seed", plan_.seed},
              {"mode", plan_.mode},
              {"day", plan_.day},
              {"started", started_cell_}};
    line.update(results);
    line["bytes"] = {{"payload", is_subset ? subset[0] * cell.data.steps : payload_of(cell.data)},
                     {"file", measured.file_bytes},
                     {"predicted", optional(measured.predicted)}};
    line["began"] = measured.error ? Json() : Json(began);
    line["cache"] = {{"mode", cell.cache}, {"resident_before", optional(measured.resident)}, {"cold", cold}};
    if (measured.shift) line["cache"].update({{"shift", measured.shift->ranks}, {"warm_ranks", measured.shift->warm}});
    line["first_in_process"] = is_first;
    line["verified"] = !measured.error;
    line["error"] = measured.error ? Json(measured.error->what()) : Json();
    print_line(line);
  }

  /// Rank 0. Removes what no later cell reads.
  void forget_files() {
    std::set<std::string> wanted;
    for (std::size_t pass = pass_; pass < plan_.passes.size(); ++pass) {
      const std::vector<std::size_t>& places = plan_.passes[pass].cells;
      for (std::size_t later = pass == pass_ ? at_ + 1 : 0; later < places.size(); ++later) {
        const Cell& cell = plan_.cells[places[later]];
        if (!cell.writes()) wanted.insert(cell.file_key());
      }
    }
    std::erase_if(kept_, [&](const auto& entry) {
      if (wanted.contains(entry.first)) return false;
      garbage_.push_back(entry.second.folder);
      return true;
    });
    for (const std::string& folder : garbage_) {
      for (const auto& entry : std::filesystem::directory_iterator(folder)) std::filesystem::remove_all(entry.path());
      empty_.push_back(folder);
    }
    garbage_.clear();
  }

  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  Comm world_;
  CellPlan plan_;
  Scratch scratch_;
  std::map<int, Comm> comms_;
  std::map<std::string, Kept> kept_;  ///< by Cell::file_key(); on rank 0
  std::vector<std::string> garbage_;  ///< folders to clear; on rank 0
  std::vector<std::string> empty_;    ///< folders that were cleared; on rank 0
  SharedSources sources_;
  std::map<std::string, std::unique_ptr<Engine>> engines_;  ///< by Cell::id, as long as cells are repeated
  std::map<std::string, Error> wrong_;                      ///< cells of earlier passes
  std::set<std::string> seen_;
  std::size_t pass_ = 0;
  std::size_t at_ = 0;  ///< in the pass
  std::uint64_t folders_ = 0;
  std::string started_cell_;
  bool is_good_ = true;
  double offset_ = 0;  ///< of this rank's clock, ahead of rank 0's
  double origin_ = 0;  ///< when the program began, by rank 0's clock
};

}  // namespace

int run_cells(const CellsRequest& request, Comm world) {
  Cells cells(request, std::move(world));
  try {
    return cells.run();
  } catch (const Error& error) {
    // Errors of cells are lines. This one is known to a rank alone, for which the others wait.
    throw std::runtime_error(error.what());
  }
}

}  // namespace quire::bench
