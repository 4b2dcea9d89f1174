#include "format/nektar/hdf5/describer.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/layout_marks.hpp"
#include "format/hdf5/library/links.hpp"
#include "format/hdf5/library/recognition.hpp"
#include "format/nektar/metadata.hpp"
#include "kernels/convert.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::nektar {
namespace {

constexpr const char* root_group = hdf5::marks::nektar;
constexpr std::uint64_t numbers_at_once = std::uint64_t{1} << 20;

bool has_link(const std::vector<hdf5::Link>& links, std::string_view name) {
  return std::ranges::find(links, name, &hdf5::Link::name) != links.end();
}

hdf5::Handle open_group(hdf5::Image& image, hid_t parent, const std::string& name) {
  hdf5::check_before_opening(image, parent, name);
  return hdf5::own(H5Gopen2(parent, name.c_str(), H5P_DEFAULT), "open the group", name);
}

const Attribute& attribute(const std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  if (found == attributes.end()) throw Error(ErrorKind::bad_file, "an attribute is missing").on(std::string(name));
  return *found;
}

std::string text(const std::vector<Attribute>& attributes, std::string_view name) {
  const Attribute& found = attribute(attributes, name);
  if (found.value.type() == Type::string && found.value.count() == 1) return found.value.as_text();
  throw Error(ErrorKind::bad_file, "the attribute is not a text").on(found.name);
}

/// A text, or an empty one if the attribute is missing.
std::string text_or_empty(const std::vector<Attribute>& attributes, std::string_view name) {
  const bool exists = std::ranges::find(attributes, name, &Attribute::name) != attributes.end();
  return exists ? text(attributes, name) : "";
}

/// The result of `read`; a value of another type is damage.
template <class Read>
auto read_value(const Attribute& attribute, Read&& read) {
  try {
    return read(attribute.value);
  } catch (const Error& error) {
    throw Error(ErrorKind::bad_file, error.message()).on(attribute.name);
  }
}

std::vector<std::uint32_t> small_numbers(const Attribute& attribute) {
  return read_value(attribute, [](const Value& value) {
    const Value small = value.converted_to(Type::uint32);
    std::vector<std::uint32_t> numbers;
    for (std::size_t i = 0; i < small.count(); ++i) numbers.push_back(static_cast<std::uint32_t>(small.as_integer(i)));
    return numbers;
  });
}

std::vector<double> reals(const std::vector<Attribute>& attributes, std::string_view name) {
  const auto found = std::ranges::find(attributes, name, &Attribute::name);
  if (found == attributes.end()) return {};
  return read_value(*found, [](const Value& value) {
    std::vector<double> numbers;
    for (std::size_t i = 0; i < value.count(); ++i) numbers.push_back(value.as_double(i));
    return numbers;
  });
}

enum class Parts : std::uint8_t { none, some, all };

/// Whether all chunks exist. Their size in bytes does not show this: chunks may be compressed, and the last one may
/// extend past the end of the dataset.
Parts chunks_made(hid_t dataset, hid_t creation, hid_t space, const std::string& name) {
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  std::array<hsize_t, H5S_MAX_RANK> chunk{};
  const int rank = H5Sget_simple_extent_dims(space, extents.data(), nullptr);
  hdf5::require(rank, "read the shape", name);
  hdf5::require(H5Pget_chunk(creation, rank, chunk.data()), "read the chunks", name);
  std::uint64_t wanted = 1;
  for (std::size_t i = 0; i < static_cast<std::size_t>(rank); ++i) {
    wanted = checked_multiply(wanted, (extents[i] - 1) / chunk[i] + 1);
  }
  hsize_t made = 0;
  hdf5::require(H5Dget_num_chunks(dataset, space, &made), "count the chunks", name);
  if (made == 0) return Parts::none;
  return made < wanted ? Parts::some : Parts::all;
}

/// How much of a dataset was ever written, as far as its allocated storage shows.
Parts written_parts(hid_t dataset, hid_t creation, hid_t space, const std::string& name) {
  const H5D_layout_t layout = H5Pget_layout(creation);
  if (layout == H5D_CHUNKED) return chunks_made(dataset, creation, space, name);
  if (layout != H5D_CONTIGUOUS) return Parts::all;
  H5D_space_status_t status = H5D_SPACE_STATUS_ALLOCATED;
  hdf5::require(H5Dget_space_status(dataset, &status), "read the state of allocation", name);
  if (status == H5D_SPACE_STATUS_NOT_ALLOCATED) return Parts::none;
  return status == H5D_SPACE_STATUS_ALLOCATED ? Parts::all : Parts::some;
}

}  // namespace

