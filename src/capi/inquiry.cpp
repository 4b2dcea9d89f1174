#include "quire/capi/inquiry.h"

#include <algorithm>
#include <span>

#include "capi/arguments.hpp"
#include "capi/handle.hpp"

namespace {

using quire::Error;
using quire::ErrorKind;
using namespace quire::capi;

quire_info info_of(const quire::Quantity& quantity) {
  quire_info info = {};
  info.name = quantity.name.c_str();
  info.type = static_cast<quire_type>(quantity.type);
  info.unit = quantity.unit.c_str();
  info.symbol = quantity.symbol.c_str();
  info.description = quantity.description.c_str();
  info.display = quantity.display.c_str();
  return info;
}

quire_info info_of(const quire::Attribute& attribute) {
  quire_info info = info_of(static_cast<const quire::Quantity&>(attribute));
  info.count = attribute.value.count();
  info.axes = attribute.value.shape().size();
  info.extents = attribute.value.shape().data();
  return info;
}

quire_info info_of(const quire::Field& field) {
  quire_info info = info_of(static_cast<const quire::Quantity&>(field));
  info.count = quire::volume(field.extents);
  info.axes = field.extents.size();
  info.extents = field.extents.data();
  info.components = field.components;
  info.group = field.group.c_str();
  return info;
}

quire_info named(const std::string& name) {
  quire_info info = {};
  info.name = name.c_str();
  return info;
}

quire_info info_of(const quire::Table& table) {
  quire_info info = named(table.name);
  info.count = table.rows;
  info.is_expansion = table.expansion ? 1 : 0;
  return info;
}

quire_info info_of(const quire::Attachment& attachment) {
  quire_info info = named(attachment.name);
  info.count = attachment.bytes;
  return info;
}

quire_info info_of(const quire::Fact& fact) {
  quire_info info = named(fact.name);
  info.value = fact.value.c_str();
  return info;
}

quire_info info_of(const std::string& name) { return named(name); }

std::vector<quire_info> all_of(const auto& list) {
  std::vector<quire_info> infos;
  for (const auto& entry : list) infos.push_back(info_of(entry));
  return infos;
}

std::vector<quire_info> columns_of(const quire::Table& table) {
  std::vector<quire_info> infos;
  for (const quire::Column& column : table.columns) {
    quire_info& info = infos.emplace_back(info_of(static_cast<const quire::Quantity&>(column)));
    info.count = table.rows;
    info.text_bytes = column.text_bytes;
  }
  return infos;
}

std::vector<quire_info> attributes_of(quire_file& file) {
  const quire_owner owner = file.chosen.owner;
  if (owner == QUIRE_OWNER_FIELD) {
    const quire::StepDescription& step = described_step(file);
    return all_of(step.fields.at(step.find_field(file.chosen.owning_field)).attributes);
  }
  if (owner == QUIRE_OWNER_FILE || (owner == QUIRE_OWNER_DEFAULT && file.reader && !file.read_step)) {
    return all_of(reader_of(file).description().attributes);
  }
  return all_of(described_step(file).attributes);
}

std::vector<quire_info> warnings_of(quire_file& file) {
  auto infos = all_of(reader_of(file).description().warnings);
  if (file.read_step) std::ranges::copy(all_of(file.read_step->description().warnings), std::back_inserter(infos));
  return infos;
}

std::vector<quire_info> entries(quire_file& file, quire_list list) {
  switch (list) {
    case QUIRE_ATTRIBUTES:
      return attributes_of(file);
    case QUIRE_TABLES:
      return all_of(described_step(file).tables);
    case QUIRE_COLUMNS:
      return columns_of(chosen_table(file));
    case QUIRE_CONSTANTS:
      return all_of(chosen_table(file).constants);
    case QUIRE_FIELDS:
      return all_of(described_step(file).fields);
    case QUIRE_ATTACHMENTS:
      return all_of(reader_of(file).description().attachments);
    case QUIRE_MEMBERS:
      return all_of(reader_of(file).description().members);
    case QUIRE_LAYOUT:
      return all_of(reader_of(file).description().layout);
    case QUIRE_WARNINGS:
      return warnings_of(file);
    case QUIRE_REMARKS:
      return all_of(writer_of(file).remarks());
  }
  throw usage("the list is unknown");
}

/// Texts are never null, whatever the list.
quire_info without_nulls(quire_info info) {
  for (auto* text : {&info.unit, &info.symbol, &info.description, &info.display, &info.group, &info.value}) {
    if (*text == nullptr) *text = "";
  }
  return info;
}

quire_info entry_named(quire_file& file, quire_list list, const char* name) {
  if (list == QUIRE_TABLES && name == nullptr) {
    const quire::StepDescription& step = described_step(file);
    return info_of(step.tables.at(step.find_table("")));
  }
  const std::string wanted = not_null(name, "the name");
  const auto all = entries(file, list);
  const auto found = std::ranges::find(all, wanted, &quire_info::name);
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (const quire_info& info : all) names.emplace_back(info.name);
  throw Error(ErrorKind::missing, "there is no entry of this name" + quire::nearest_names(wanted, names)).on(wanted);
}

quire_file_info info_of(const quire_file& file) {
  quire_file_info info = {};
  info.format = info.title = info.contents = "";
  if (file.reader) {
    const quire::FileDescription& description = file.reader->description();
    info.format = description.format.c_str();
    info.title = description.title.c_str();
    info.contents = description.contents.c_str();
    info.has_declarations = description.declared ? 1 : 0;
    info.finds_steps_alone = file.reader->finds_steps_alone() ? 1 : 0;
  } else if (file.writer) {
    info.is_writing = 1;
    info.appears_at_close = file.writer->appears_at_close() ? 1 : 0;
    info.pads_texts = file.writer->pads_texts() ? 1 : 0;
  } else {
    throw usage("the file is not open");
  }
  return info;
}

/// What this rank has spent on the file until now, or until it was closed.
quire_file::Spent spent_on(quire_file& file) {
  if (file.writer) return spent_by(*file.writer);
  if (file.reader) return spent_by(*file.reader);
  if (!file.spent) throw usage("the file was never open");
  return *file.spent;
}

void return_location(quire_file& file, quire_location* to, uint64_t size) {
  const quire::Location& location = file.location;
  quire_location known = {};
  known.path = location.path.c_str();
  known.member = location.member.c_str();
  known.type = static_cast<quire_type>(location.type);
  known.is_contiguous = location.contiguous ? 1 : 0;
  known.is_big_endian = location.order == quire::ByteOrder::big ? 1 : 0;
  known.offset = location.offset;
  known.count = location.values;
  known.axes = location.chunk.size();
  known.chunk = location.chunk.data();
  fill_in(known, to, size);
}

}  // namespace

