#include "format/nektar/streams/describer.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>

#include "format/nektar/metadata.hpp"
#include "format/nektar/values.hpp"
#include "quire/spi/base/checked.hpp"
#include "quire/spi/plan/member.hpp"

namespace quire::nektar {
namespace {

constexpr std::uint64_t streams_at_once = 256;
constexpr std::uint64_t most_streams_checked = 4096;
constexpr std::uint64_t streams_unlike_fields = 64;
constexpr std::size_t numbers_at_once = std::size_t{32} << 10;
constexpr std::uint64_t look_budget = std::uint64_t{64} << 20;

/// The offset in the file of bytes of a stream, if they are contiguous there.
std::optional<std::uint64_t> address_of(const StreamLayout& layout, const Extent& part) {
  std::uint64_t first = 0;
  for (const Extent& chunk : layout.chunks) {
    if (part.offset >= first && part.offset - first < chunk.length) {
      if (part.length > chunk.length - (part.offset - first)) return std::nullopt;
      return chunk.offset + (part.offset - first);
    }
    first += chunk.length;
  }
  return part.length == 0 ? std::optional<std::uint64_t>(0) : std::nullopt;
}

/// The first bytes of a stream, as far as they are in the first file of a set.
std::vector<std::byte> head_of(ByteSource& bytes, const StreamLayout& stream) {
  std::vector<std::byte> head;
  for (const Extent& chunk : stream.chunks) {
    const std::size_t before = head.size();
    if (before == stream_head_bytes || member_of(chunk.offset) != 0) break;
    head.resize(before + static_cast<std::size_t>(std::min<std::uint64_t>(stream_head_bytes - before, chunk.length)));
    const std::size_t found = bytes.read(chunk.offset, std::span(head).subspan(before));
    head.resize(before + found);
  }
  return head;
}

std::vector<Cell> cells_of(Type type, std::size_t first, std::size_t count) {
  std::vector<Cell> cells;
  for (std::size_t c = 0; c < count; ++c) cells.push_back({.column = first + c, .type = type});
  return cells;
}

std::string lost_metadata(std::int64_t task) {
  return "the metadata (time, number of the step) were in the stream of task " + std::to_string(task) + " and are lost";
}

/// Parses a stream with or without the rank at its beginning: streams that were to be merged have it.
Stream parse_either(ByteSource& bytes, StreamExtent wanted) {
  try {
    return parse_stream(bytes, false, wanted);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_file) throw;
    try {
      return parse_stream(bytes, true, wanted);
    } catch (const Error&) {
      throw error;
    }
  }
}

}  // namespace

/// The bytes of one stream, whose chunks may be in any file of a set.
class StreamDescriber::Bytes final : public ByteSource {
 public:
  Bytes(StreamDescriber& owner, StreamLayout layout) : owner_(owner), layout_(std::move(layout)) {}
  [[nodiscard]] std::uint64_t size() override { return layout_.bytes(); }
  [[nodiscard]] std::size_t read(std::uint64_t offset, std::span<std::byte> out) override {
    std::size_t done = 0;
    for (const Extent& chunk : layout_.chunks) {
      if (offset >= chunk.length) {
        offset -= chunk.length;
        continue;
      }
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size() - done, chunk.length - offset));
      const auto part = out.subspan(done, count);
      const std::uint64_t address = chunk.offset + offset;
      done += owner_.member(member_of(address))->read(offset_in(address), part);
      if (done == out.size()) break;
      offset = 0;
    }
    return done;
  }

 private:
  StreamDescriber& owner_;
  StreamLayout layout_;
};

