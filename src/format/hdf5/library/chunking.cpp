#include "format/hdf5/library/chunking.hpp"

#include <zstd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <iterator>
#include <span>
#include <string>

#include "kernels/codec.hpp"
#include "plan/chunk_boxes.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {
namespace {

/// The default of rows of a chunk of encoded columns: half a mebibyte of doubles.
constexpr std::uint64_t usual_rows = std::uint64_t{64} << 10;
/// HDF5 stores the size of a chunk in 32 bits.
constexpr long long most_rows = 1LL << 28;
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 31;
/// The largest default of elements of a chunk of encoded fields: the same number.
constexpr std::uint64_t usual_elements = usual_rows;

struct NamedFilter {
  std::string_view name;
  std::uint32_t number = 0;
  unsigned usual_level = 0;
  unsigned least_level = 0;
  unsigned highest_level = 0;
};

constexpr NamedFilter named_filters[] = {
    {"none", 0, 0, 0, 0},
    {"deflate", filter_number::deflate, 6, 0, 9},
    {"zstd", filter_number::zstandard, 3, 1, 22},
};

Error usage(const std::string& text, const std::string& option) { return Error(ErrorKind::usage, text).on(option); }

unsigned level_option(const CheckedOptions& options, const NamedFilter& filter) {
  if (!options.given("level")) return filter.usual_level;
  if (filter.number == 0) throw usage("a level needs a filter", "level");
  const long long level = options.integer("level");
  if (level < filter.least_level || level > filter.highest_level) {
    throw usage("the level of " + std::string(filter.name) + " must be from " + std::to_string(filter.least_level) +
                    " to " + std::to_string(filter.highest_level),
                "level");
  }
  return static_cast<unsigned>(level);
}

/// Parses numbers separated by x.
std::vector<std::uint64_t> shape_option(const std::string& text) {
  std::vector<std::uint64_t> shape;
  const char* next = text.data();
  const char* const end = next + text.size();
  while (next != end) {
    std::uint64_t& side = shape.emplace_back(0);
    const auto [stop, problem] = std::from_chars(next, end, side);
    const bool is_side = problem == std::errc{} && side > 0 && side <= static_cast<std::uint64_t>(most_rows);
    const bool goes_on = stop != end && *stop == 'x' && stop + 1 != end;
    if (!is_side || (stop != end && !goes_on)) {
      throw usage("a chunk of a field has 1 to 268435456 elements along each axis, as 16x16x16", "field_chunk");
    }
    next = stop == end ? end : stop + 1;
  }
  return shape;
}

/// We encode chunks without HDF5, but it must know the number of the filter, and programs that read through the library
/// use the filter, too. Returns the number of bytes, 0 after a failure.
std::size_t zstandard(unsigned flags, std::size_t count, const unsigned* parameters, std::size_t bytes,
                      std::size_t* capacity, void** buffer) noexcept {
  const std::span in(static_cast<const std::byte*>(*buffer), bytes);
  try {
    kernels::Codec codec({Filter{filter_number::zstandard, {parameters, parameters + count}}});
    std::vector<std::byte> out;
    if ((flags & H5Z_FLAG_REVERSE) != 0) {
      // In damaged chunks the stored length may have any value.
      constexpr unsigned long long most = 1ULL << 31;
      const unsigned long long length = ZSTD_getFrameContentSize(in.data(), in.size());
      if (length > most) return 0;
      out.resize(static_cast<std::size_t>(length));
      codec.decode(0, in, out);
    } else {
      out = codec.encode(in);
    }
    void* made = H5allocate_memory(out.size(), false);
    if (made == nullptr) return 0;
    std::ranges::copy(out, static_cast<std::byte*>(made));
    H5free_memory(*buffer);
    *buffer = made;
    *capacity = out.size();
    return out.size();
  } catch (const std::exception&) {
    return 0;
  }
}

/// Always registers our filter: the file stores its name, which must not depend on plugins.
void register_zstandard() {
  H5Z_class2_t description{};
  description.version = H5Z_CLASS_T_VERS;
  description.id = static_cast<H5Z_filter_t>(filter_number::zstandard);
  description.encoder_present = 1;
  description.decoder_present = 1;
  description.name = "zstd";
  description.filter = zstandard;
  require(H5Zregister(&description), "register a filter");
}

}  // namespace

void register_filters() { register_zstandard(); }

const std::vector<Option>& chunking_options() {
  static const std::vector<Option> options{
      {"chunk",
       OptionKind::integer,
       "0",
       {},
       "rows in a chunk of a column, whose length is then unlimited; 0: contiguous, or 65536 with a filter"},
      {"field_chunk",
       OptionKind::text,
       "",
       {},
       "elements in a chunk of a field along each axis, slowest first, such as 16x16x16, or one number for all axes; "
       "the extents are then unlimited. Default: contiguous, or up to 65536 elements with a filter"},
      {"filter", OptionKind::text, "none", {"none", "deflate", "zstd"}, "compress each chunk of a column or field"},
      {"level",
       OptionKind::integer,
       "",
       {},
       "level of the filter: 0 to 9 for deflate (else 6), 1 to 22 for zstd (else 3)"},
      {"shuffle", OptionKind::truth, "true", {}, "group the bytes of values by significance before the filter"},
  };
  return options;
}