bool holds_fields(const std::shared_ptr<ByteSource>& bytes) {
  const auto has_root_group = [](hdf5::OpenFile& file) {
    return has_link(hdf5::list_links(file.id(), "/"), root_group);
  };
  return hdf5::holds(bytes, has_root_group).value_or(false);
}

H5Describer::H5Describer(std::shared_ptr<ByteSource> bytes, DescribeContext context, Blocks blocks,
                         std::uint64_t cache_bytes)
    : OneStepDescriber(std::move(context)), blocks_(blocks), kept_(cache_bytes) {
  try {
    file_ = std::make_shared<hdf5::OpenFile>(std::move(bytes), context_);
  } catch (Error& error) {
    if (!context_.path.empty()) error.in_file(context_.path);
    // A file is one step. Nothing of a truncated one is complete, unlike other files in this container.
    throw error.kind() == ErrorKind::bad_file ? error.advise("copy the file again or fetch it from a backup") : error;
  }
  description_.format = "nektar";
  description_.layout.push_back({"flavour", "hdf5"});
  for (Fact& fact : file_->facts()) description_.layout.push_back(std::move(fact));
  file_->describe_leftovers(description_);
}

void H5Describer::check_version(hid_t group) {
  const auto attributes = hdf5::read_attributes(file_->image(), group, context_.memory_budget, description_.warnings);
  const std::int64_t version =
      read_value(attribute(attributes, "FORMAT_VERSION"), [](const Value& value) { return value.as_integer(); });
  if (version == 1) return;
  throw Error(ErrorKind::unsupported, "format version " + std::to_string(version) + " is not supported");
}

void H5Describer::read_metadata(hid_t group) {
  StepDescription& step = step_->description;
  const auto add = [&](hid_t object, std::string_view prefix) {
    for (const Attribute& one : hdf5::read_attributes(file_->image(), object, context_.memory_budget, step.warnings)) {
      step.attributes.push_back(one);
      step.attributes.back().name = std::string(prefix) + one.name;
    }
  };
  if (!has_link(hdf5::list_links(group, root_group), "Metadata")) return;
  const hdf5::Handle metadata = open_group(file_->image(), group, "Metadata");
  if (has_link(hdf5::list_links(metadata.id(), "Metadata"), "Provenance")) {
    add(open_group(file_->image(), metadata.id(), "Provenance").id(), provenance_prefix);
  }
  add(metadata.id(), "");
}

void H5Describer::check_written(hid_t dataset, const std::string& name) {
  const hdf5::Handle creation = hdf5::own(H5Dget_create_plist(dataset), "read the layout", name);
  const hdf5::Handle space = hdf5::own(H5Dget_space(dataset), "read the shape", name);
  if (H5Sget_simple_extent_npoints(space.id()) <= 0) return;
  const Parts written = written_parts(dataset, creation.id(), space.id(), name);
  if (written == Parts::all) return;
  // Datasets are created before anything is written: what the writer did not reach would read as zeros.
  if (written == Parts::none) {
    throw Error(ErrorKind::bad_file, "the dataset was created but never written: its writer ended early").on(name);
  }
  // A sound file has all of its values, so there is no option to read this one.
  const std::string claim =
      hdf5::excessive_claim(dataset, name, hdf5::extents_of(dataset, name), file_->image().ends());
  if (!claim.empty()) throw Error(ErrorKind::bad_file, claim).on(name);
  step_->description.warnings.push_back("parts of the dataset " + name +
                                        " were never written and are read as its fill value");
}

void H5Describer::check_ids(Part part) {
  const Line& ids = line(part);
  if (ids.size() == 0 || (!is_signed_integer(ids.data.type) && size_of(ids.data.type) <= sizeof(std::uint32_t))) return;
  constexpr std::uint64_t most = 0xFFFFFFFF;
  for (std::uint64_t done = 0; done < ids.size(); done += numbers_at_once) {
    const auto some = numbers(ids, {done, std::min(numbers_at_once, ids.size() - done)});
    const auto wrong = std::ranges::find_if(some, [&](std::uint64_t id) { return id > most; });
    if (wrong == some.end()) continue;
    throw Error(ErrorKind::bad_file, "the number " + std::to_string(*wrong) + " does not fit into 32 bits")
        .on(ids.name);
  }
}