bool holds_field_streams(const std::shared_ptr<ByteSource>& bytes) {
  try {
    sion::SionDescriber container(bytes, {.path = "", .memory_budget = look_budget, .neighbour = {}}, {});
    if (container.steps() == 0) return false;
    const std::uint64_t streams = container.step(0)->description.streams;
    // One stream of fields is enough to recognise a file: others may be damaged. In files with other contents only a
    // few streams are checked.
    std::uint64_t unlike = 0;
    for (std::uint64_t i = 0; i < std::min(streams, most_streams_checked); ++i) {
      const auto wanted = static_cast<std::int64_t>(i);
      const StreamLayout stream = container.streams(0, StreamsBy::index, std::span(&wanted, 1)).front();
      if (stream.chunks.empty()) continue;
      const std::vector<std::byte> head = head_of(*bytes, stream);
      if (begins_like_stream(head)) return true;
      // Streams of tasks without blocks do not count.
      const bool is_empty = stream.bytes() == stream_opening(0).size() && std::ranges::equal(head, stream_opening(0));
      if (!is_empty && ++unlike == streams_unlike_fields) return false;
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::io) throw;
  }
  return false;
}

StreamDescriber::StreamDescriber(std::shared_ptr<ByteSource> bytes, DescribeContext context, Blocks blocks)
    : OneStepDescriber(std::move(context)), bytes_(bytes), blocks_(blocks), container_(std::move(bytes), context_, {}) {
  description_ = container_.file();
  description_.format = "nektar";
  // The name of the layout in the options of the writer.
  description_.layout.insert(description_.layout.begin(), {{"flavour", "streams"}, {"layout", "streams"}});
}

StreamDescriber::~StreamDescriber() = default;

std::shared_ptr<ByteSource> StreamDescriber::member(std::uint64_t number) {
  if (number == 0) return bytes_;
  if (open_file_ && open_member_ == number) return open_file_;
  const std::string& name = description_.members.at(static_cast<std::size_t>(number));
  open_file_ = context_.neighbour ? context_.neighbour(name) : nullptr;
  open_member_ = number;
  if (!open_file_) throw Error(ErrorKind::missing, name + " is missing").on(name);
  return open_file_;
}

StreamLayout StreamDescriber::layout_of(std::uint64_t stream) {
  const auto wanted = static_cast<std::int64_t>(stream);
  return container_.streams(0, StreamsBy::index, std::span(&wanted, 1)).front();
}

void StreamDescriber::describe() {
  joined_.clear();
  metadata_.clear();
  lost_metadata_.clear();
  const auto whole = container_.step(0);
  if (!whole) throw Error(ErrorKind::bad_file, "the multifile was not finished");
  const std::uint64_t streams = whole->description.streams;
  std::map<std::string, std::size_t> known;
  for (std::uint64_t first = 0; first < streams; first += streams_at_once) {
    std::vector<std::int64_t> wanted(static_cast<std::size_t>(std::min(streams_at_once, streams - first)));
    std::iota(wanted.begin(), wanted.end(), static_cast<std::int64_t>(first));
    for (const StreamLayout& layout : container_.streams(0, StreamsBy::index, wanted)) attempt(layout, known);
  }
  step_->end = whole->end;
  BlockTables tables(*step_);
  for (Joined& joined : joined_) add_table(joined, tables);
  take_metadata();
  restore_version(step_->description.attributes);
  step_->description.number = number_of(step_->description.attributes);
}

void StreamDescriber::take_metadata() {
  StepDescription& description = step_->description;
  try {
    if (!metadata_.empty()) add_metadata(metadata_, description.attributes, description.warnings);
  } catch (const Error& error) {
    if (!only_whole_ || error.kind() != ErrorKind::bad_file) throw;
    description.warnings.push_back(error.message());
    lost_metadata_ = lost_metadata(metadata_task_);
    metadata_.clear();
  }
  if (metadata_.empty() && !lost_metadata_.empty()) description.warnings.push_back(lost_metadata_);
}

void StreamDescriber::attempt(const StreamLayout& layout, std::map<std::string, std::size_t>& known) {
  try {
    take_stream(layout, known);
  } catch (const Error& error) {
    if (!only_whole_) throw;
    step_->description.warnings.push_back(error.object() + ": " + error.message());
    // The metadata are in this stream, if there are any: only streams of the second layout have them.
    if (layout.index == 0) lost_metadata_ = lost_metadata(layout.rank) + ", if there were any";
  }
}