Chunking::Chunking(const CheckedOptions& options) : field_shape_(shape_option(options.text("field_chunk"))) {
  const auto* filter = std::ranges::find(named_filters, options.text("filter"), &NamedFilter::name);
  filter_ = filter->number;
  level_ = level_option(options, *filter);
  shuffle_ = is_filtered() && options.truth("shuffle");
  if (!is_filtered() && options.given("shuffle") && options.truth("shuffle")) {
    throw usage("shuffling alone saves nothing: it needs a filter", "shuffle");
  }
  const long long rows = options.integer("chunk");
  if (rows < 0 || rows > most_rows) throw usage("a chunk has 1 to 268435456 rows; 0: no chunks", "chunk");
  rows_ = static_cast<std::uint64_t>(rows);
  if (rows_ == 0 && is_filtered()) {
    if (options.given("chunk")) throw usage("only chunks can be compressed", "chunk");
    rows_ = usual_rows;
  }
}

std::vector<std::uint64_t> Chunking::field_shape(const Field& field) const {
  if (!may_chunk_fields()) return {};
  std::vector<std::uint64_t> shape = field.extents;
  if (field_shape_.size() == 1) {
    std::ranges::fill(shape, field_shape_.front());
  } else if (!field_shape_.empty()) {
    if (field_shape_.size() != shape.size()) {
      throw usage("the chunks have " + std::to_string(field_shape_.size()) + " axes, the field " + field.name +
                      " has " + std::to_string(shape.size()),
                  "field_chunk");
    }
    shape = field_shape_;
  } else {
    for (std::uint64_t& side : shape) side = std::max<std::uint64_t>(side, 1);
    while (volume(shape) > usual_elements) {
      std::uint64_t& longest = *std::ranges::max_element(shape);
      longest = (longest + 1) / 2;
    }
  }
  if (checked_multiply(volume(shape), size_of(field.type)) > most_bytes) {
    throw usage("a chunk of the field " + field.name + " takes more than 2 GiB", "field_chunk");
  }
  return shape;
}

std::vector<Filter> Chunking::pipeline(Type type) const {
  std::vector<Filter> filters;
  const auto width = static_cast<std::uint32_t>(size_of(type));
  if (shuffle_ && width > 1) filters.push_back({filter_number::shuffle, {width}});
  if (is_filtered()) filters.push_back({filter_, {level_}});
  return filters;
}

std::uint64_t Chunking::stored_rows(std::uint64_t rows) const { return rows_ == 0 ? rows : round_up(rows, rows_); }

std::vector<std::uint64_t> column_chunks(const Chunking& chunking, const StepPart& root, std::size_t table,
                                         std::size_t column, bool is_grouped, std::uint64_t rows) {
  std::vector<std::uint64_t> lengths;
  if (is_grouped && !root.all_groups.empty()) {
    for (const PackedGroup& group : root.all_groups.at(table).at(column)) lengths.push_back(group.length);
  }
  if (is_grouped) return lengths;
  const std::uint64_t width = bytes_of(root.description.tables[table].columns[column]);
  lengths.assign(static_cast<std::size_t>(chunking.stored_rows(rows) / chunking.rows()), chunking.rows() * width);
  return lengths;
}

void check_row_places(const Table& table, bool is_growth, bool is_grouped) {
  const auto refuse = [&](const std::string& why, const std::string& advice) {
    throw Error(ErrorKind::unsupported, "rows cannot be chosen here: " + why)
        .on(table.name)
        .advise(advice + ", or put the rows of each rank after those of the lower ranks");
  };
  if (is_growth) refuse("the step is in the file and grows", "write another step");
  const auto text = std::ranges::find(table.columns, Type::string, &Column::type);
  if (text != table.columns.end()) {
    refuse("the column " + text->name + " holds texts, whose size is known too late", "leave it out");
  }
  if (is_grouped) refuse("chunks that are compressed have no places for single rows", "write without filter");
}

std::uint64_t group_bytes(const StepPart& mine, std::size_t table, std::size_t column) {
  std::uint64_t bytes = 0;
  if (mine.groups.empty()) return bytes;
  for (const PackedGroup& group : mine.groups.at(table).at(column)) bytes = checked_add(bytes, group.length);
  return bytes;
}

