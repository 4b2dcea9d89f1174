#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "format/nektar/one_step.hpp"
#include "format/nektar/streams/stream.hpp"
#include "format/sion/describer.hpp"

namespace quire::nektar {

/// Whether the streams of a multifile contain fields. False for damaged files and for files that were not closed.
[[nodiscard]] bool holds_field_streams(const std::shared_ptr<ByteSource>& bytes);

/// Describes fields in the streams of a multifile (specs/nektar-fld.md section 7): the blocks of all tasks are one
/// step. Numbers inside one chunk are addressed in the file, others are read through the streams.
class StreamDescriber final : public OneStepDescriber, public DamageReader {
 public:
  StreamDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context, Blocks blocks);
  ~StreamDescriber() override;

  [[nodiscard]] std::uint64_t steps() override { return container_.steps(); }
  [[nodiscard]] DescriberCapabilities capabilities() override { return {.opaque = this, .damage = this}; }
  [[nodiscard]] std::optional<StepLayout> verified(std::uint64_t index) override { return step(index); }
  /// The step with the whole streams, if any of them have blocks.
  [[nodiscard]] std::optional<StepLayout> salvage(std::uint64_t index) override;
  void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                   const View& out) override;

 private:
  class Bytes;  ///< of one stream
  /// Elements of a table from one stream.
  struct Source {
    std::uint64_t stream = 0;
    std::uint64_t first_element = 0;
    std::uint64_t first_coefficient = 0;
    Extent orders;  ///< in the stream
    Extent ids;
    Extent values;
  };
  /// The blocks that are one table.
  struct Joined {
    Block block;
    std::vector<Source> sources;
    std::vector<Piece> orders;  ///< in the file, while each source is contiguous there
    std::vector<Piece> ids;
    std::vector<Piece> values;
    bool is_opaque = false;
  };

  /// The rest of a damaged step.
  struct Saved {
    StepLayout step;
    std::vector<Joined> joined;
  };

  void describe() override;
  /// Adds the metadata of the step; if `only_whole_`, lost metadata are a warning.
  void take_metadata();
  /// Adds a stream; if `only_whole_`, an error in it is a warning that names its task.
  void attempt(const StreamLayout& layout, std::map<std::string, std::size_t>& known);
  void take_stream(const StreamLayout& layout, std::map<std::string, std::size_t>& known);
  void take_block(const StreamLayout& layout, StreamBlock block, std::map<std::string, std::size_t>& known);
  void add_table(Joined& joined, BlockTables& tables);
  [[nodiscard]] StreamLayout layout_of(std::uint64_t stream);
  [[nodiscard]] std::shared_ptr<ByteSource> member(std::uint64_t number);
  void read(const Joined& joined, bool elements, std::size_t column, Slice rows, std::span<std::byte> out);

  std::shared_ptr<ByteSource> bytes_;
  Blocks blocks_;
  sion::SionDescriber container_;
  std::vector<Joined> joined_;  ///< two tables each, in the order of the step
  std::string metadata_;
  std::int64_t metadata_task_ = 0;  ///< the task whose stream contains them
  std::string lost_metadata_;       ///< the warning if no stream has whole metadata
  bool only_whole_ = false;
  std::optional<Saved> saved_;
  std::uint64_t open_member_ = 0;
  std::shared_ptr<ByteSource> open_file_;
  std::unique_ptr<Bytes> open_stream_;  ///< the last one that was read
  std::uint64_t open_number_ = 0;
};

}  // namespace quire::nektar