void StreamDescriber::take_stream(const StreamLayout& layout, std::map<std::string, std::size_t>& known) {
  try {
    // The stream of a task without blocks has 12 bytes.
    if (layout.bytes() == 0) throw Error(ErrorKind::bad_file, "the stream is empty").at(0);
    Bytes bytes(*this, layout);
    Stream stream = parse_either(bytes, only_whole_ ? StreamExtent::blocks : StreamExtent::all);
    if (metadata_.empty() && !stream.metadata.empty()) {
      metadata_ = std::move(stream.metadata);
      metadata_task_ = layout.rank;
    }
    if (stream.metadata_damage) {
      const std::string name = "stream of task " + std::to_string(layout.rank);
      step_->description.warnings.push_back(name + ": " + stream.metadata_damage->message());
      if (lost_metadata_.empty()) lost_metadata_ = lost_metadata(layout.rank);
    }
    for (StreamBlock& block : stream.blocks) take_block(layout, std::move(block), known);
  } catch (Error& error) {
    error.on("stream of task " + std::to_string(layout.rank));
    if (!error.advice().empty()) throw;
    throw error.advise("format=sion reads the streams as bytes; quire recover --rows keeps those of the other tasks");
  }
}

void StreamDescriber::take_block(const StreamLayout& layout, StreamBlock block,
                                 std::map<std::string, std::size_t>& known) {
  std::size_t place = joined_.size();
  if (blocks_ == Blocks::joined) place = known.emplace(kind_of(block), place).first->second;
  if (place == joined_.size()) {
    Joined& made = joined_.emplace_back();
    made.block = block;
    made.block.elements = made.block.coefficients = 0;
    if (blocks_ == Blocks::each) made.block.expansion.origin = "task " + std::to_string(layout.rank);
  }
  if (block.elements == 0) return;
  Joined& joined = joined_[place];
  const std::uint64_t elements = joined.block.elements;
  const std::uint64_t coefficients = joined.block.coefficients;
  const auto keep = [&](std::vector<Piece>& pieces, std::uint64_t first, const Extent& part) {
    const auto address = address_of(layout, part);
    if (address) pieces.push_back({first, *address});
    joined.is_opaque = joined.is_opaque || !address;
  };
  keep(joined.ids, elements, block.ids);
  keep(joined.values, coefficients, block.values);
  if (block.expansion.is_mixed()) keep(joined.orders, elements, block.orders);
  joined.sources.push_back({layout.index, elements, coefficients, block.orders, block.ids, block.values});
  joined.block.elements = checked_add(elements, block.elements);
  joined.block.coefficients = checked_add(coefficients, block.coefficients);
}

void StreamDescriber::add_table(Joined& joined, BlockTables& tables) {
  Run like;
  like.order = ByteOrder::little;
  const Block& block = joined.block;
  const auto value_cells = cells_of(Type::float64, 0, block.variables.size());
  const auto order_cells = cells_of(Type::uint32, 1, block.expansion.is_mixed() ? block.expansion.basis.size() : 0);
  const auto id_cells = cells_of(Type::uint32, 0, 1);
  Place values;
  Place elements;
  if (joined.is_opaque) {
    values.runs = runs_in_pieces(like, {}, block.coefficients, value_cells, true);
    elements.runs = runs_in_pieces(like, {}, block.elements, id_cells, true);
    for (const Cell& cell : order_cells) {
      const auto more = runs_in_pieces(like, {}, block.elements, {cell}, true);
      elements.runs.insert(elements.runs.end(), more.begin(), more.end());
    }
    for (Place* place : {&values, &elements}) {
      for (Run& run : place->runs) run.opaque = true;
    }
  } else {
    values.runs = runs_in_pieces(like, std::move(joined.values), block.coefficients, value_cells, true);
    elements.runs = runs_in_pieces(like, std::move(joined.ids), block.elements, id_cells, true);
    if (!order_cells.empty()) {
      const auto more = runs_in_pieces(like, std::move(joined.orders), block.elements, order_cells, false);
      elements.runs.insert(elements.runs.end(), more.begin(), more.end());
    }
    joined.sources.clear();
  }
  tables.add(block, std::move(values), std::move(elements));
}

