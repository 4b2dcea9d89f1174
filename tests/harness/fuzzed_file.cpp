#include "harness/fuzzed_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "quire/format/format.hpp"
#include "quire/quire.hpp"
#include "support/choices.hpp"
#include "support/environment.hpp"
#include "support/error_of.hpp"
#include "support/step_content.hpp"

namespace quire::test {
namespace {

namespace files = std::filesystem;

constexpr std::uint64_t memory_budget = 1 << 20;
constexpr std::uint64_t most_values = 4096;
constexpr std::uint64_t most_steps = 16;

/// A folder with a file of given bytes. It is kept for the next input: most inputs are small files, and to create and
/// remove a folder takes longer than to read them.
class Folder {
 public:
  Folder() : folder_(path("fuzzed_" + std::to_string(::getpid()))) { files::create_directories(folder_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    files::remove_all(folder_, ignored);
  }

  /// Replaces the files of the last input. If it is the first file of a set, the other files have the same bytes.
  void hold(std::span<const std::uint8_t> bytes) {
    for (const auto& entry : files::directory_iterator(folder_)) files::remove_all(entry.path());
    held_.assign(bytes.begin(), bytes.end());
    write(file());
    try {
      for (const std::string& member : named_members(file())) {
        if (files::path(member).filename() == member) write((folder_ / member).string());
      }
    } catch (const Error&) {
      // The format finds no other files for these bytes.
    }
    count_ = count();
  }

  /// Whether all files are as hold() has left them, and no other was added.
  [[nodiscard]] bool is_unchanged() const {
    const auto is_held = [&](const files::directory_entry& entry) {
      return entry.is_regular_file() && bytes_of(entry.path().string()) == held_;
    };
    return count() == count_ && std::ranges::all_of(files::directory_iterator(folder_), is_held);
  }

  [[nodiscard]] std::string file() const { return (folder_ / "file").string(); }
  [[nodiscard]] std::string copy() const { return (folder_ / "copy").string(); }

 private:
  /// Writes nothing if a file cannot have this name.
  void write(const std::string& path) const { std::ofstream(path, std::ios::binary) << held_; }
  [[nodiscard]] std::size_t count() const {
    return static_cast<std::size_t>(std::ranges::distance(files::directory_iterator(folder_)));
  }

  files::path folder_;
  std::string held_;       ///< the bytes of every file
  std::size_t count_ = 0;  ///< of the files
};

/// The folder of this process with these bytes.
const Folder& folder_with(std::span<const std::uint8_t> bytes) {
  static Folder folder;
  folder.hold(bytes);
  return folder;
}

/// The library's error that an action throws. Other exceptions are defects and pass through.
template <class Action>
std::optional<Error> refusal_of(Action&& action) {
  auto error = error_of(std::forward<Action>(action));
  if (error && error->kind() == ErrorKind::internal) throw std::logic_error(error->what());
  return error;
}

/// The formats that recognise these first bytes, or all formats if none does.
std::vector<const Format*> formats_of(std::span<const std::uint8_t> bytes) {
  std::vector<const Format*> all = formats();
  std::erase_if(all, [&](const Format* one) { return !one->recognises(std::as_bytes(bytes), bytes.size()); });
  return all.empty() ? formats() : all;
}

template <class How>
void choose_options(How& how, Choices& choices, const std::vector<Option>& own, const std::vector<Option>& common) {
  how.options = choices.options(own);
  if (choices.coin()) how.options.merge(choices.options(common));
  how.lossy = choices.coin();
}

ReadOptions plain_reading() {
  ReadOptions how;
  how.memory_budget = memory_budget;
  return how;
}

ReadOptions reading(const Format& format, Choices& choices) {
  ReadOptions how = plain_reading();
  choose_options(how, choices, format.read_options, common_read_options());
  how.tolerant = choices.coin();
  if (!how.options.empty() || choices.coin()) how.format = format.name;
  return how;
}

WriteOptions writing(const Format& format, Choices& choices) {
  WriteOptions how;
  choose_options(how, choices, format.write_options, common_write_options());
  how.format = format.name;
  return how;
}

/// The options to read what was written with these: those that both sides have, such as the names of steps.
ReadOptions reading_as(const WriteOptions& writer) {
  ReadOptions how = plain_reading();
  how.format = writer.format;
  for (const Option& option : format_named(writer.format).read_options) {
    const auto given = writer.options.find(option.name);
    if (given != writer.options.end()) how.options.insert(*given);
  }
  return how;
}

/// The readable contents of a file: its first steps up to the first error.
struct Content {
  FileDescription file;
  std::vector<StepContent> steps;
  std::vector<std::int64_t> numbers;  ///< of all steps, if they could be counted
  std::optional<Error> damage;        ///< the last error

