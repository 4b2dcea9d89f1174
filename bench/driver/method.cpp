#include "driver/method.hpp"

#include "quire/base/error.hpp"
#ifdef QUIRE_BENCH_PARALLEL_HDF5
#include "peers/parallel_hdf5.hpp"
#endif

namespace quire::bench {

MethodSpec MethodSpec::parse(const std::string& text) {
  MethodSpec spec;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(':', at), text.size());
    const std::string word = text.substr(at, end - at);
    const std::size_t equals = word.find('=');
    if ((at == 0) != (equals == std::string::npos) || word.empty()) {
      throw Error(ErrorKind::usage, "\"" + text + "\" is no method").advise("write NAME:key=value:key=value");
    }
    if (at == 0) {
      spec.name = word;
    } else {
      spec.settings[word.substr(0, equals)] = word.substr(equals + 1);
    }
    at = end + 1;
  }
  return spec;
}

std::string MethodSpec::get(const std::string& key, const std::string& preset) const {
  const auto found = settings.find(key);
  return found == settings.end() ? preset : found->second;
}

std::unique_ptr<Method> make_method(const MethodSpec& spec, const Setting& setting) {
  const std::string engine = spec.get("engine", "library");
  if (engine == "raw") return make_raw(spec, setting);
  if (engine == "library") return make_library(spec, setting);
#ifdef QUIRE_BENCH_PARALLEL_HDF5
  if (engine == "phdf5") return peers::make_parallel_hdf5(spec, setting);
#endif
  throw Error(ErrorKind::usage, "there is no engine \"" + engine + "\"").advise("raw, library or phdf5");
}

}  // namespace quire::bench