// ---- Columns that are not contiguous

void StreamDescriber::read(const Joined& joined, bool elements, std::size_t column, Slice rows,
                           std::span<std::byte> out) {
  const std::size_t size = elements ? sizeof(std::uint32_t) : sizeof(double);
  for (std::size_t s = 0; s < joined.sources.size() && rows.count > 0; ++s) {
    const Source& source = joined.sources[s];
    const std::uint64_t begin = elements ? source.first_element : source.first_coefficient;
    const std::uint64_t count = elements ? source.ids.length / sizeof(std::uint32_t)
                                         : source.values.length / sizeof(double) / joined.block.variables.size();
    if (rows.first >= begin + count) continue;
    const Slice part{rows.first - begin, std::min(rows.count, begin + count - rows.first)};
    if (!open_stream_ || open_number_ != source.stream) {
      open_stream_ = std::make_unique<Bytes>(*this, layout_of(source.stream));
      open_number_ = source.stream;
    }
    const auto fetch = [&](std::uint64_t offset, std::span<std::byte> to) {
      if (open_stream_->read(offset, to) != to.size()) throw Error(ErrorKind::bad_file, "the stream ends early");
    };
    if (elements && column > 0) {
      const std::uint64_t width = joined.block.expansion.basis.size();
      std::vector<std::byte> modes(static_cast<std::size_t>(part.count * width) * size);
      fetch(source.orders.offset + part.first * width * size, modes);
      for (std::size_t i = 0; i < part.count; ++i) {
        std::memcpy(out.data() + i * size, modes.data() + (i * width + column - 1) * size, size);
      }
    } else {
      const std::uint64_t place = elements ? source.ids.offset : source.values.offset + column * count * size;
      fetch(place + part.first * size, out.first(static_cast<std::size_t>(part.count) * size));
    }
    out = out.subspan(static_cast<std::size_t>(part.count) * size);
    rows = {rows.first + part.count, rows.count - part.count};
  }
}

void StreamDescriber::read_opaque(std::uint64_t index, const std::string& object, std::uint64_t /*component*/,
                                  const Slice& rows, const View& out) {
  guarded([&] {
    require_step(index);
    const bool is_saved = saved_ && !step_;
    const StepLayout& step = is_saved ? saved_->step : layout();
    const ColumnPosition position = column_of(step, object);
    const bool elements = !step.description.tables[position.table].expansion;
    const Joined& joined = (is_saved ? saved_->joined : joined_).at(position.table / 2);
    const auto read_into = [&](const Slice& part, auto to) {
      read(joined, elements, position.column, part, std::as_writable_bytes(to));
      if constexpr (native_order != ByteOrder::little) {
        for (auto& one : to)
          one = load<std::decay_t<decltype(one)>>(reinterpret_cast<const std::byte*>(&one), ByteOrder::little);
      }
    };
    if (elements) return in_pieces<std::uint32_t>(Type::uint32, rows, out, object, numbers_at_once, read_into);
    in_pieces<double>(Type::float64, rows, out, object, numbers_at_once, read_into);
  });
}

// ---- The whole streams of damaged files

std::optional<StepLayout> StreamDescriber::salvage(std::uint64_t index) {
  if (index > 0 || container_.steps() == 0) return std::nullopt;
  step_.reset();
  only_whole_ = true;
  try {
    static_cast<void>(layout());
  } catch (...) {
    only_whole_ = false;
    throw;
  }
  only_whole_ = false;
  Saved saved{*std::exchange(step_, std::nullopt), std::exchange(joined_, {})};
  if (saved.step.tables.empty()) return std::nullopt;
  saved_ = std::move(saved);
  forget_names();
  return saved_->step;
}

}  // namespace quire::nektar
