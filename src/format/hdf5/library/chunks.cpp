#include "format/hdf5/library/chunks.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "format/hdf5/library/datasets.hpp"
#include "format/hdf5/library/handle.hpp"
#include "kernels/codec.hpp"
#include "quire/model/selection.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {
namespace {

/// Turns off the reading of raw data in its scope.
class RawReadingOff {
 public:
  explicit RawReadingOff(Image& image) : image_(image) { image_.set_raw_reading(false); }
  RawReadingOff(const RawReadingOff&) = delete;
  RawReadingOff& operator=(const RawReadingOff&) = delete;
  ~RawReadingOff() { image_.set_raw_reading(true); }

 private:
  Image& image_;
};

/// No value if one of them is unknown.
std::optional<std::vector<Filter>> read_filters(hid_t creation, const std::string& name) {
  std::vector<Filter> filters;
  const int count = require(H5Pget_nfilters(creation), "read the filters", name);
  for (int i = 0; i < count; ++i) {
    unsigned flags = 0;
    unsigned configuration = 0;
    std::array<unsigned, 64> parameters{};
    std::size_t given = parameters.size();
    const H5Z_filter_t number = require(H5Pget_filter2(creation, static_cast<unsigned>(i), &flags, &given,
                                                       parameters.data(), 0, nullptr, &configuration),
                                        "read a filter", name);
    given = std::min(given, parameters.size());
    Filter filter{static_cast<std::uint32_t>(number), {parameters.begin(), parameters.begin() + given}};
    if (!kernels::decodes(filter)) return std::nullopt;
    filters.push_back(std::move(filter));
  }
  return filters;
}

std::vector<std::byte> read_fill(hid_t dataset, hid_t creation, const std::string& name, std::uint64_t element_bytes) {
  H5D_fill_value_t state = H5D_FILL_VALUE_UNDEFINED;
  require(H5Pfill_value_defined(creation, &state), "look for a fill value", name);
  // An undefined fill value may as well be zero.
  if (state != H5D_FILL_VALUE_USER_DEFINED) return {};
  const Handle type = own(H5Dget_type(dataset), "read the type", name);
  std::vector<std::byte> fill(static_cast<std::size_t>(element_bytes));
  require(H5Pget_fill_value(creation, type.id(), fill.data()), "read the fill value", name);
  return fill;
}

/// Looks up single chunks in the index of a dataset.
///
/// The library's functions that return the address of a chunk iterate over the whole index on each call (1.10 and
/// 1.12), which takes minutes for 10^5 chunks. Reading a raw chunk finds it directly: the driver records its address
/// and reads nothing.
class ChunkIndex {
 public:
  /// A chunk of more than `most_bytes` is damaged.
  ChunkIndex(hid_t dataset, const std::string& name, Image& image, std::uint64_t most_bytes)
      : dataset_(dataset), name_(name), image_(image), most_bytes_(most_bytes) {}

  /// No value if the chunk does not exist or cannot be found: the library does not distinguish these cases.
  [[nodiscard]] std::optional<Chunk> look_up(const std::vector<hsize_t>& origin) {
    hsize_t bytes = 0;
    if (H5Dget_chunk_storage_size(dataset_, origin.data(), &bytes) < 0 || bytes == 0) return std::nullopt;
    if (bytes > image_.ends().longest()) throw_outside(image_.last_read().value_or(0), bytes);
    if (bytes > most_bytes_) {
      throw Error(ErrorKind::bad_file, "a chunk takes " + std::to_string(bytes) + " bytes, more than the " +
                                           std::to_string(most_bytes_) + " that its filters can make of it")
          .on(name_);
    }
    provide(static_cast<std::size_t>(bytes));
    Chunk chunk;
    require(H5Dread_chunk(dataset_, H5P_DEFAULT, origin.data(), &chunk.filter_mask, memory_.get()), "find a chunk",
            name_);
    const PlannedSpace place = image_.last_raw();
    chunk.offset = place.offset;
    chunk.bytes = place.length;
    if (!image_.ends().hold(chunk.offset, chunk.bytes)) throw_outside(chunk.offset, bytes);
    return chunk;
  }

 private:
  /// Provides the memory that the library requires for the chunk, although nothing is read.
  void provide(std::size_t bytes) {
    if (bytes <= capacity_) return;
    memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
    capacity_ = bytes;
  }
  [[noreturn]] void throw_outside(std::uint64_t offset, std::uint64_t bytes) const {
    throw Error(ErrorKind::bad_file, "a chunk is outside the file")
        .on(name_)
        .at(offset)
        .advise("it takes " + std::to_string(bytes) + " bytes, the file has " +
                std::to_string(image_.ends().longest()));
  }

