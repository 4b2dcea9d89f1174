#include "format/hdf5/examine.hpp"

#include <hdf5.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "format/h5part/format.hpp"
#include "format/openpmd/format.hpp"
#include "format/plain/format.hpp"
#include "quire/base/error.hpp"
#include "quire/format/format.hpp"
#include "quire/spi/format/describer_capabilities.hpp"
#include "support/examined_bytes.hpp"

namespace quire::test {
namespace {

/// Plans use runs without further checks.
void check_run(const Run& run, std::uint64_t size) {
  if (run.opaque) return;
  if (run.chunks) {
    for (const Chunk& chunk : run.chunks->chunks) {
      if (chunk.offset > size || chunk.bytes > size - chunk.offset) throw std::logic_error("a chunk outside the file");
    }
    return;
  }
  if (run.offset > size || run.bytes > size - run.offset) throw std::logic_error("a run reaches beyond the file");
}

void check_step(const StepLayout& step, std::uint64_t size) {
  for (const auto* places : {&step.tables, &step.fields}) {
    for (const Place& place : *places) {
      for (const Run& run : place.runs) check_run(run, size);
    }
  }
}

void describe(const Format& format, std::span<const std::byte> bytes, const Options& options) {
  constexpr std::uint64_t most_steps = 8;
  DescribeContext context;
  context.memory_budget = 16 << 20;
  context.neighbour = [bytes](const std::string&) { return std::make_shared<ExaminedBytes>(bytes); };
  try {
    const auto describer =
        format.describe(std::make_shared<ExaminedBytes>(bytes), context, CheckedOptions(format.read_options, options));
    for (const Attachment& attachment : describer->file().attachments) {
      std::vector<std::byte> content(static_cast<std::size_t>(std::min<std::uint64_t>(attachment.bytes, 4096)));
      describer->capabilities().attachments->read_attachment(attachment.name, 0, content);
    }
    const std::uint64_t steps = std::min(describer->steps(), most_steps);
    for (std::uint64_t index = 0; index < steps; ++index) {
      if (const auto step = describer->step(index)) check_step(*step, bytes.size());
    }
    static_cast<void>(repair_acts(*describer));
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) throw;
  }
}

}  // namespace

void examine(std::span<const std::byte> bytes) {
  describe(h5part_format(), bytes, {});
  describe(h5part_format(), bytes, {{"cut", "true"}});
  describe(openpmd_format(), bytes, {});
  describe(plain_format(), bytes, {});
  describe(plain_format(), bytes, {{"matrices", "columns"}});
  // One type is kept on purpose: see text_references.cpp.
  constexpr unsigned kinds = H5F_OBJ_FILE | H5F_OBJ_DATASET | H5F_OBJ_GROUP | H5F_OBJ_ATTR;
  if (H5Fget_obj_count(static_cast<hid_t>(H5F_OBJ_ALL), kinds) != 0) throw std::logic_error("an object is open");
}

}  // namespace quire::test
