#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "format/hdf5/planning/growing_step.hpp"
#include "format/hdf5/planning/planned_step.hpp"
#include "quire/spi/format/planner_capabilities.hpp"

namespace quire::hdf5 {

class Chunking;
class FileWriter;
class Image;

/// How a layout stores tables and fields, as far as it determines places, and other fixed properties.
struct LayoutTraits {
  bool joins_columns = false;  ///< a table without chunks is one matrix
  /// The elements of each field are summed over the ranks, in a slot of the measure, and may not exceed its extents.
  bool counts_elements = false;
  bool replaces_attributes = false;  ///< attributes of the file replace existing ones
  bool holds_one_step = false;       ///< further steps can only add to it
  bool may_grow = true;              ///< steps can grow: the writer has the option `grow`
  bool holds_constants = false;      ///< of tables
  bool records_zones = false;        ///< the rows of each rank are recorded as a zone
};

/// A step that is created in a session.
struct NewStep {
  hid_t file = H5I_INVALID_HID;
  Image& image;
  const StepDescription& step;
  const PlannedStep& plan;
  const Chunking& chunking;
};

/// The work of a session that writes. `release` gets a file opened for it only and comes first, see
/// FileWriter::session(). `drop` comes after everything was created, because HDF5 reuses the space of dropped objects.
struct SessionWork {
  std::function<void(hid_t)> write;
  std::function<void(hid_t)> release{};
  std::function<void(hid_t)> drop{};
};

/// Opens an existing file that is taken over, and gives it to a function that must not change it.
using OpenExisting = std::function<Publication(const std::function<void(hid_t)>& look)>;

/// The result of taking over an existing file.
struct Resumed {
  Publication acts;
  std::optional<GrowingStep> growing;  ///< the step that can grow, if the option is set
};

/// What a layout of HDF5 files knows that their planner does not: which steps and attributes it accepts, and which
/// groups and datasets they become. Places, chunks and growth are those of Hdf5Planner.
class Layout {
 public:
  virtual ~Layout() = default;

  // The same on every rank.
  [[nodiscard]] virtual LayoutTraits traits() const = 0;
  /// Whether the components of a field are one dataset, along its first axis.
  [[nodiscard]] virtual bool joins_components(const Field& /*field*/) const { return false; }
  /// The attributes and texts of a file as they are stored. Throws as WritePlanner::set_file().
  [[nodiscard]] virtual std::vector<Attribute> accept_file(const FileDescription& file) const = 0;
  /// The accepted description will be written.
  virtual void keep_file(const FileDescription& /*file*/) {}
  /// Throws if the file cannot hold a new step of this number. `is_first`: the file has no step that was written or can
  /// grow.
  virtual void check_new(std::int64_t number, bool is_first) const = 0;
  /// See WritePlanner::accept(). `pending` are the attributes of the file that are written together with the step.
  [[nodiscard]] virtual StepDescription accept(const StepDescription& step, const std::vector<Attribute>& pending,
                                               bool lossy) const = 0;
  /// The path of a table (GrowingTable::path) and the name of a field (GrowingField::name) of an accepted step.
  [[nodiscard]] virtual std::string name_of(const Table& table) const = 0;
  [[nodiscard]] virtual std::string name_of(const Field& field) const = 0;
  /// See ZoneRecorder::zones_of(), if the layout records zones.
  [[nodiscard]] virtual std::optional<ZoneTable> zones_of(const StepDescription& /*step*/,
                                                          std::size_t /*table*/) const {
    return std::nullopt;
  }
  /// A new step before its first rows and elements are added; no value if it cannot grow.
  [[nodiscard]] virtual std::optional<GrowingStep> fresh(const StepDescription& step,
                                                         const Chunking& chunking) const = 0;
  /// A step has been published.
  virtual void advance(const StepDescription& /*step*/) {}

  // On rank 0 only.
  /// Takes over an existing file. See WritePlanner::resume().
  [[nodiscard]] virtual Resumed resume(FileWriter& writer, const OpenExisting& open, std::optional<std::int64_t> after,
                                       bool drop) = 0;
  /// Writes attributes of the file, and what a step adds to them.
  virtual void write_file(hid_t file, const std::vector<Attribute>& attributes, const StepDescription& step) const = 0;
  /// Creates the groups, datasets and attributes of a step. Returns the paths of the objects to be dropped at the end.
  [[nodiscard]] virtual std::vector<std::string> create(const NewStep& step) = 0;
  /// FileWriter::session(), in which a layout may write more than its steps.
  [[nodiscard]] virtual Publication session(FileWriter& writer, std::vector<PlannedSpace> planned,
                                            const SessionWork& work);
  /// Whether session() would do so.
  [[nodiscard]] virtual bool has_changes() const { return false; }
  /// Null if the layout has no attachments.
  [[nodiscard]] virtual AttachmentWriter* attachments() { return nullptr; }
};

}  // namespace quire::hdf5
