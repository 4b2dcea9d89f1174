#include "format/plain/survey.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>

#include "format/hdf5/library/attributes.hpp"
#include "format/hdf5/library/column_order.hpp"
#include "format/hdf5/library/handle.hpp"
#include "format/hdf5/library/left_out.hpp"
#include "format/hdf5/library/links.hpp"
#include "quire/spi/base/checked.hpp"

namespace quire::hdf5 {
namespace {

/// The approximate memory for the description of an object, which limits the number of objects.
constexpr std::uint64_t bytes_per_object = 1024;
constexpr std::size_t deepest = 64;

/// A traversal of a file that visits every object once.
class Walk {
 public:
  Walk(Image& image, std::uint64_t memory_budget, std::vector<std::string>& warnings, Unwritten unwritten, bool is_cut)
      : is_cut_(is_cut),
        image_(image),
        budget_(memory_budget),
        most_objects_(checked_add(memory_budget, image.size()) / bytes_per_object),
        warnings_(warnings),
        chunks_(image, memory_budget, warnings, unwritten) {}

  void visit(hid_t group, const std::string& path, std::size_t depth) {
    whole("the group " + (path.empty() ? "/" : path), [&] { look_into(group, path, depth); });
  }

  std::vector<PlainGroup> take() {
    std::erase_if(groups_, [](const PlainGroup& group) { return group.datasets.empty(); });
    std::ranges::sort(groups_, {}, &PlainGroup::path);
    return std::move(groups_);
  }

 private:
  /// Does the work on an object. In a cut file, an object that is not whole is left out.
  template <class Work>
  void whole(const std::string& object, Work&& work) {
    if (!is_cut_) return work();
    try {
      with_hdf5(image_, work);
    } catch (const Error& error) {
      warnings_.push_back(object + " is lost: " + error.message());
    }
  }

  void look_into(hid_t group, const std::string& path, std::size_t depth) {
    if (!seen_.insert(address_of(group)).second) {
      return warnings_.push_back("the group " + path + " is another link to a group described before and is left out");
    }
    if (depth > deepest) return warnings_.push_back("the group " + path + " is nested too deeply and is left out");
    const std::size_t own = groups_.size();
    groups_.push_back({path, {}});
    look_at_attributes(groups_[own], group, depth > 0);
    for (const Link& link : list_links(group, path)) {
      if (++objects_ > most_objects_) {
        throw Error(ErrorKind::memory, "the file has more objects than the memory budget allows")
            .on(path)
            .advise("raise the memory budget: quire.open(..., memory_budget=)");
      }
      const std::string inner = path.empty() ? link.name : path + "/" + link.name;
      if (link.type != H5L_TYPE_HARD) {
        warnings_.push_back("the link " + inner + " is not followed");
        continue;
      }
      if (const std::string why = why_left_out(image_, link); !why.empty()) {
        warnings_.push_back(inner + " is left out: " + why);
        continue;
      }
      whole(inner, [&] {
        const Handle object = own_object(group, link.name, inner);
        if (!object) return;
        if (H5Iget_type(object.id()) == H5I_GROUP) {
          visit(object.id(), inner, depth + 1);
        } else if (H5Iget_type(object.id()) == H5I_DATASET) {
          add(own, object.id(), inner, link.name);
        }  // committed types hold no values
      });
    }
  }

  /// No handle for an object of a later version than the library knows; the other objects are still read.
  [[nodiscard]] Handle own_object(hid_t group, const std::string& name, const std::string& path) {
    Handle object(H5Oopen(group, name.c_str(), H5P_DEFAULT));
    if (object) return object;
    if (image_.has_failed() || !failed_for_version()) throw hdf5_error("open the object", path);
    warnings_.push_back(path +
                        " is left out, because this HDF5 library does not support its storage: " + error_stack_text());
    return object;
  }

  /// The attributes of the root are those of the step, which is read elsewhere.
  void look_at_attributes(PlainGroup& described, hid_t group, bool is_inside) {
    std::vector<std::string> repeated;
    std::vector<Attribute> attributes = read_attributes(image_, group, budget_, is_inside ? warnings_ : repeated);
    described.order = take_column_order(attributes);
    std::string names;
    for (const Attribute& attribute : attributes) names += (names.empty() ? "" : ", ") + attribute.name;
    if (is_inside && !names.empty()) {
      warnings_.push_back("attributes of the group " + described.path + " are left out: " + names);
    }
  }

  void add(std::size_t group, hid_t object, const std::string& path, const std::string& name) {
    PlainDataset dataset{.path = path, .name = name, .data = {}, .members = {}, .attributes = {}};
    if (auto data = describe_dataset(object, path, image_.ends(), &chunks_)) {
      dataset.data = *std::move(data);
    } else if (auto compound = describe_compound(object, path, chunks_)) {
      dataset.data = std::move(compound->data);
      dataset.members = std::move(compound->values);
      std::string names;
      for (const std::string& member : compound->left_out) names += (names.empty() ? "" : ", ") + member;
      if (!names.empty()) warnings_.push_back("members of " + path + " are left out: " + names);
    } else {
      return warnings_.push_back("the dataset " + path + " is left out: " + why_not_described(object));
    }
    dataset.attributes = read_attributes(image_, object, budget_, warnings_);
    groups_[group].datasets.push_back(std::move(dataset));
  }

  bool is_cut_;
  Image& image_;
  std::uint64_t budget_;
  std::uint64_t most_objects_;  ///< each takes about as much of the file as of memory
  std::vector<std::string>& warnings_;
  ChunkScope chunks_;
  std::set<std::uint64_t> seen_;
  std::uint64_t objects_ = 0;
  std::vector<PlainGroup> groups_;
};

}  // namespace

SortedGroup sort_group(PlainGroup group) {
  std::map<std::uint64_t, std::size_t> lengths;
  const auto is_line = [](const PlainDataset& dataset) {
    return dataset.members.empty() && dataset.data.extents.size() == 1;
  };
  for (const PlainDataset& dataset : group.datasets) {
    if (is_line(dataset)) ++lengths[dataset.data.extents.front()];
  }
  const auto most = std::ranges::max_element(lengths, {}, [](const auto& entry) { return entry.second; });
  SortedGroup sorted;
  for (PlainDataset& dataset : group.datasets) {
    const bool belongs = is_line(dataset) && dataset.data.extents.front() == most->first;
    (belongs ? sorted.lines : sorted.others).push_back(std::move(dataset));
  }
  put_in_order(sorted.lines, group.order, &PlainDataset::name);
  return sorted;
}

std::vector<PlainGroup> survey(hid_t file, Image& image, std::uint64_t memory_budget,
                               std::vector<std::string>& warnings, Unwritten unwritten, bool is_cut) {
  const Handle root = own(H5Gopen2(file, "/", H5P_DEFAULT), "open the root group");
  Walk walk(image, memory_budget, warnings, unwritten, is_cut);
  walk.visit(root.id(), "", 0);
  return walk.take();
}

}  // namespace quire::hdf5