H5Describer::Line H5Describer::open_line(hid_t group, const std::string& name) {
  hdf5::check_before_opening(file_->image(), group, name);
  const hdf5::Handle handle = hdf5::own(H5Dopen2(group, name.c_str(), H5P_DEFAULT), "open the dataset", name);
  auto data = hdf5::describe_dataset(handle.id(), name, file_->image().ends());
  if (!data) throw Error(ErrorKind::bad_file, "the dataset does not hold numbers").on(name);
  check_written(handle.id(), name);
  return {name, *std::move(data)};
}

void H5Describer::read_line(const Line& line, const Slice& part, const View& out) {
  const std::string path = std::string("/") + root_group + "/" + line.name;
  kept_.read(file_, path, file_->id(), path, [&](hid_t dataset) {
    hdf5::read_dataset(dataset, line.name, line.data.type, part, out, context_.memory_budget);
  });
}

void H5Describer::open_lines(hid_t group, bool is_reworked) {
  lines_.clear();
  const auto links = hdf5::list_links(group, root_group);
  for (std::size_t p = 0; p < parts; ++p) {
    const Part part = static_cast<Part>(p);
    for (const std::string_view name : names_of(part, is_reworked)) {
      if (!has_link(links, name)) continue;
      Line line = open_line(group, std::string(name));
      const Type type = line.data.type;
      if (line.data.extents.size() != 1 || !(part == Part::data ? is_floating(type) : is_integer(type))) {
        throw Error(ErrorKind::bad_file, "the dataset is not one-dimensional or has the wrong type").on(line.name);
      }
      lines_.insert_or_assign(part, std::move(line));
      break;
    }
  }
}

const H5Describer::Line& H5Describer::line(Part part) const {
  static const Line nothing;
  const auto found = lines_.find(part);
  return found == lines_.end() ? nothing : found->second;
}

std::vector<std::uint64_t> H5Describer::numbers(const Line& line, const Slice& part) {
  if (checked_multiply(part.count, sizeof(std::uint64_t)) > context_.memory_budget) {
    throw Error(ErrorKind::memory, "the numbers exceed the memory budget").on(line.name);
  }
  std::vector<std::uint64_t> numbers(static_cast<std::size_t>(part.count));
  if (!is_signed_integer(line.data.type)) {
    read_line(line, part, View(numbers));
    return numbers;
  }
  std::vector<std::int64_t> with_sign(numbers.size());
  read_line(line, part, View(with_sign));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (with_sign[i] < 0) throw Error(ErrorKind::bad_file, "a number is negative").on(line.name);
    numbers[i] = static_cast<std::uint64_t>(with_sign[i]);
  }
  return numbers;
}

std::vector<std::uint64_t> H5Describer::numbers(Part part, const Slice& where) {
  if (where.count == 0) return {};
  return numbers(line(part), where);
}

void H5Describer::describe() {
  hdf5::with_hdf5(file_->image(), [&] { describe_blocks(); });
}

void H5Describer::check_rows(const std::vector<DecompositionRow>& rows, const std::string& name,
                             bool is_reworked) const {
  std::array<std::uint64_t, parts> ends{};
  for (const DecompositionRow& row : rows) {
    const bool holds_something = std::ranges::any_of(row.where, [](const Slice& one) { return one.count > 0; });
    if (row.hash == 0 && holds_something) {
      throw Error(ErrorKind::bad_file, "a row without a group (0) has values").on(name);
    }
    for (std::size_t p = 0; p < parts; ++p) {
      const std::uint64_t end = checked_add(row.where[p].first, row.where[p].count);
      const Line& whole = line(static_cast<Part>(p));
      if (row.where[p].count > 0 && end > whole.size()) {
        throw Error(ErrorKind::bad_file, "the decomposition assigns more than the " + std::to_string(whole.size()) +
                                             " values of the dataset")
            .on(std::string(names_of(static_cast<Part>(p), is_reworked).front()));
      }
      ends[p] = std::max(ends[p], end);
    }
  }
  for (std::size_t p = 0; p < parts; ++p) {
    if (ends[p] == line(static_cast<Part>(p)).size()) continue;
    throw Error(ErrorKind::bad_file, "the dataset has more values than the decomposition assigns")
        .on(line(static_cast<Part>(p)).name);
  }
}

