#include "driver/carrier.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "driver/pieces.hpp"
#include "quire/base/error.hpp"
#include "quire/spi/transport/transport.hpp"

namespace quire::bench {
namespace {

std::string column_name(std::size_t column) { return "c" + std::to_string(column); }
std::string field_name(std::size_t field) { return "f" + std::to_string(field); }
std::string variable_name(std::size_t variable) { return "v" + std::to_string(variable); }

Field field_of(const Case& data, std::size_t number) {
  Field field;
  field.name = field_name(number);
  field.extents = data.extents;
  field.components = data.components;
  return field;
}

Expansion expansion_of(std::uint64_t modes) {
  Expansion expansion;
  expansion.shape = "Hexahedron";
  expansion.basis.assign(3, "Modified_A");
  expansion.modes.assign(3, modes);
  return expansion;
}

ConstView values_of(const ShareMemory& memory, std::size_t quantity) {
  const Type type = memory.share().types[quantity];
  return {type, memory.quantity(quantity).data(), memory.share().items, static_cast<std::ptrdiff_t>(size_of(type))};
}

View room_of(const ShareMemory& memory, std::size_t quantity) {
  const Type type = memory.share().types[quantity];
  return {type, memory.quantity(quantity).data(), memory.share().items, static_cast<std::ptrdiff_t>(size_of(type))};
}

void put_table(WriteStep& step, const ShareMemory& source) {
  step.rows(source.share().items);
  for (std::size_t q = 0; q < source.share().quantities(); ++q) step.put(column_name(q), values_of(source, q), "m");
}

void put_fields(WriteStep& step, const ShareMemory& source) {
  const Case& data = source.share().data;
  for (std::size_t f = 0; f < data.fields; ++f) {
    std::vector<ConstView> components;
    for (std::size_t c = 0; c < data.components; ++c) components.push_back(values_of(source, f * data.components + c));
    step.put_field(field_of(data, f), source.share().selection, std::move(components));
  }
}

void put_expansions(WriteStep& step, const ShareMemory& source, const ElementLayout& layout) {
  const Share& share = source.share();
  std::vector<ElementPart> parts;
  for (const ElementGroup& group : share.groups) {
    const std::uint64_t count = group.modes * group.modes * group.modes * group.ids.size();
    ElementPart part{expansion_of(group.modes), ConstView(group.ids), {}, {}, {}};
    for (std::size_t v = 0; v < share.quantities(); ++v) {
      part.variables.push_back(variable_name(v));
      part.values.push_back(values_of(source, v).part(group.first_item, count));
    }
    parts.push_back(std::move(part));
  }
  put_elements(step, parts, layout);
}

/// The number of quantities that an operation reads.
std::size_t wanted_quantities(const Cell& cell, const Share& share) {
  return cell.operation == "read-subset" ? share.subset_quantities() : share.quantities();
}

class TableLanding final : public Landing {
 public:
  TableLanding(const Cell& cell, int rank, int size)
      : memory_(Share::of(cell.data, rank, size),
                cell.method.is_aligned ? ShareMemory::Order::movable : ShareMemory::Order::apart),
        columns_(wanted_quantities(cell, memory_.share())) {
    memory_.forget();
  }
  void align(const ReadStep& step) override {
    for (std::size_t c = 0; c < columns_; ++c) {
      const auto extents = step.plan("", memory_.share().rows, {column_name(c)});
      if (!extents.empty()) memory_.move(c, extents.front().offset % PieceMemory::page);
    }
  }
  void read(const ReadStep& step, Transfers transfers) override {
    std::vector<ReadColumn> columns;
    for (std::size_t c = 0; c < columns_; ++c) columns.push_back({column_name(c), room_of(memory_, c)});
    rows_ = step.description().tables.at(0).rows;
    if (transfers == Transfers::collective) return step.read_all("", memory_.share().rows, std::move(columns));
    step.read("", memory_.share().rows, std::move(columns));
  }
  void check() override {
    if (rows_ != memory_.share().data.rows) throw Error(ErrorKind::bad_file, "the table has a wrong number of rows");
    memory_.check(columns_);
  }
  void put(WriteStep& step, Comm& /*comm*/) override { put_table(step, memory_); }