extern "C" {

quire_status quire_get_count(quire_file* file, quire_list list, uint64_t* count) {
  return guarded(file, [&] { place(count, "the count") = entries(*file, list).size(); });
}

quire_status quire_get_name(quire_file* file, quire_list list, uint64_t index, const char** name) {
  return guarded(file, [&] {
    place(name, "the name") = nullptr;
    const auto all = entries(*file, list);
    if (index >= all.size()) throw Error(ErrorKind::missing, "the list has " + std::to_string(all.size()) + " entries");
    *name = all[index].name;
  });
}

quire_status quire_get_info(quire_file* file, quire_list list, const char* name, quire_info* info, uint64_t size) {
  return guarded(file, [&] { fill_in(without_nulls(entry_named(*file, list, name)), info, size); });
}

quire_status quire_get_file_info(quire_file* file, quire_file_info* info, uint64_t size) {
  return guarded(file, [&] { fill_in(info_of(*file), info, size); });
}

quire_status quire_get_timing(quire_file* file, quire_timing* timing, uint64_t size) {
  return guarded(file, [&] {
    const quire::Timing spent = spent_on(*file).timing;
    fill_in(quire_timing{spent.plan, spent.wait, spent.encode, spent.transfer, spent.metadata}, timing, size);
  });
}

quire_status quire_get_counters(quire_file* file, quire_counters* counters, uint64_t size) {
  return guarded(file, [&] {
    const quire_file::Spent spent = spent_on(*file);
    const quire::TransportCounters& made = spent.counters;
    quire_counters known = {};
    known.opens = made.opens;
    known.creates = made.creates;
    known.stats = made.stats;
    known.writes = made.writes;
    known.reads = made.reads;
    known.bytes_written = made.bytes_written;
    known.bytes_read = made.bytes_read;
    known.syncs = made.syncs;
    known.collectives = spent.traffic.collectives;
    known.messages = spent.traffic.messages;
    known.bytes_sent = spent.traffic.bytes;
    fill_in(known, counters, size);
  });
}

quire_status quire_locate(quire_file* file, const char* column, quire_location* location, uint64_t size) {
  return guarded(file, [&] {
    file->location = chosen_step(*file).locate(file->chosen.table, not_null(column, "the name of the column"));
    return_location(*file, location, size);
  });
}

quire_status quire_locate_field(quire_file* file, const char* field, uint64_t component, quire_location* location,
                                uint64_t size) {
  return guarded(file, [&] {
    file->location = chosen_step(*file).locate_field(not_null(field, "the name of the field"), component);
    return_location(*file, location, size);
  });
}

}  // extern "C"
