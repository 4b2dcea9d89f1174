#include "format/hdf5/image/live_describer.hpp"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace quire::hdf5 {

LiveDescriber::LiveDescriber(std::shared_ptr<ByteSource> file, const DescribeContext& context, Make make,
                             std::chrono::milliseconds patience)
    : snapshot_(std::make_shared<Snapshot>(std::move(file), context.memory_budget, patience)),
      path_(context.path),
      make_(std::move(make)) {
  const auto make_it = [this] { make_inner(); };
  look(make_it, make_it);
  const DescriberCapabilities found = inner_->capabilities();
  capabilities_.looks_ahead = found.looks_ahead;
  if (found.opaque != nullptr) capabilities_.opaque = this;
  if (found.repairer != nullptr) capabilities_.repairer = this;
  if (found.remover != nullptr) capabilities_.remover = this;
  if (found.attachments != nullptr) capabilities_.attachments = this;
}

void LiveDescriber::look(const std::function<void()>& first, const std::function<void()>& again) {
  try {
    snapshot_->look(first, again);
  } catch (Error& error) {
    if (error.file().empty() && !path_.empty()) error.in_file(path_);
    throw;
  }
}

void LiveDescriber::make_inner() {
  inner_.reset();  // two describers would need the memory twice
  inner_ = make_(snapshot_);
}

void LiveDescriber::renew() {
  if (!kept_ && inner_) {
    Kept kept{.file = inner_->file(), .numbers = {}};
    for (std::uint64_t i = 0; i < inner_->steps(); ++i) kept.numbers.push_back(inner_->step_number(i));
    kept_ = std::move(kept);
  }
  make_inner();
}

template <class Work>
auto LiveDescriber::consistently(Work&& work) {
  using Result = decltype(work(*inner_));
  const auto renewed = [&](const auto& act) {
    renew();
    act();
  };
  const auto run = [&](const auto& act) {
    const auto again = [&] { renewed(act); };
    // The describer is missing if it could not be created again.
    if (inner_) return look(act, again);
    look(again, again);
  };
  if constexpr (std::is_void_v<Result>) {
    run([&] { work(*inner_); });
  } else {
    std::optional<Result> result;
    run([&] { result = work(*inner_); });
    return *std::move(result);
  }
}

std::int64_t LiveDescriber::step_number(std::uint64_t index) {
  if (!kept_) return inner_->step_number(index);
  if (index < kept_->numbers.size()) return kept_->numbers[static_cast<std::size_t>(index)];
  throw Error(ErrorKind::missing, "there is no step at this index").in_file(path_);
}

std::optional<std::uint64_t> LiveDescriber::present_index(std::uint64_t index) {
  if (!kept_) return index;
  if (index >= kept_->numbers.size()) return std::nullopt;
  const std::int64_t number = kept_->numbers[static_cast<std::size_t>(index)];
  // If steps were only appended, a step keeps its index.
  const std::uint64_t steps = inner_->steps();
  if (index < steps && inner_->step_number(index) == number) return index;
  for (std::uint64_t i = 0; i < steps; ++i) {
    if (inner_->step_number(i) == number) return i;
  }
  throw Error(ErrorKind::missing,
              "step " + std::to_string(number) + " has been removed from the file since it was opened")
      .in_file(path_);
}

std::optional<StepLayout> LiveDescriber::step(std::uint64_t index) {
  return consistently([&](Describer& inner) {
    const auto present = present_index(index);
    return present ? inner.step(*present) : std::nullopt;
  });
}

void LiveDescriber::read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component,
                                const Slice& rows, const View& out) {
  consistently([&](Describer& inner) {
    const auto present = present_index(index);
    if (!present) throw Error(ErrorKind::missing, "there is no step at this index").in_file(path_);
    inner.capabilities().opaque->read_opaque(*present, object, component, rows, out);
  });
}

void LiveDescriber::adopt(std::uint64_t index, const StepLayout& layout) {
  consistently([&](Describer& inner) {
    if (const auto present = present_index(index)) inner.capabilities().opaque->adopt(*present, layout);
  });
}

void LiveDescriber::read_attachment(const std::string& name, std::uint64_t offset, std::span<std::byte> out) {
  consistently([&](Describer& inner) { inner.capabilities().attachments->read_attachment(name, offset, out); });
}

Publication LiveDescriber::repair() {
  return consistently([](Describer& inner) { return inner.capabilities().repairer->repair(); });
}

Publication LiveDescriber::drop(std::span<const std::int64_t> numbers) {
  return consistently([&](Describer& inner) { return inner.capabilities().remover->drop(numbers); });
}

}  // namespace quire::hdf5