 private:
  ShareMemory memory_;
  std::size_t columns_;
  std::uint64_t rows_ = 0;
};

class FieldLanding final : public Landing {
 public:
  FieldLanding(const Cell& cell, int rank, int size)
      : memory_(Share::of(cell.data, rank, size), ShareMemory::Order::apart),
        quantities_(wanted_quantities(cell, memory_.share())) {
    memory_.forget();
  }
  void read(const ReadStep& step, Transfers transfers) override {
    // Some formats make a field of each component.
    const auto& fields = step.description().fields;
    if (fields.empty() || memory_.share().quantities() % fields.size() != 0) return;
    const std::size_t together = memory_.share().quantities() / fields.size();
    for (std::size_t f = 0; f < quantities_ / together; ++f) {
      std::vector<View> components;
      for (std::size_t c = 0; c < together; ++c) components.push_back(room_of(memory_, f * together + c));
      if (transfers == Transfers::collective) {
        step.read_field_all(fields[f].name, memory_.share().selection, std::move(components));
      } else {
        step.read_field(fields[f].name, memory_.share().selection, std::move(components));
      }
    }
  }
  void check() override { memory_.check(quantities_); }
  void put(WriteStep& step, Comm& /*comm*/) override { put_fields(step, memory_); }

 private:
  ShareMemory memory_;
  std::size_t quantities_;
};

class ElementLanding final : public Landing {
 public:
  ElementLanding(const Cell& cell, int rank, int size)
      : share_(Share::of(cell.data, rank, size)), variables_(wanted_quantities(cell, share_)) {
    request_.ids.emplace();
    if (cell.operation == "read-subset") {
      request_.ids = share_.subset_elements();
    } else {
      for (const ElementGroup& group : share_.groups) std::ranges::copy(group.ids, std::back_inserter(*request_.ids));
    }
    for (std::size_t v = 0; v < variables_; ++v) request_.variables.push_back(variable_name(v));
  }
  void read(const ReadStep& step, Transfers /*transfers*/) override { found_ = step.read_elements_all(request_); }
  void check() override {
    std::uint64_t elements = 0;
    for (const ElementBlock& block : found_.blocks) elements += check_block(block);
    if (elements != request_.ids->size() || !found_.missing.empty() || !found_.repeated.empty()) {
      throw Error(ErrorKind::bad_file, "elements are missing or come twice");
    }
  }
  void put(WriteStep& step, Comm& /*comm*/) override {
    std::vector<ElementPart> parts;
    for (const ElementBlock& block : found_.blocks) {
      ElementPart part{block.expansion, ConstView(block.ids), {}, block.variables, {}};
      for (const auto& values : block.values) part.values.emplace_back(values);
      parts.push_back(std::move(part));
    }
    put_elements(step, parts);
  }

 private:
  std::uint64_t check_block(const ElementBlock& block) const {
    const Case& data = share_.data;
    if (block.values.size() != variables_) throw Error(ErrorKind::bad_file, "a block has other variables");
    for (std::size_t i = 0; i < block.ids.size(); ++i) {
      const std::uint64_t modes = data.modes[block.ids[i] % data.modes.size()];
      const Share element = share_of_element(data, block.ids[i]);
      if (block.offsets[i + 1] - block.offsets[i] != element.items || block.expansion.modes.at(0) != modes) {
        throw Error(ErrorKind::bad_file, "an element has another order than was written");
      }
      for (std::size_t v = 0; v < variables_; ++v) {
        check_values(element, v, std::as_bytes(std::span(block.values[v]).subspan(block.offsets[i], element.items)));
      }
    }
    return block.ids.size();
  }

  Share share_;
  std::size_t variables_;
  ElementRequest request_;
  Elements found_;
};

class StreamLanding final : public Landing {
 public:
  StreamLanding(const Cell& cell, int rank, int size) : cell_(cell), memory_(pieces_of(cell, rank, size)) {
    memory_.forget();
  }
  void read(const ReadStep& step, Transfers /*transfers*/) override {
    std::vector<std::int64_t> writers;
    for (const Piece& piece : memory_.pieces()) writers.push_back(piece.writer);
    const std::vector<StreamReader> streams = step.streams(writers);
    for (std::size_t p = 0; p < streams.size(); ++p) {
      is_short_ =
          streams[p].read_at(memory_.pieces()[p].offset, memory_.bytes(p)) != memory_.pieces()[p].length || is_short_;
    }
  }
  void check() override {
    if (is_short_) throw Error(ErrorKind::bad_file, "a stream is shorter than it was written");
    memory_.check(cell_);
  }
  void put(WriteStep& /*step*/, Comm& /*comm*/) override {
    throw Error(ErrorKind::unsupported, "the streams of some ranks are not converted to those of others");
  }

