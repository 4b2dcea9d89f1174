#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "format/hdf5/image/snapshot.hpp"
#include "quire/spi/format/describer.hpp"
#include "quire/spi/format/describer_capabilities.hpp"

namespace quire::hdf5 {

/// Describes a file that a writer may change at the same time. Each result belongs to one publication. Later results
/// may belong to a later publication, but the list of steps remains that of the time of opening.
class LiveDescriber final : public Describer,
                            public OpaqueReader,
                            public Repairer,
                            public StepRemover,
                            public AttachmentReader {
 public:
  /// Creates the describer of bytes that do not change.
  using Make = std::function<std::unique_ptr<Describer>(std::shared_ptr<ByteSource>)>;

  LiveDescriber(std::shared_ptr<ByteSource> file, const DescribeContext& context, Make make,
                std::chrono::milliseconds patience = Snapshot::usual_patience);

  [[nodiscard]] const FileDescription& file() const override { return kept_ ? kept_->file : inner_->file(); }
  [[nodiscard]] std::uint64_t steps() override { return kept_ ? kept_->numbers.size() : inner_->steps(); }
  [[nodiscard]] std::int64_t step_number(std::uint64_t index) override;
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override;
  /// Those of the described file that a writer may change.
  [[nodiscard]] DescriberCapabilities capabilities() override { return capabilities_; }
  void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                   const View& out) override;
  void adopt(std::uint64_t index, const StepLayout& layout) override;
  void read_attachment(const std::string& name, std::uint64_t offset, std::span<std::byte> out) override;
  [[nodiscard]] Publication repair() override;
  [[nodiscard]] Publication drop(std::span<const std::int64_t> numbers) override;

 private:
  /// The description of the file when it was opened, stored when it is described again.
  struct Kept {
    FileDescription file;
    std::vector<std::int64_t> numbers;
  };

  template <class Work>
  auto consistently(Work&& work);
  void look(const std::function<void()>& first, const std::function<void()>& again);
  void make_inner();
  /// Describes the file again.
  void renew();
  /// The current index of a step; no value for an index after the last step. Throws missing errors for a step that was
  /// removed.
  [[nodiscard]] std::optional<std::uint64_t> present_index(std::uint64_t index);

  std::shared_ptr<Snapshot> snapshot_;
  std::string path_;
  Make make_;
  std::unique_ptr<Describer> inner_;
  DescriberCapabilities capabilities_;
  std::optional<Kept> kept_;
};

}  // namespace quire::hdf5