  [[nodiscard]] bool has(std::int64_t number) const { return std::ranges::find(numbers, number) != numbers.end(); }
};

/// Adds a step to the content; false after the last one.
bool add_step(Content& content, const Reader& in, std::uint64_t index) {
  const auto step = in.try_at(index);
  if (!step) return false;
  auto found = StepContent::of(*step, most_values);
  if (found) content.steps.push_back(*std::move(found));
  return true;
}

Content content_of(const std::string& path, const ReadOptions& how) {
  Content content;
  const auto closed = refusal_of([&] {
    Reader in = open(path, Comm::self(), how);
    content.file = in.description();
    content.damage = refusal_of([&] { content.numbers = in.numbers(); });
    bool goes_on = true;
    for (std::uint64_t index = 0; index < most_steps && goes_on; ++index) {
      const auto refused = refusal_of([&] { goes_on = add_step(content, in, index); });
      if (!refused) continue;
      content.damage = refused;
      goes_on = in.finds_steps_alone() && index + 1 < content.numbers.size();
    }
    in.close();
  });
  if (closed) content.damage = closed;
  return content;
}

/// Throws unless all kept steps are found again in order. A step without contents may leave no trace.
void require_kept(const Content& before, const Content& after, const std::function<bool(std::int64_t)>& is_kept,
                  const std::string& done) {
  std::size_t found = 0;
  for (const StepContent& step : before.steps) {
    const std::int64_t number = step.description().number;
    if (!is_kept(number) || step.is_empty()) continue;
    while (found < after.steps.size() && !(after.steps[found] == step)) ++found;
    if (found < after.steps.size()) continue;
    throw std::logic_error("step " + std::to_string(number) + " is not what it was" + done +
                           (after.damage ? std::string(": ") + after.damage->what() : ""));
  }
}

/// A small step that most files can hold. It has no units, because a format may have one for each name in a file: steps
/// without a unit would gain it.
void fill(WriteStep& step, std::span<const double> x, std::span<const std::string> texts) {
  step.set("label", "fuzzed").set("s", 0.5);
  step.put("x", x).put("text", texts);
}

/// Options, for messages.
template <class How>
std::string words(const How& how) {
  std::string text = " as " + (how.format.empty() ? "recognised" : how.format);
  for (const auto& [name, value] : how.options) text += " " + name + "=" + value;
  return text;
}

struct Appending {
  std::optional<std::int64_t> after;
  Later later = Later::refuse;
  WriteOptions how;
  std::int64_t number = 0;
  bool repeats = false;  ///< writes the last step again, else one of another structure
  bool in_blocks = false;
  bool adds_to_file = false;

  [[nodiscard]] std::string text() const {
    return "; appended step " + std::to_string(number) + (repeats ? " (a repetition of the last)" : "") +
           (after ? " after " + std::to_string(*after) : "") + (later == Later::drop ? " and dropped" : "") +
           (in_blocks ? " in blocks" : "") + (adds_to_file ? " and to the file" : "") + words(how);
  }
};

std::int64_t following(std::int64_t number) {
  return number == std::numeric_limits<std::int64_t>::max() ? number : number + 1;
}

Appending choose_appending(WriteOptions how, const Content& before, Choices& choices) {
  const auto& numbers = before.numbers;
  const auto one_of_them = [&] { return numbers.empty() ? 0 : numbers[choices.below(numbers.size())]; };
  Appending chosen;
  chosen.how = std::move(how);
  if (choices.coin()) chosen.after = one_of_them();
  if (choices.coin()) chosen.later = Later::drop;
  const std::int64_t last = chosen.after ? *chosen.after : numbers.empty() ? 0 : std::ranges::max(numbers);
  chosen.number = choices.coin() ? one_of_them() : following(last);
  chosen.repeats = !choices.coin() && !before.steps.empty();
  chosen.in_blocks = choices.coin();
  chosen.adds_to_file = choices.coin();
  return chosen;
}

void append_step(const std::string& path, const Appending& chosen, const Content& before) {
  Writer out = append(path, Comm::self(), chosen.after, chosen.later, chosen.how);
  const std::vector<double> x{1, 2, 3};
  const std::vector<std::string> texts{"a", "", "b c"};
  if (chosen.adds_to_file) {
    refusal_of([&] { out.set("added", Value("to the file")); });
    refusal_of([&] { out.attach("file.txt", std::as_bytes(std::span(x)), chosen.repeats); });
  }
  WriteStep step = out.step(chosen.number);
  if (chosen.repeats) {
    before.steps.back().put(step, before.steps.back().description(), chosen.in_blocks);
  } else {
    fill(step, x, texts);
  }
  step.commit();
  out.close();
}

/// Copies the steps of a file into another one. False if the format keeps nothing of them.
bool copy_steps(const Content& from, const std::string& path, const WriteOptions& how, bool in_blocks) {
  const Format& format = format_named(how.format);
  Writer out = create(path, Comm::self(), how);
  refusal_of([&] { out.describe(from.file.title, from.file.contents); });
  for (const Attribute& attribute : from.file.attributes) refusal_of([&] { out.set(attribute); });
  // Only the options of the format's writer.
  Options own;
  for (const Option& option : format.write_options) {
    const auto given = how.options.find(option.name);
    if (given != how.options.end()) own.insert(*given);
  }
  const CheckedOptions checked(format.write_options, own);
  bool is_anything_kept = false;
  for (const StepContent& one : from.steps) {
    WriteStep step = out.step(one.description().number);
    const StepDescription adapted = format.fit(from.file, one.description(), checked).adapted;
    is_anything_kept |= !adapted.tables.empty() || !adapted.fields.empty() || !adapted.attributes.empty();
    one.put(step, adapted, in_blocks);
    step.commit();
  }
  out.close();
  return is_anything_kept;
}

/// An input of a fuzzer.
struct Input {
  explicit Input(std::span<const std::uint8_t> input)
      : choices(input.first(std::min(input.size(), Choices::bytes))),
        file(input.subspan(std::min(input.size(), Choices::bytes))),
        format(one_of(formats_of(file), choices)),
        folder(folder_with(file)) {}

