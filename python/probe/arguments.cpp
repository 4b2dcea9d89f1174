#include "arguments.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "quire/base/error.hpp"

namespace quire::probe {

Arguments::Arguments(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const std::size_t equals = word.find('=');
    if (i == 1) {
      action_ = word;
    } else if (equals == std::string::npos) {
      throw Error(ErrorKind::usage, "'" + word + "' is not name=value");
    } else {
      values_[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
}

std::string Arguments::text(const std::string& name, const std::string& preset) const {
  const auto found = values_.find(name);
  return found == values_.end() ? preset : found->second;
}

std::uint64_t Arguments::number(const std::string& name, std::uint64_t preset) const {
  const std::string word = text(name);
  if (word.empty()) return preset;
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), number);
  if (problem != std::errc{} || end != word.data() + word.size()) {
    throw Error(ErrorKind::usage, name + "=" + word + " is no number");
  }
  return number;
}

std::vector<std::string> Arguments::words(const std::string& name) const {
  std::vector<std::string> words;
  const std::string list = text(name);
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    words.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

Hints Arguments::hints(const std::string& name) const {
  Hints hints;
  for (const std::string& word : words(name)) {
    const std::size_t colon = word.find(':');
    if (colon == std::string::npos) throw Error(ErrorKind::usage, "'" + word + "' is not name:value");
    hints.emplace_back(word.substr(0, colon), word.substr(colon + 1));
  }
  return hints;
}

void report(const Comm& comm, const std::vector<std::string>& fields) {
  if (!comm.is_root()) return;
  std::string line = "@";
  for (const std::string& field : fields) {
    if (line.size() > 1) line += '\t';
    std::string clean = field;
    std::ranges::replace_if(
        clean, [](char c) { return c == '\t' || c == '\n' || c == '\r'; }, ' ');
    line += clean;
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stdout);
  std::fflush(stdout);
}

}  // namespace quire::probe