void H5Describer::describe_blocks() {
  opaque_.clear();
  const hdf5::Handle group = open_group(file_->image(), file_->id(), root_group);
  const auto links = hdf5::list_links(group.id(), root_group);
  if (has_link(links, "GEOMETRY")) {
    throw Error(ErrorKind::unsupported, "the file is a mesh (NEKTAR/GEOMETRY) without fields");
  }
  check_version(group.id());
  read_metadata(group.id());
  const bool is_reworked = has_link(links, "DATA_DECOMPOSITION");
  const std::string name = is_reworked ? "DATA_DECOMPOSITION" : "DECOMPOSITION";
  if (!has_link(links, name)) throw Error(ErrorKind::bad_file, "the dataset is missing").on(name);
  const Line table = open_line(group.id(), name);
  if (table.data.extents.size() != 1 || !is_integer(table.data.type)) {
    throw Error(ErrorKind::bad_file, "the dataset is not a one-dimensional array of integers").on(name);
  }
  const auto all = numbers(table, {0, table.size()});
  const auto rows = is_reworked ? reworked_rows_of(all) : rows_of(all);
  open_lines(group.id(), is_reworked);
  check_rows(rows, name, is_reworked);
  for (const Part part : {Part::ids, Part::y_ids, Part::z_ids, Part::strip_ids}) check_ids(part);
  read_types(group.id(), rows);
  BlockTables tables(*step_);
  if (blocks_ == Blocks::joined && can_join()) {
    add_joined(rows, tables);
  } else {
    for (const DecompositionRow& row : rows) {
      if (row.hash != 0) add_block(block_of(row), row, tables);
    }
  }
  // After the bases, whose numbering depends on the version of the file.
  restore_version(step_->description.attributes);
  step_->end = file_->superblock().end;
  step_->description.number = number_of(step_->description.attributes);
}

H5Describer::BlockType H5Describer::read_type(hid_t group, const std::string& name) {
  std::vector<std::string>& warnings = step_->description.warnings;
  if (!has_link(hdf5::list_links(group, root_group), name)) {
    throw Error(ErrorKind::bad_file, "the decomposition names a group that does not exist").on(name);
  }
  hdf5::Image& image = file_->image();
  const auto attributes =
      hdf5::read_attributes(image, open_group(image, group, name).id(), context_.memory_budget, warnings);
  BlockType type;
  Block& block = type.block;
  const Attribute& fields = attribute(attributes, "FIELDS");
  if (fields.value.type() != Type::string) throw Error(ErrorKind::bad_file, "the attribute is not a text").on("FIELDS");
  block.variables = fields.value.strings();
  check_variables({block.variables.begin(), block.variables.end()});
  const ShapeText shape = parse_shape(text(attributes, "SHAPE"));
  set_shape(block.expansion, shape, reals(attributes, "HOMOGENEOUSLENGTHS"));
  type.basis = {small_numbers(attribute(attributes, "BASIS")), shape.shape, name};
  const std::string order = text(attributes, "NUMMODESPERDIR");
  type.is_mixed = order.starts_with("MIXORDER");
  if (!type.is_mixed) block.expansion.modes = parse_order(order).modes;
  block.expansion.points = text_or_empty(attributes, "POINTSTYPE");
  block.expansion.point_counts = text_or_empty(attributes, "NUMPOINTSPERDIR");
  block.expansion.origin = name;
  return type;
}

void H5Describer::read_types(hid_t group, const std::vector<DecompositionRow>& rows) {
  types_.clear();
  std::vector<BasisNumbers> kinds;
  for (const DecompositionRow& row : rows) {
    if (row.hash == 0 || types_.contains(row.hash)) continue;
    kinds.push_back(types_.emplace(row.hash, read_type(group, std::to_string(row.hash))).first->second.basis);
  }
  StepDescription& step = step_->description;
  const Numbering numbering = find_numbering(kinds, provenance_of(step.attributes), step.warnings);
  for (auto& [hash, type] : types_) type.block.expansion.basis = basis_names(type.basis.numbers, numbering);
}

std::uint64_t H5Describer::count_mixed(const Block& block, const Slice& orders) {
  const std::uint64_t directions = block.expansion.basis.size();
  if (orders.count != checked_multiply(block.elements, directions)) {
    throw Error(ErrorKind::bad_file, "there are " + std::to_string(orders.count) + " numbers of modes for " +
                                         std::to_string(block.elements) + " elements")
        .on("POLYORDERS");
  }
  std::uint64_t sum = 0;
  const std::uint64_t step = numbers_at_once / directions * directions;
  for (std::uint64_t done = 0; done < orders.count; done += step) {
    const auto modes = numbers(Part::orders, {orders.first + done, std::min(step, orders.count - done)});
    sum = checked_add(sum, mixed_coefficients(block.expansion, modes));
  }
  return sum;
}

