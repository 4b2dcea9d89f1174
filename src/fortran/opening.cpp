#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include "fortran/handle.hpp"

namespace {

using quire::fortran::File;
using quire::fortran::Opening;

const char* given(const char* text) { return *text != '\0' ? text : nullptr; }

/// The options of the C interface, and the list of settings that they refer to.
class Options {
 public:
  explicit Options(const Opening& how) {
    for (const char* setting = how.settings; *setting != '\0'; setting += std::strlen(setting) + 1) {
      settings_.push_back(setting);
    }
    settings_.push_back(nullptr);
    options_.format = given(how.format);
    options_.transport = given(how.transport);
    options_.durable = how.durable;
    options_.lossy = how.lossy;
    options_.tolerant = how.tolerant;
    options_.deadline = how.deadline;
    options_.settings = settings_.data();
  }
  /// Fails the call on all ranks.
  void refuse(const std::string& why) {
    refused_ = why;
    options_.refused = refused_.c_str();
  }
  [[nodiscard]] const quire_options& get() const noexcept { return options_; }

 private:
  std::vector<const char*> settings_;
  std::string refused_;
  quire_options options_ = quire_default_options();
};

/// The number of a step; if it is wrong on this rank, all ranks get the error by the call.
std::int64_t number_of(const CFI_cdesc_t* number, const std::string& what, Options& options) {
  try {
    return quire::fortran::integer_of(number, what);
  } catch (const std::invalid_argument& wrong) {
    options.refuse(wrong.what());
    return 0;
  }
}

using Open = std::function<quire_status(Options& options, File& file)>;

/// Makes a handle, also on failure, for its message.
quire_status make(const Opening& how, File** made, const Open& open) noexcept {
  *made = new (std::nothrow) File;
  if (*made == nullptr) return QUIRE_MEMORY;
  return quire::fortran::guarded(*made, [&](File& file) {
    Options options(how);
    const quire_status status = open(options, file);
    file.owned.reset(file.file);
    if (!file.refused.empty()) throw std::invalid_argument(file.refused);
    quire::fortran::require(file, status);
  });
}

}  // namespace

extern "C" {

/// @param after a step to continue after, may be null
quire_status quire_fortran_open(const Opening* how, const CFI_cdesc_t* after, File** file) {
  return make(*how, file, [&](Options& chosen, File& made) {
    made.is_written = how->manner != Opening::reading;
    std::optional<std::int64_t> last;
    if (after != nullptr) last = number_of(after, "after", chosen);
    const quire_options& options = chosen.get();
    const std::int64_t* number = last ? &*last : nullptr;
    if (how->has_communicator != 0) return quire::fortran::open_on(*how, number, options, &made.file);
    switch (how->manner) {
      case Opening::creating:
        return quire_create(how->path, &options, &made.file);
      case Opening::appending:
        return quire_append(how->path, number, how->drop_later, &options, &made.file);
      default:
        return quire_open(how->path, &options, &made.file);
    }
  });
}

/// Calls the Fortran procedure with a handle that is valid during the call.
using Fill = quire_status (*)(File* file, void* context);

quire_status quire_fortran_write_file(const Opening* how, const CFI_cdesc_t* step, Fill fill, void* context,
                                      File** file) {
  struct Filling {
    Fill fill;
    void* context;
    File file;
  };
  return make(*how, file, [&](Options& chosen, File& made) {
    const std::int64_t number = number_of(step, "the number of the step", chosen);
    const quire_options& options = chosen.get();
    // The copies that the step needs must outlive its commit, so they belong to this call.
    Filling filling{fill, context, {}};
    const quire_fill call = [](quire_file* handle, void* data) {
      auto& mine = *static_cast<Filling*>(data);
      mine.file.file = handle;
      mine.file.is_in_step = true;
      const quire_status status = mine.fill(&mine.file, mine.context);
      return status == QUIRE_OK && !mine.file.refused.empty() ? QUIRE_USAGE : status;
    };
    const quire_status status = how->has_communicator != 0
                                    ? quire::fortran::write_file_on(*how, number, call, &filling, options, &made.file)
                                    : quire_write_file(how->path, number, call, &filling, &options, &made.file);
    made.refused = filling.file.refused;
    made.copied = filling.file.copied;
    return status;
  });
}

/// @param dropped numbers of steps to drop, may be null
quire_status quire_fortran_repair(const Opening* how, const CFI_cdesc_t* dropped, int* changed, File** file) {
  return make(*how, file, [&](Options& chosen, File& made) {
    std::vector<std::int64_t> steps;
    try {
      steps = quire::fortran::integers_of(dropped, "dropped");
    } catch (const std::invalid_argument& wrong) {
      chosen.refuse(wrong.what());
    }
    const quire_options& options = chosen.get();
    if (how->has_communicator != 0) return quire::fortran::repair_on(*how, steps, options, changed, &made.file);
    return quire_repair(how->path, steps.size(), steps.data(), &options, changed, &made.file);
  });
}

quire_status quire_fortran_close(File* file) {
  return quire::fortran::guarded(file, [](File& open) {
    quire::fortran::require(open, quire_close(open.file));
    quire::fortran::end_step(open);
  });
}

void quire_fortran_free(File* file) { delete file; }

std::uint64_t quire_fortran_copied(const File* file) { return file != nullptr ? file->copied : 0; }

const char* quire_fortran_message(const File* file) {
  return file != nullptr ? file->message.c_str()
                         : "usage error: the file was not opened, or the handle is a copy by allocate(source=): pass "
                           "the handle itself";
}

/// Ends the program if it runs under MPI; otherwise returns.
void quire_fortran_stop(const char* message, int status) { quire::fortran::abort_all_ranks(message, status); }

}  // extern "C"
