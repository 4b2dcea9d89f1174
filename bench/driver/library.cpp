// The library under measurement, by its public interface: any format and any transport, both by name.

#include "driver/library.hpp"

#include <vector>

#include "driver/method.hpp"
#include "quire/api/reader.hpp"
#include "quire/api/writer.hpp"

namespace quire::bench {
namespace {

constexpr std::uint64_t page = 4096;

class Library final : public Method {
 public:
  Library(const MethodSpec& spec, const Setting& setting)
      : setting_(setting),
        options_(library_options(spec)),
        aligned_(spec.get("memory", "") == "aligned"),
        columns_(std::stoul(spec.get("read", std::to_string(setting.workload.columns.size())))) {}

  void write(const std::string& path) override {
    Writer writer = create(path, setting_.comm, options_);
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) {
      WriteStep step = writer.step(static_cast<std::int64_t>(s));
      put_all(step, *setting_.source);
      step.commit();
    }
    writer.close();
    counters_ = writer.counters();
  }

  void verify_written(const std::string& path) override { verify_file(path, setting_.workload, setting_.comm); }

  void prepare_reading(const std::string& path) override {
    // As the source: programs do not have all columns at the same place modulo 4096.
    std::vector<std::size_t> apart(setting_.workload.columns.size());
    for (std::size_t c = 0; c < apart.size(); ++c) apart[c] = c * Block::apart % page;
    shifts_.assign(setting_.workload.steps, apart);
    if (!aligned_) return;
    Reader reader = open(path, setting_.comm, reading());
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) {
      const ReadStep step = reader.at(s);
      for (std::size_t c = 0; c < setting_.workload.columns.size(); ++c) {
        const auto extents = step.plan("", setting_.target->rows(), {Workload::column_name(c)});
        if (!extents.empty()) shifts_[s][c] = static_cast<std::size_t>(extents.front().offset % page);
      }
    }
    reader.close();
  }

  void read(const std::string& path) override {
    Reader reader = open(path, setting_.comm, reading());
    for (std::uint64_t s = 0; s < setting_.workload.steps; ++s) {
      std::vector<ReadColumn> columns;
      for (std::size_t c = 0; c < columns_; ++c) {
        columns.push_back({Workload::column_name(c), setting_.target->memory(c, shifts_[s][c])});
      }
      reader.at(s).read("", setting_.target->rows(), std::move(columns));
    }
    reader.close();
    counters_ = reader.counters();
  }

  void verify_read() override {
    for (std::size_t c = 0; c < columns_; ++c) {
      setting_.target->check(c, shifts_.back()[c]);
    }
  }

  [[nodiscard]] TransportCounters counters() const override { return counters_; }

 private:
  [[nodiscard]] ReadOptions reading() const {
    ReadOptions options;
    options.transport = options_.transport;
    return options;
  }

  Setting setting_;
  WriteOptions options_;
  bool aligned_;
  std::size_t columns_;                           ///< how many of them are read
  std::vector<std::vector<std::size_t>> shifts_;  ///< by step and column: target memory at the file's place in a page
  TransportCounters counters_;
};

}  // namespace

WriteOptions library_options(const MethodSpec& spec) {
  constexpr std::string_view prefix = "option.";
  WriteOptions options;
  for (const auto& [key, value] : spec.settings) {
    if (key == "format") {
      options.format = value;
    } else if (key == "transport") {
      options.transport = value;
    } else if (key == "durable") {
      options.durable = value == "true";
    } else if (key.starts_with(prefix)) {
      options.options[key.substr(prefix.size())] = value;
    } else if (key != "engine" && key != "file" && key != "memory" && key != "read") {
      throw Error(ErrorKind::usage, "the library has no setting \"" + key + "\"")
          .advise("format, transport, durable, option.NAME, memory, file, read");
    }
  }
  return options;
}

void put_all(WriteStep& step, const Block& source) {
  step.rows(source.rows().count);
  for (std::size_t c = 0; c < source.columns(); ++c) step.put(Workload::column_name(c), source.values(c), "m");
}

std::unique_ptr<Method> make_library(const MethodSpec& spec, const Setting& setting) {
  return std::make_unique<Library>(spec, setting);
}

}  // namespace quire::bench