  Choices choices;
  std::span<const std::uint8_t> file;
  const Format& format;
  const Folder& folder;

 private:
  static const Format& one_of(const std::vector<const Format*>& all, Choices& choices) {
    return *all[choices.below(all.size())];
  }
};

}  // namespace

void append_to_fuzzed(std::span<const std::uint8_t> input) {
  Input given(input);
  Choices& choices = given.choices;
  const std::string file = given.folder.file();
  WriteOptions writer = writing(given.format, choices);
  const ReadOptions reader = reading_as(writer);
  const Content before = content_of(file, reader);
  const Appending chosen = choose_appending(std::move(writer), before, choices);
  const auto refused = refusal_of([&] { append_step(file, chosen, before); });
  if (refused && given.folder.is_unchanged()) return;
  const Content after = content_of(file, reader);
  // The only step of a file may grow from steps of any number.
  const bool is_grown = given.format.holds_one_step && !refused;
  const auto is_kept = [&](std::int64_t number) {
    const bool is_dropped = chosen.later == Later::drop && chosen.after && number > *chosen.after;
    return !is_dropped && !is_grown && number != chosen.number;
  };
  const std::string done = chosen.text() + (refused ? std::string(": ") + refused->what() : "");
  require_kept(before, after, is_kept, done);
  if (!refused && !is_grown && !after.has(chosen.number))
    throw std::logic_error("the new step is not in the file" + done);
}

void repair_fuzzed(std::span<const std::uint8_t> input) {
  Input given(input);
  Choices& choices = given.choices;
  const std::string file = given.folder.file();
  const ReadOptions how = reading(given.format, choices);
  const Content before = content_of(file, how);
  std::vector<std::int64_t> dropped;
  if (choices.coin()) {
    refusal_of([&] {
      for (const DamagedStep& step : open(file, Comm::self(), how).check().damaged) {
        dropped.push_back(step.number);
      }
    });
  }
  if (choices.coin() && !before.numbers.empty()) {
    dropped.push_back(before.numbers[choices.below(before.numbers.size())]);
  }
  bool is_changed = false;
  const auto refused = refusal_of([&] { is_changed = repair(file, Comm::self(), how, dropped); });
  if ((refused || (!is_changed && dropped.empty())) && given.folder.is_unchanged()) return;
  const auto is_kept = [&](std::int64_t number) { return std::ranges::find(dropped, number) == dropped.end(); };
  std::string done = "; repaired" + words(how);
  for (const std::int64_t number : dropped) done += " without " + std::to_string(number);
  if (refused) done += std::string(": ") + refused->what();
  require_kept(before, content_of(file, how), is_kept, done);
  if (refused) return;
  bool is_unfinished = false;
  refusal_of([&] { is_unfinished = repair(file, Comm::self(), how); });
  if (is_unfinished) throw std::logic_error("a second repair changes it" + done);
}

void convert_fuzzed(std::span<const std::uint8_t> input) {
  Input given(input);
  Choices& choices = given.choices;
  const std::string file = given.folder.file();
  const Content content = content_of(file, reading(given.format, choices));
  if (content.steps.empty()) return;
  const Format& target = *formats()[choices.below(formats().size())];
  const WriteOptions how = writing(target, choices);
  const bool in_blocks = choices.coin();
  bool is_anything_kept = false;
  const auto refused = refusal_of([&] { is_anything_kept = copy_steps(content, given.folder.copy(), how, in_blocks); });
  if (refused || !is_anything_kept) return;
  ReadOptions reader = reading_as(how);
  reader.memory_budget = ReadOptions().memory_budget;
  const Content copy = content_of(given.folder.copy(), reader);
  if (copy.damage) {
    throw std::logic_error("what was converted" + words(how) + " cannot be read: " + copy.damage->what());
  }
}

}  // namespace quire::test
