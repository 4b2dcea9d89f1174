#include "format/plain/format.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "format/chunk_cache_option.hpp"
#include "format/hdf5/image/live_describer.hpp"
#include "format/hdf5/library/chunking.hpp"
#include "format/hdf5/library/recognition.hpp"
#include "format/hdf5/planning/planner.hpp"
#include "format/plain/describer.hpp"
#include "format/plain/layout.hpp"

namespace quire {
namespace {

class PlainFormat final : public Format {
 public:
  [[nodiscard]] std::string_view name() const override { return "hdf5"; }
  [[nodiscard]] std::string_view title() const override { return "any HDF5 datasets"; }
  [[nodiscard]] std::vector<std::string_view> suffixes() const override { return {".hdf5", ".hdf"}; }
  [[nodiscard]] std::vector<std::string_view> shared_suffixes() const override { return {".h5"}; }
  [[nodiscard]] bool holds_one_step() const override { return true; }

  [[nodiscard]] bool recognises(std::span<const std::byte> head, std::uint64_t /*size*/) const override {
    return hdf5::has_signature(head);
  }

  [[nodiscard]] const std::vector<Option>& read_options() const override {
    static const std::vector<Option> options{
        {"columns", OptionKind::text, "", {}, "comma-separated paths of two-dimensional datasets that are tables"},
        {"matrices", OptionKind::text, "fields", {"fields", "columns"}, "how other two-dimensional datasets are read"},
        hdf5::unwritten_option(),
        chunk_cache_option(),
    };
    return options;
  }

  [[nodiscard]] const std::vector<Option>& write_options() const override {
    static const std::vector<Option> options = [] {
      std::vector<Option> all = hdf5::with_split(hdf5::with_alignment({
          {"layout",
           OptionKind::text,
           "columns",
           {"columns", "matrix"},
           "a table has one dataset for each column, or one for all"},
          {"dataset", OptionKind::text, "table", {}, "the name of the matrix of a table without a name"},
          {"grow",
           OptionKind::truth,
           "false",
           {},
           "further commits of the step add rows and elements to chunked datasets"},
      }));
      std::ranges::copy(hdf5::chunking_options(), std::back_inserter(all));
      return hdf5::with_library_version(std::move(all));
    }();
    return options;
  }

  [[nodiscard]] std::vector<Options> writing_variants() const override {
    return {{},
            {{"layout", "matrix"}},
            {{"chunk", "7"}, {"field_chunk", "3"}},
            {{"layout", "matrix"}, {"chunk", "5"}, {"filter", "zstd"}}};
  }

  [[nodiscard]] std::unique_ptr<Describer> describe(std::shared_ptr<ByteSource> bytes, const DescribeContext& context,
                                                    const CheckedOptions& options) const override {
    return std::make_unique<hdf5::LiveDescriber>(
        std::move(bytes), context, [context, options](std::shared_ptr<ByteSource> still) {
          return std::make_unique<hdf5::PlainDescriber>(std::move(still), context, options);
        });
  }

  [[nodiscard]] bool makes_set(const CheckedOptions& options) const override { return options.truth("split"); }

  [[nodiscard]] std::unique_ptr<WritePlanner> plan_writing(const CheckedOptions& options) const override {
    return std::make_unique<hdf5::Hdf5Planner>(options, std::make_unique<hdf5::PlainLayout>(options));
  }

  [[nodiscard]] Fit fit(const FileDescription& file, const StepDescription& step,
                        const CheckedOptions& options) const override {
    const auto rules = hdf5::PlainLayout::rules_of(options);
    return fit_without_expansions(step,
                                  [&](const StepDescription& plain) { return hdf5::fit_plain(file, plain, rules); });
  }
};

}  // namespace

const Format& plain_format() {
  static const PlainFormat format;
  return format;
}

}  // namespace quire