  hid_t dataset_;
  const std::string& name_;
  Image& image_;
  std::uint64_t most_bytes_;
  std::unique_ptr<std::byte[]> memory_;
  std::size_t capacity_ = 0;
};

/// The number of chunks in the index. Iterates over it once.
std::uint64_t count_chunks(hid_t dataset, const std::string& name) {
  const Handle space = own(H5Dget_space(dataset), "read the shape", name);
  hsize_t count = 0;
  require(H5Dget_num_chunks(dataset, space.id(), &count), "count the chunks", name);
  return count;
}

/// Looks up all chunks in C order. Returns false if the index has others than those that were found.
bool read_table(hid_t dataset, hid_t creation, const std::string& name, Image& image, ChunkedLayout& layout) {
  std::uint64_t left = count_chunks(dataset, name);
  unsigned options = 0;
  require(H5Pget_chunk_opts(creation, &options), "read how chunks are filtered", name);
  const bool spares_edges = (options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) != 0;
  const std::uint64_t chunk_bytes = checked_multiply(volume(layout.shape), layout.element_bytes);
  const std::uint64_t all_filters = (std::uint64_t{1} << layout.filters.size()) - 1;
  const std::size_t axes = layout.shape.size();
  std::vector<hsize_t> origin(axes, 0);
  ChunkIndex index(dataset, name, image, kernels::most_encoded(layout.filters, chunk_bytes));
  const RawReadingOff off(image);
  for (Chunk& chunk : layout.chunks) {
    if (left == 0) return true;
    if (const auto found = index.look_up(origin)) {
      chunk = *found;
      --left;
    }
    const auto is_partial = [&](std::size_t axis) { return layout.extents[axis] - origin[axis] < layout.shape[axis]; };
    bool is_edge = false;
    for (std::size_t axis = 0; axis < axes; ++axis) is_edge = is_edge || is_partial(axis);
    if (spares_edges && is_edge) chunk.filter_mask = std::numeric_limits<std::uint32_t>::max();
    const bool is_plain = (chunk.filter_mask & all_filters) == all_filters;
    if (is_plain && chunk.bytes != 0 && chunk.bytes != chunk_bytes) {
      throw Error(ErrorKind::bad_file, "a chunk that is not filtered takes " + std::to_string(chunk.bytes) +
                                           " bytes instead of " + std::to_string(chunk_bytes))
          .on(name)
          .at(chunk.offset);
    }
    for (std::size_t axis = axes; axis-- > 0;) {
      origin[axis] += layout.shape[axis];
      if (origin[axis] < layout.extents[axis]) break;
      origin[axis] = 0;
    }
  }
  return left == 0;
}

}  // namespace

std::optional<ChunkedLayout> describe_chunks(hid_t dataset, hid_t creation, const std::string& name,
                                             std::vector<std::uint64_t> extents, std::uint64_t element_bytes,
                                             ChunkScope& scope) {
  if (H5Pget_layout(creation) != H5D_CHUNKED || extents.empty()) return std::nullopt;
  auto filters = read_filters(creation, name);
  if (!filters) return std::nullopt;
  ChunkedLayout layout;
  layout.extents = std::move(extents);
  layout.filters = *std::move(filters);
  layout.element_bytes = element_bytes;
  std::vector<hsize_t> shape(layout.extents.size());
  const int rank =
      require(H5Pget_chunk(creation, static_cast<int>(shape.size()), shape.data()), "read the chunk size", name);
  const bool is_possible =
      static_cast<std::size_t>(rank) == shape.size() && std::ranges::find(shape, hsize_t{0}) == shape.end();
  if (!is_possible) throw Error(ErrorKind::bad_file, "the chunks do not fit the shape of the dataset").on(name);
  layout.shape.assign(shape.begin(), shape.end());
  // Larger chunks are refused when they are read.
  if (checked_multiply(volume(layout.shape), element_bytes) > scope.memory_budget) return std::nullopt;

  const std::uint64_t chunks = volume(chunk_counts(layout.extents, layout.shape));
  const std::uint64_t table_bytes = checked_multiply(chunks, sizeof(Chunk));
  if (table_bytes > scope.table_bytes) {
    scope.warnings.push_back(name + " has " + std::to_string(chunks) +
                             " chunks, more than fit into memory: it is read through the HDF5 library, by each rank");
    return std::nullopt;
  }
  scope.table_bytes -= table_bytes;
  layout.fill = read_fill(dataset, creation, name, element_bytes);
  layout.chunks.resize(static_cast<std::size_t>(chunks));
  if (!read_table(dataset, creation, name, scope.image, layout)) {
    scope.warnings.push_back(name + " has chunks that cannot be found: it is read through the HDF5 library");
    return std::nullopt;
  }
  return layout;
}

