#pragma once

#include <map>
#include <memory>
#include <string>

#include "driver/workload.hpp"
#include "quire/comm/comm.hpp"
#include "quire/spi/transport/transport.hpp"

namespace quire::bench {

/// An alternative as named on the command line: "NAME:key=value:key=value".
struct MethodSpec {
  std::string name;
  std::map<std::string, std::string, std::less<>> settings;

  [[nodiscard]] static MethodSpec parse(const std::string& text);
  /// The value of a key, or the preset.
  [[nodiscard]] std::string get(const std::string& key, const std::string& preset) const;
};

/// What all alternatives of a run share.
struct Setting {
  Workload workload;
  Comm comm;
  const Block* source = nullptr;  ///< what this rank writes
  const Block* target = nullptr;  ///< where it reads to; none when only written
};

/// One way to write and read the workload. write() and read() are what the clock measures: from opening to closing.
class Method {
 public:
  virtual ~Method() = default;
  /// Collective. Writes all steps into a new file.
  virtual void write(const std::string& path) = 0;
  /// Collective. Throws an error unless the file holds what write() had to write.
  virtual void verify_written(const std::string& path) = 0;
  /// Collective. Looks at the file that read() will read, outside the clock.
  virtual void prepare_reading(const std::string& path) = 0;
  /// Collective. Reads all steps into the target memory.
  virtual void read(const std::string& path) = 0;
  /// Independent. Throws an error unless the target memory holds what read() had to read.
  virtual void verify_read() = 0;
  /// Independent. System calls and bytes of this rank in the last write() or read(), as far as they are known.
  [[nodiscard]] virtual TransportCounters counters() const { return {}; }
};

/// Collective. Makes a method by its key "engine". Throws usage errors for unknown engines and keys.
[[nodiscard]] std::unique_ptr<Method> make_method(const MethodSpec& spec, const Setting& setting);

[[nodiscard]] std::unique_ptr<Method> make_raw(const MethodSpec& spec, const Setting& setting);
[[nodiscard]] std::unique_ptr<Method> make_library(const MethodSpec& spec, const Setting& setting);

}  // namespace quire::bench
