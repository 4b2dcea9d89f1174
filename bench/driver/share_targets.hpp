#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "driver/engine.hpp"
#include "driver/share.hpp"
#include "quire/base/error.hpp"

namespace quire::bench {

/// Where an engine reads the share of a rank to, step by step, and how much of it the operation asks for.
class ShareTargets {
 public:
  explicit ShareTargets(ShareMemory::Order order) : order_(order) {}

  /// Memory that holds nothing yet of what is to be read.
  void prepare(const Cell& cell, int rank, int size) {
    targets_.clear();
    for (std::uint64_t s = 0; s < cell.data.steps; ++s) {
      targets_.push_back(std::make_unique<ShareMemory>(Share::of(cell.data, rank, size), order_));
      targets_.back()->forget();
    }
    const Share& share = targets_.front()->share();
    wanted_ = cell.operation == "read-subset" ? share.subset_quantities() : share.quantities();
  }
  [[nodiscard]] const ShareMemory& of_step(std::uint64_t step) const { return *targets_[step]; }
  /// The first quantities, which are read.
  [[nodiscard]] std::size_t wanted() const noexcept { return wanted_; }
  /// Throws bad_file errors unless what was written has been read.
  void check() const {
    for (const auto& target : targets_) target->check(wanted_);
  }

 private:
  ShareMemory::Order order_;
  std::vector<std::unique_ptr<ShareMemory>> targets_;
  std::size_t wanted_ = 0;
};

/// What engines have in common whose files have a place for every share of every case.
class ShareEngine : public Engine {
 public:
  ShareEngine(Task given, ShareMemory::Order order) : Engine(std::move(given)), order_(order), targets_(order) {}

  void prepare_writing() override { source_ = make_source(order_); }
  void verify(const std::string& folder) override {
    targets_.prepare(cell(), (comm().rank() + 1) % comm().size(), comm().size());
    Trial trial;
    read(folder, trial);
    check_read();
  }
  void prepare_reading(const std::string& /*folder*/) override {
    targets_.prepare(cell(), comm().rank(), comm().size());
  }
  void check_read() override { targets_.check(); }

 protected:
  /// Throws unsupported errors for data that a file of arrays of float64 does not hold.
  void require_doubles() const {
    const auto is_double = [](Type type) { return type == Type::float64; };
    if (cell().data.kind != Case::Kind::elements && std::ranges::all_of(cell().data.columns, is_double)) return;
    throw Error(ErrorKind::unsupported, "this engine writes tables and fields of float64");
  }
  [[nodiscard]] const ShareMemory& source() const noexcept { return *source_; }
  [[nodiscard]] const ShareTargets& targets() const noexcept { return targets_; }

 private:
  ShareMemory::Order order_;
  std::shared_ptr<const ShareMemory> source_;
  ShareTargets targets_;
};

}  // namespace quire::bench