std::optional<ChunkedLayout> describe_chunk_shape(hid_t creation, const std::vector<std::uint64_t>& extents,
                                                  std::uint64_t element_bytes) {
  if (H5Pget_layout(creation) != H5D_CHUNKED || extents.empty()) return std::nullopt;
  std::vector<hsize_t> shape(extents.size());
  const int rank = H5Pget_chunk(creation, static_cast<int>(shape.size()), shape.data());
  const bool is_possible = rank >= 0 && static_cast<std::size_t>(rank) == shape.size() &&
                           std::ranges::find(shape, hsize_t{0}) == shape.end();
  if (!is_possible) return std::nullopt;
  ChunkedLayout layout;
  layout.extents = extents;
  layout.shape.assign(shape.begin(), shape.end());
  layout.element_bytes = element_bytes;
  return layout;
}

namespace {

/// The number of elements of a dataset that are stored in the file, or may be stored elsewhere.
std::uint64_t written_elements(hid_t dataset, const std::string& name, const std::vector<std::uint64_t>& extents) {
  const std::uint64_t all = volume(extents);
  const Handle creation = own(H5Dget_create_plist(dataset), "read the layout", name);
  if (const auto layout = describe_chunk_shape(creation.id(), extents, 1)) {
    const std::uint64_t in_a_chunk = volume(layout->shape);
    const std::uint64_t chunks = count_chunks(dataset, name);
    return chunks > all / in_a_chunk ? all : chunks * in_a_chunk;
  }
  if (H5Pget_layout(creation.id()) != H5D_CONTIGUOUS || H5Pget_external_count(creation.id()) > 0) return all;
  H5D_space_status_t space = H5D_SPACE_STATUS_ALLOCATED;
  require(H5Dget_space_status(dataset, &space), "read the state of allocation", name);
  return space == H5D_SPACE_STATUS_NOT_ALLOCATED ? 0 : all;
}

}  // namespace

Option unwritten_option() {
  return {"unwritten", OptionKind::truth, "false", {}, "read datasets that claim far more elements than were written"};
}

Unwritten unwritten_of(const CheckedOptions& options) {
  return options.truth("unwritten") ? Unwritten::allowed : Unwritten::refused;
}

std::string excessive_claim(hid_t dataset, const std::string& name, const std::vector<std::uint64_t>& extents,
                            const FileEnds& ends) {
  constexpr std::uint64_t always_allowed = std::uint64_t{256} << 20;
  constexpr std::uint64_t times_file_size = 16;
  const Handle type = own(H5Dget_type(dataset), "read the type", name);
  const std::uint64_t file_size = ends.longest();
  const std::uint64_t most_bytes = std::max(always_allowed, checked_multiply(file_size, times_file_size));
  const std::uint64_t most = most_bytes / std::max<std::uint64_t>(1, H5Tget_size(type.id()));
  const std::uint64_t all = volume(extents);
  if (all <= most) return {};
  const std::uint64_t written = written_elements(dataset, name, extents);
  if (all - written <= most) return {};
  return "the dataset claims " + std::to_string(all) + " elements, of which " + std::to_string(written) +
         " were written; the file has " + std::to_string(file_size) + " bytes";
}

void check_written(hid_t dataset, const std::string& name, const std::vector<std::uint64_t>& extents,
                   const ChunkScope& scope) {
  if (scope.unwritten == Unwritten::allowed) return;
  const std::string claim = excessive_claim(dataset, name, extents, scope.image.ends());
  if (claim.empty()) return;
  throw Error(ErrorKind::unsupported, claim)
      .on(name)
      .advise("if so much was left out on purpose, read it as fill values with the reader's option unwritten=true");
}

bool lacks_chunks(hid_t dataset, const std::string& name) {
  const Handle creation = own(H5Dget_create_plist(dataset), "read the layout", name);
  const auto layout = describe_chunk_shape(creation.id(), extents_of(dataset, name), 1);
  return layout && count_chunks(dataset, name) < volume(chunk_counts(layout->extents, layout->shape));
}

}  // namespace quire::hdf5
