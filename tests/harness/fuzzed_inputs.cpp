#include "harness/fuzzed_inputs.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "quire/quire.hpp"
#include "support/choices.hpp"
#include "support/environment.hpp"
#include "support/memory_source.hpp"
#include "support/sample.hpp"
#include "support/step_content.hpp"
#include "support/stream_files.hpp"
#include "support/stream_sample.hpp"

namespace quire::test {
namespace {

namespace files = std::filesystem;

constexpr std::size_t largest = 16 << 10;

/// None if the file has no known format.
std::optional<FuzzedInput> input_of(std::string name, const std::string& file) {
  const auto head = std::as_bytes(std::span(file));
  FuzzedInput input{std::move(name), {}, std::vector<std::uint8_t>(Choices::bytes)};
  try {
    input.format = recognise(head, std::make_shared<MemorySource>(file)).name;
  } catch (const Error&) {
    return std::nullopt;
  }
  input.bytes.insert(input.bytes.end(), file.begin(), file.end());
  return input;
}

std::vector<FuzzedInput> kept_files() {
  std::vector<FuzzedInput> inputs;
  for (const auto& entry : files::recursive_directory_iterator(std::getenv("QUIRE_TEST_DATA"))) {
    if (!entry.is_regular_file() || entry.file_size() > largest) continue;
    auto input = input_of(entry.path().filename().string(), bytes_of(entry.path().string()));
    if (input) inputs.push_back(*std::move(input));
  }
  return inputs;
}

/// Elements from one of the kept files, if one holds any.
std::optional<StepContent> step_of_elements(const std::vector<FuzzedInput>& inputs, const std::string& file) {
  for (const FuzzedInput& input : inputs) {
    if (!format_named(input.format).holds_elements) continue;
    write_bytes(file, std::string(input.bytes.begin() + Choices::bytes, input.bytes.end()));
    try {
      const Reader in = open(file, Comm::self());
      if (auto content = StepContent::of(in.at(0), largest)) return content;
    } catch (const Error&) {
      continue;
    }
  }
  return std::nullopt;
}

void write_sample(Writer& out, const Variant& variant, const std::optional<StepContent>& elements) {
  const Format& format = *variant.format;
  constexpr std::uint64_t rows = 5;
  std::optional<Sample> sample;
  if (format.holds_tables) sample.emplace(format, rows);
  StreamSample streams(3, is_keyed(variant));
  for (std::int64_t number = 0; number < possible_steps(format, 2); ++number) {
    WriteStep step = out.step(number);
    if (format.holds_streams) {
      streams.fill(step, Comm::self());
    } else if (format.holds_elements) {
      elements.value().put(step, format.fit_with_presets({}, elements->description()).adapted, false);
    } else {
      sample->fill(step, number, {0, rows});
    }
    step.commit();
  }
  out.close();
}

}  // namespace

std::vector<FuzzedInput> fuzzed_inputs() {
  std::vector<FuzzedInput> inputs = kept_files();
  // Several processes create them at the same time.
  const files::path folder = path("fuzzed_inputs_" + std::to_string(::getpid()));
  files::create_directories(folder);
  const auto elements = step_of_elements(inputs, (folder / "elements").string());
  for (const Variant& variant : variants_of(formats())) {
    const std::string file = (folder / variant.name()).string();
    Writer out = create(file, Comm::self(), variant.new_file_options());
    write_sample(out, variant, elements);
    if (!files::is_regular_file(file)) continue;
    if (auto input = input_of(variant.name(), bytes_of(file))) inputs.push_back(*std::move(input));
  }
  files::remove_all(folder);
  return inputs;
}

}  // namespace quire::test
