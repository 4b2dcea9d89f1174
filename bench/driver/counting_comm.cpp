#include "driver/counting_comm.hpp"

#include <utility>

namespace quire::bench {
namespace {

class CountingBackend final : public CommBackend {
 public:
  CountingBackend(std::shared_ptr<CommBackend> inner, CommCounts& counts) : inner_(std::move(inner)), counts_(counts) {}

  [[nodiscard]] int rank() const noexcept override { return inner_->rank(); }
  [[nodiscard]] int size() const noexcept override { return inner_->size(); }
  void barrier(Deadline deadline) override {
    ++counts_.collectives;
    inner_->barrier(deadline);
  }
  void sum(std::span<std::uint64_t> words, Deadline deadline) override {
    ++counts_.collectives;
    inner_->sum(words, deadline);
  }
  void maximum(std::span<std::uint64_t> words, Deadline deadline) override {
    ++counts_.collectives;
    inner_->maximum(words, deadline);
  }
  void prefix(std::span<std::uint64_t> words, Deadline deadline) override {
    ++counts_.collectives;
    inner_->prefix(words, deadline);
  }
  void sum_and_prefix(std::span<std::uint64_t> words, std::span<std::uint64_t> lower, std::span<std::uint64_t> maxima,
                      Deadline deadline) override {
    ++counts_.collectives;
    inner_->sum_and_prefix(words, lower, maxima, deadline);
  }
  void prefix_maximum(std::span<std::uint64_t> words, Deadline deadline) override {
    ++counts_.collectives;
    inner_->prefix_maximum(words, deadline);
  }
  void broadcast(std::span<std::byte> bytes, int root, Deadline deadline) override {
    ++counts_.collectives;
    inner_->broadcast(bytes, root, deadline);
  }
  void reduce_and_answer(std::span<std::uint64_t> words, std::span<std::uint64_t> lower,
                         std::span<std::uint64_t> maxima, std::span<std::byte> reply,
                         const std::function<void()>& answer, Deadline deadline) override {
    ++counts_.collectives;
    inner_->reduce_and_answer(words, lower, maxima, reply, answer, deadline);
  }
  [[nodiscard]] std::vector<std::byte> gather_scatter(std::vector<std::byte> question, const RootReply& reply,
                                                      Deadline deadline) override {
    ++counts_.collectives;
    counts_.messages += question.empty() ? 0 : 1;
    counts_.message_bytes += question.size();
    return inner_->gather_scatter(std::move(question), reply, deadline);
  }
  [[nodiscard]] std::vector<Parcel> exchange(std::vector<Parcel> parcels, Deadline deadline) override {
    ++counts_.collectives;
    for (const Parcel& parcel : parcels) {
      counts_.messages += parcel.bytes.empty() ? 0 : 1;
      counts_.message_bytes += parcel.bytes.size();
    }
    return inner_->exchange(std::move(parcels), deadline);
  }
  [[nodiscard]] std::shared_ptr<CommBackend> split(int color, int key) override {
    ++counts_.collectives;
    return std::make_shared<CountingBackend>(inner_->split(color, key), counts_);
  }
  [[nodiscard]] std::shared_ptr<CommBackend> split_by_node() override {
    return std::make_shared<CountingBackend>(inner_->split_by_node(), counts_);
  }
  [[nodiscard]] const void* native() const noexcept override { return inner_->native(); }

 private:
  std::shared_ptr<CommBackend> inner_;
  CommCounts& counts_;
};

}  // namespace

Comm counting(const Comm& comm, CommCounts& counts) {
  // The handle keeps the backend only; what it points to is shared with `comm`, which outlives the measurement.
  const std::shared_ptr<CommBackend> inner(&comm.backend(), [](CommBackend*) {});
  return Comm(std::make_shared<CountingBackend>(inner, counts));
}

}  // namespace quire::bench