void append_chunk_bytes(Measure& measure, const StepPart& mine, std::size_t field) {
  for (std::size_t c = 0; c < mine.description.fields[field].components; ++c) {
    std::uint64_t bytes = 0;
    if (!mine.chunks.empty()) {
      for (const PackedChunk& chunk : mine.chunks.at(field).at(c)) bytes = checked_add(bytes, chunk.length);
    }
    measure.push_back(bytes);
  }
}

// ---- Bytes

kernels::Codec& ChunkCoder::codec(const std::vector<Filter>& pipeline) {
  const auto known =
      std::ranges::find(codecs_, pipeline, [](const auto& entry) -> const std::vector<Filter>& { return entry.first; });
  if (known != codecs_.end()) return known->second;
  return codecs_.emplace_back(pipeline, kernels::Codec(pipeline)).second;
}

std::vector<std::byte> ChunkCoder::encode(const std::vector<Filter>& pipeline, std::span<const std::byte> values,
                                          std::uint64_t chunk_bytes) {
  if (values.size() == chunk_bytes) return codec(pipeline).encode(values);
  std::vector<std::byte> whole(values.begin(), values.end());
  whole.resize(static_cast<std::size_t>(chunk_bytes));
  return codec(pipeline).encode(whole);
}

std::vector<std::byte> ChunkCoder::decode(const std::vector<Filter>& pipeline, std::uint32_t filter_mask,
                                          std::span<const std::byte> bytes, std::uint64_t chunk_bytes) {
  std::vector<std::byte> values(static_cast<std::size_t>(chunk_bytes));
  codec(pipeline).decode(filter_mask, bytes, values);
  return values;
}

// ---- HDF5

Handle chunked_creation(std::span<const std::uint64_t> shape, const std::vector<Filter>& pipeline, bool may_be_holes) {
  Handle list = own(H5Pcreate(H5P_DATASET_CREATE), "create a creation list");
  const std::vector<hsize_t> sides(shape.begin(), shape.end());
  require(H5Pset_obj_track_times(list.id(), false), "turn off time stamps");
  require(H5Pset_chunk(list.id(), static_cast<int>(sides.size()), sides.data()), "set the chunk size");
  require(H5Pset_alloc_time(list.id(), H5D_ALLOC_TIME_INCR), "set the allocation time");
  require(H5Pset_fill_time(list.id(), may_be_holes ? H5D_FILL_TIME_IFSET : H5D_FILL_TIME_NEVER), "set the fill time");
  for (const Filter& filter : pipeline) {
    if (filter.number == filter_number::shuffle) {
      require(H5Pset_shuffle(list.id()), "set a filter");
      continue;
    }
    if (filter.number == filter_number::zstandard) register_zstandard();
    require(H5Pset_filter(list.id(), static_cast<H5Z_filter_t>(filter.number), H5Z_FLAG_OPTIONAL,
                          filter.parameters.size(), filter.parameters.data()),
            "set a filter");
  }
  return list;
}

Handle unlimited_space(std::span<const std::uint64_t> extents, const std::string& name) {
  const std::vector<hsize_t> now(extents.begin(), extents.end());
  const std::vector<hsize_t> no_limits(extents.size(), H5S_UNLIMITED);
  return own(H5Screate_simple(static_cast<int>(now.size()), now.data(), no_limits.data()), "create a shape", name);
}

void index_chunks(hid_t dataset, Image& image, std::span<const std::uint64_t> extents,
                  std::span<const std::uint64_t> shape, std::optional<std::uint64_t> component,
                  std::span<const PackedChunk> chunks) {
  if (chunks.empty()) return;
  const ChunkBoxes boxes({extents.begin(), extents.end()}, {shape.begin(), shape.end()});
  const std::vector<std::byte> anything(
      static_cast<std::size_t>(std::ranges::max(chunks, {}, &PackedChunk::length).length));
  image.set_dropping(true);
  for (const PackedChunk& chunk : chunks) {
    std::vector<hsize_t> place;
    if (component) place.push_back(*component);
    std::ranges::copy(boxes.origin(chunk.index), std::back_inserter(place));
    require(
        H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, place.data(), static_cast<std::size_t>(chunk.length), anything.data()),
        "add a chunk to the index");
  }
  image.set_dropping(false);
}

void index_chunks(hid_t dataset, Image& image, std::uint64_t chunk_rows, std::uint64_t first,
                  std::span<const std::uint64_t> lengths, std::optional<std::uint64_t> column) {
  if (lengths.empty()) return;
  const std::vector<std::byte> anything(static_cast<std::size_t>(std::ranges::max(lengths)));
  image.set_dropping(true);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const std::array<hsize_t, 2> place{(first + i) * chunk_rows, column.value_or(0)};
    require(
        H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, place.data(), static_cast<std::size_t>(lengths[i]), anything.data()),
        "add a chunk to the index");
  }
  image.set_dropping(false);
}

}  // namespace quire::hdf5