Place H5Describer::place_columns(Part part, const Slice& where, std::size_t columns, bool interleaved) {
  const Line& whole = line(part);
  Place place;
  const std::uint64_t records = columns == 0 ? 0 : where.count / columns;
  const std::uint64_t width = size_of(whole.data.type);
  const auto cell = [&](std::size_t column) {
    return Cell{.column = part == Part::orders ? column + 1 : column, .type = whole.data.type};
  };
  for (std::size_t c = 0; c < columns; ++c) {
    if (interleaved && c > 0) {
      place.runs.front().cells.push_back(cell(c));
      continue;
    }
    Run run = whole.data.run;
    run.records = records;
    run.record_bytes = interleaved ? width * columns : width;
    run.bytes = run.records * run.record_bytes;
    run.offset += (where.first + (interleaved ? 0 : c * records)) * width;
    run.cells = {cell(c)};
    place.runs.push_back(std::move(run));
  }
  return place;
}

void H5Describer::keep_opaque(const std::string& table, const Place& place, Part part, const Slice& where,
                              std::size_t first_column, bool interleaved) {
  const Table& owner = step_->description.tables[step_->description.find_table(table)];
  const std::size_t columns = owner.columns.size() - first_column;
  for (const Run& run : place.runs) {
    if (!run.opaque) continue;
    for (const Cell& one : run.cells) {
      const std::uint64_t c = one.column - first_column;
      const std::uint64_t first = where.first + (interleaved ? c : c * run.records);
      opaque_[table + "/" + owner.columns[one.column].name] = {&line(part), first, interleaved ? columns : 1};
    }
  }
}

Block H5Describer::block_of(const DecompositionRow& row) {
  const BlockType& type = types_.at(row.hash);
  try {
    Block block = type.block;
    block.elements = row[Part::ids].count;
    block.expansion.y_ids = numbers(Part::y_ids, row[Part::y_ids]);
    block.expansion.z_ids = numbers(Part::z_ids, row[Part::z_ids]);
    block.expansion.strip_ids = numbers(Part::strip_ids, row[Part::strip_ids]);
    check_expansion(block.expansion);
    if (type.is_mixed) {
      block.coefficients = count_mixed(block, row[Part::orders]);
    } else {
      count_uniform(block);
    }
    const std::uint64_t values = checked_multiply(block.coefficients, block.variables.size());
    if (values == row[Part::data].count) return block;
    throw advised_on_count(Error(ErrorKind::bad_file, "a block of " + std::to_string(block.elements) +
                                                          " elements has " + std::to_string(row[Part::data].count) +
                                                          " values, not " + std::to_string(values)),
                           block.expansion);
  } catch (Error& error) {
    throw error.object().empty() ? error.on(std::to_string(row.hash)) : error;
  }
}

void H5Describer::add_block(Block block, const DecompositionRow& row, BlockTables& tables) {
  const std::size_t variables = block.variables.size();
  const std::size_t directions = block.expansion.is_mixed() ? block.expansion.basis.size() : 0;
  const Place values_place = place_columns(Part::data, row[Part::data], variables, false);
  const Place ids = place_columns(Part::ids, row[Part::ids], 1, false);
  const Place orders = place_columns(Part::orders, row[Part::orders], directions, true);
  Place elements = ids;
  elements.runs.insert(elements.runs.end(), orders.runs.begin(), orders.runs.end());
  tables.add(std::move(block), values_place, std::move(elements));
  set_types();
  const auto& described = step_->description.tables;
  keep_opaque(described[described.size() - 2].name, values_place, Part::data, row[Part::data], 0, false);
  keep_opaque(described.back().name, ids, Part::ids, row[Part::ids], 0, false);
  keep_opaque(described.back().name, orders, Part::orders, row[Part::orders], 1, true);
}

void H5Describer::set_types() {
  auto& described = step_->description.tables;
  for (Column& column : described[described.size() - 2].columns) column.type = line(Part::data).data.type;
  Table& elements = described.back();
  elements.columns.front().type = line(Part::ids).data.type;
  for (std::size_t c = 1; c < elements.columns.size(); ++c) elements.columns[c].type = line(Part::orders).data.type;
}

// ---- Joined blocks

namespace {

/// Blocks that are joined: of one group, with the same planes and strips.
struct Joined {
  Block block;
  std::vector<Piece> values;
  std::vector<Piece> ids;
  std::vector<Piece> orders;
};

}  // namespace