 private:
  const Cell& cell_;
  PieceMemory memory_;
  bool is_short_ = false;
};

}  // namespace

Transfers transfers_of(std::string_view transport) {
  return is_transport_collective(transport) ? Transfers::collective : Transfers::independent;
}

Carrier carrier_of(const Case& data, const Format& format, const CheckedOptions& options) {
  if (format.holds_streams) return Carrier::streams;
  StepDescription step;
  if (data.kind == Case::Kind::table && format.holds_tables) return Carrier::table;
  if (data.kind == Case::Kind::field) {
    step.fields.push_back(field_of(data, 0));
    if (!format.fit({}, step, options).adapted.fields.empty()) return Carrier::fields;
  }
  if (data.kind == Case::Kind::elements && !format.holds_tables) return Carrier::expansion;
  throw Error(ErrorKind::unsupported, "files of the format " + std::string(format.name) + " cannot hold this workload")
      .on(data.name);
}

Json list_methods() {
  const std::map<std::string, Case::Kind> kinds{
      {"table", Case::Kind::table}, {"field", Case::Kind::field}, {"elements", Case::Kind::elements}};
  Json all = Json::array();
  for (const Format* format : formats()) {
    Json one{{"name", format->name}, {"workloads", Json::array()}, {"variants", format->writing_variants}};
    for (const auto& [name, kind] : kinds) {
      Case data;
      data.kind = kind;
      data.extents = {4, 4, 4};
      try {
        static_cast<void>(carrier_of(data, *format, CheckedOptions(format->write_options, {})));
        one["workloads"].push_back(name);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::unsupported) throw;
      }
    }
    all.push_back(one);
  }
  Json engines{"library", "raw-shared", "raw-own", "mpiio"};
#ifdef QUIRE_BENCH_PARALLEL_HDF5
  engines.push_back("hdf5");
#endif
#ifdef QUIRE_BENCH_PNETCDF
  engines.push_back("pnetcdf");
#endif
  return {{"formats", all}, {"transports", transport_names()}, {"engines", engines}};
}

ShareMemory::Order order_for(Carrier carrier) {
  return carrier == Carrier::streams ? ShareMemory::Order::together : ShareMemory::Order::apart;
}

StepDescription describe_case(const Case& data, Carrier carrier) {
  StepDescription step;
  if (carrier == Carrier::table) {
    Table table;
    table.rows = data.rows;
    for (std::size_t c = 0; c < data.columns.size(); ++c) {
      Column column;
      column.name = column_name(c);
      column.type = data.columns[c];
      column.unit = "m";
      table.columns.push_back(std::move(column));
    }
    step.tables.push_back(std::move(table));
  }
  if (carrier == Carrier::fields) {
    for (std::size_t f = 0; f < data.fields; ++f) step.fields.push_back(field_of(data, f));
  }
  return step;
}

void put_case(WriteStep& step, const Comm& comm, Carrier carrier, const ShareMemory& source,
              const ElementLayout& layout) {
  if (carrier == Carrier::table) {
    put_table(step, source);
  } else if (carrier == Carrier::fields) {
    put_fields(step, source);
  } else if (carrier == Carrier::expansion) {
    put_expansions(step, source, layout);
  } else {
    StreamWriter stream = step.stream({.rank = comm.rank()});
    stream.write_together(source.bytes());
  }
}

std::unique_ptr<Landing> make_landing(Carrier carrier, const Cell& cell, int rank, int size) {
  if (carrier == Carrier::table) return std::make_unique<TableLanding>(cell, rank, size);
  if (carrier == Carrier::fields) return std::make_unique<FieldLanding>(cell, rank, size);
  if (carrier == Carrier::expansion) return std::make_unique<ElementLanding>(cell, rank, size);
  return std::make_unique<StreamLanding>(cell, rank, size);
}

}  // namespace quire::bench
