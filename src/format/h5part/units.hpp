#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "quire/model/description.hpp"

namespace quire::hdf5 {

/// Units as OPAL stores them: the unit of a column or attribute `x` is the text of the file attribute `xUnit`.
class Units {
 public:
  Units() = default;
  /// The units among the attributes of a file.
  explicit Units(const std::vector<Attribute>& file_attributes);

  [[nodiscard]] static std::string attribute_name(std::string_view quantity);
  /// The unit of a quantity, or an empty text.
  [[nodiscard]] const std::string& of(const std::string& quantity) const;
  /// Sets the units of quantities that have one.
  void apply(StepDescription& step) const;
  /// Removes the units of the file's own attributes and of the quantities of a step, given by name, from the list of
  /// file attributes, where they would appear twice. Returns true if texts remain that may be units of other steps.
  bool fold(std::vector<Attribute>& file_attributes, const std::vector<std::string>& step) const;

  /// Adds the units of others.
  void add(const Units& others);
  /// Whether the name of the unit is used for something else: an attribute that is not a single text.
  [[nodiscard]] bool is_taken(const std::string& quantity) const { return taken_.contains(quantity); }
  void set(const std::string& quantity, const std::string& unit) { units_[quantity] = unit; }
  [[nodiscard]] const std::map<std::string, std::string>& all() const noexcept { return units_; }

 private:
  std::map<std::string, std::string> units_;
  std::set<std::string> taken_;
};

}  // namespace quire::hdf5