bool H5Describer::can_join() const {
  return std::ranges::all_of(lines_, [](const auto& one) {
    const Run& run = one.second.data.run;
    return one.second.size() == 0 || (!run.opaque && !run.chunks);
  });
}

void H5Describer::add_joined(const std::vector<DecompositionRow>& rows, BlockTables& tables) {
  using Planes = std::vector<std::uint64_t>;
  std::map<std::tuple<std::uint64_t, Planes, Planes, Planes>, std::size_t> known;
  std::vector<Joined> all;
  const auto offset_of = [&](Part part, const Slice& where) {
    return line(part).data.run.offset + where.first * size_of(line(part).data.type);
  };
  for (const DecompositionRow& row : rows) {
    if (row.hash == 0) continue;
    Block block = block_of(row);
    const Expansion& expansion = block.expansion;
    const auto [found, is_new] =
        known.emplace(std::tuple(row.hash, expansion.y_ids, expansion.z_ids, expansion.strip_ids), all.size());
    if (is_new) {
      all.push_back({.block = block, .values = {}, .ids = {}, .orders = {}});
      all.back().block.elements = all.back().block.coefficients = 0;
    }
    if (block.elements == 0) continue;
    Joined& joined = all[found->second];
    joined.values.push_back({joined.block.coefficients, offset_of(Part::data, row[Part::data])});
    joined.ids.push_back({joined.block.elements, offset_of(Part::ids, row[Part::ids])});
    if (expansion.is_mixed()) {
      joined.orders.push_back({joined.block.elements, offset_of(Part::orders, row[Part::orders])});
    }
    joined.block.elements += block.elements;
    joined.block.coefficients = checked_add(joined.block.coefficients, block.coefficients);
  }
  for (Joined& joined : all) {
    const auto cells = [&](Part part, std::size_t first, std::size_t count) {
      std::vector<Cell> made;
      for (std::size_t c = 0; c < count; ++c) made.push_back({.column = first + c, .type = line(part).data.type});
      return made;
    };
    const std::uint64_t elements = joined.block.elements;
    const std::size_t directions = joined.block.expansion.is_mixed() ? joined.block.expansion.basis.size() : 0;
    Place values{runs_in_pieces(line(Part::data).data.run, std::move(joined.values), joined.block.coefficients,
                                cells(Part::data, 0, joined.block.variables.size()), true)};
    Place numbers{
        runs_in_pieces(line(Part::ids).data.run, std::move(joined.ids), elements, cells(Part::ids, 0, 1), true)};
    if (directions > 0) {
      const auto orders = runs_in_pieces(line(Part::orders).data.run, std::move(joined.orders), elements,
                                         cells(Part::orders, 1, directions), false);
      numbers.runs.insert(numbers.runs.end(), orders.begin(), orders.end());
    }
    tables.add(std::move(joined.block), std::move(values), std::move(numbers));
    set_types();
  }
}

void H5Describer::read_opaque(std::uint64_t index, const std::string& object, std::uint64_t /*component*/,
                              const Slice& rows, const View& out) {
  require_step(index);
  static_cast<void>(layout());
  const auto found = opaque_.find(object);
  if (found == opaque_.end()) {
    throw Error(ErrorKind::internal, "the column is not opaque").on(object).in_file(context_.path);
  }
  const Strided& where = found->second;
  const Line& line = *where.line;
  guarded([&] {
    hdf5::with_hdf5(file_->image(), [&] {
      if (where.step == 1) {
        return read_line(line, {where.first + rows.first, rows.count}, out);
      }
      const std::uint64_t at_once = numbers_at_once / where.step;
      for (std::uint64_t done = 0; done < rows.count; done += at_once) {
        const std::uint64_t count = std::min(at_once, rows.count - done);
        const auto all = numbers(line, {where.first + (rows.first + done) * where.step, (count - 1) * where.step + 1});
        std::byte* target = out.data + static_cast<std::ptrdiff_t>(done) * out.stride;
        const auto stride = static_cast<std::ptrdiff_t>(where.step * sizeof(std::uint64_t));
        const auto lost =
            kernels::convert(Type::uint64, reinterpret_cast<const std::byte*>(all.data()), stride, out.type, target,
                             out.stride, static_cast<std::size_t>(count), kernels::Loss::refused);
        if (lost) throw Error(ErrorKind::type, "a value does not fit the requested type").on(object);
      }
    });
  });
}

}  // namespace quire::nektar
