#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "format/sion/notes.hpp"
#include "format/sion/physical_file.hpp"
#include "quire/spi/format/describer.hpp"
#include "quire/spi/format/describer_capabilities.hpp"

namespace quire::sion {

/// The warning for a file that has lost the origins of its merged streams.
inline constexpr const char* origins_lost =
    "the origins of merged streams are lost: each of them is shown with all bytes of its group of tasks";

struct ReadRules {
  bool lenient = false;  ///< accept newer versions, and chunks that run over their end
  bool buddy = false;    ///< use copies in place of missing files
  bool merged = false;   ///< show merged streams as stored, even if the file has their origins
  bool cut = false;      ///< report missing, cut or damaged files only when their step is read
};

/// The name of a physical file of a set, from the name of the first file: specs/sion.md section 3.5.
[[nodiscard]] std::string member_name(const std::string& first, std::uint64_t number);

/// The names of the same set, and of its copies: specs/sion.md section 7.
[[nodiscard]] std::vector<std::string> sets_of(const std::string& name);

/// Describes a multifile, a set of physical files or a single one, as one step of streams and a table of the tasks.
class SionDescriber final : public Describer, public OpaqueReader, public DamageReader, public StreamFinder {
 public:
  SionDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context, const ReadRules& rules);

  [[nodiscard]] const FileDescription& file() const override { return description_; }
  [[nodiscard]] std::uint64_t steps() override { return first().is_closed() && !damage_ ? 1 : 0; }
  [[nodiscard]] std::int64_t step_number(std::uint64_t /*index*/) override { return 0; }
  [[nodiscard]] std::optional<StepLayout> step(std::uint64_t index) override;
  [[nodiscard]] DescriberCapabilities capabilities() override {
    return {.opaque = this, .damage = this, .streams = this};
  }
  [[nodiscard]] std::optional<StepLayout> verified(std::uint64_t index) override;
  [[nodiscard]] std::optional<StepLayout> salvage(std::uint64_t index) override;
  [[nodiscard]] std::vector<StreamLayout> streams(std::uint64_t index, StreamsBy by,
                                                  std::span<const std::int64_t> wanted) override;
  void read_opaque(std::uint64_t index, const std::string& object, std::uint64_t component, const Slice& rows,
                   const View& out) override;

 private:
  /// One physical file of the set.
  struct Member {
    std::uint64_t number = 0;  ///< in the set
    std::unique_ptr<PhysicalFile> file;
    bool is_copy = false;  ///< a copy is used in its place
    /// For each task, the extents that came from it, if the file has the origins of merged streams.
    std::vector<std::vector<Extent>> unmerged;
    std::uint64_t first_task = 0;  ///< number of tasks in the files before it, in a set that was not closed
    /// Its place in the address space, if it is not its number: the first file is the one that was opened.
    std::optional<std::uint64_t> address = {};
  };
  /// The place of a stream.
  struct Entry {
    std::int64_t rank = 0;
    std::uint64_t member = 0;  ///< index in the list of existing files
    std::uint64_t task = 0;
  };

  [[nodiscard]] const PhysicalFile& first() const noexcept { return *members_.front().file; }
  [[nodiscard]] const Member& member_of(const Entry& entry) const {
    return members_[static_cast<std::size_t>(entry.member)];
  }
  [[nodiscard]] PhysicalFile::Options file_options() const;
  [[nodiscard]] std::uint64_t own_number(const Header& header) const;
  void check_set(const PhysicalFile& file) const;
  void open_first();
  void take_copy_of_first(const Error& damage);
  void load_siblings();
  /// The names of the first files of the set, and of its copies if they are used.
  [[nodiscard]] std::vector<std::string> sets() const;
  [[nodiscard]] Error absence_of(const std::string& name) const;
  [[nodiscard]] Member sibling(std::uint64_t number, std::string& name);
  [[nodiscard]] Member opened_sibling(std::uint64_t number, const std::string& name,
                                      std::shared_ptr<ByteSource> bytes) const;
  void check_sibling(const Member& member, const std::string& name) const;
  void require_whole() const;
  void list_lost(std::vector<std::string>& sentences) const;
  /// Whether a file of the set has lost the origins of its merged streams.
  [[nodiscard]] bool has_lost_origins() const;
  [[nodiscard]] std::string tasks_in(std::uint64_t number) const;
  [[nodiscard]] std::uint64_t files_to_look_for();
  void list_whole_streams();
  void list_streams();
  void index_ranks();
  void find_open_siblings();
  void read_sizes(Member& member);
  [[nodiscard]] bool must_guess(const Member& member) const;
  void begin_salvage();
  void find_sizes();
  void list_mapped_streams();
  void unmerge(Member& member);
  void describe_layout();
  [[nodiscard]] std::optional<StepLayout> lay_out() const;
  [[nodiscard]] std::size_t find(StreamsBy by, std::int64_t wanted) const;
  [[nodiscard]] std::vector<Extent> chunks_of(const Entry& entry) const;
  [[nodiscard]] StreamLayout layout_of(std::size_t index);
  [[nodiscard]] std::int64_t number_of(std::size_t stream, std::size_t column) const;

  std::shared_ptr<ByteSource> bytes_;
  DescribeContext context_;
  ReadRules rules_;
  std::string name_;  ///< of the first file, without its directory
  std::vector<Member> members_;
  std::vector<Entry> entries_;                                   ///< of all streams, in their order
  std::vector<std::pair<std::int64_t, std::uint64_t>> by_rank_;  ///< sorted
  FileDescription description_;
  std::optional<Notes> notes_;          ///< of the writers of a set that was not closed
  bool salvaging_ = false;              ///< all remaining bytes are wanted: sizes may not be known
  std::optional<Error> damage_;         ///< the first damage, if it is not raised at once
  std::string used_copy_;               ///< the copy that is used in place of a damaged first file
  std::vector<std::uint64_t> missing_;  ///< files of the set that could not be read
};

}  // namespace quire::sion
