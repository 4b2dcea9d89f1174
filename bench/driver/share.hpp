#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "driver/memory.hpp"
#include "driver/plan.hpp"
#include "quire/model/selection.hpp"
#include "quire/model/type.hpp"

namespace quire::bench {

/// Elements of one order that a rank has.
struct ElementGroup {
  std::uint64_t modes = 0;
  std::uint64_t first_item = 0;  ///< their coefficients are [first_item, first_item + coefficients of each * ids)
  std::vector<std::uint32_t> ids;
};

/// A rank's part of a case. Whatever the kind, it is some quantities (columns, components, variables) of as many items
/// (rows, field elements, coefficients); a key identifies an item of the case.
struct Share {
  Case data;
  std::vector<Type> types;  ///< of the quantities
  std::uint64_t items = 0;
  std::vector<Line> keys;            ///< of the items, in their order in memory
  Slice rows;                        ///< of a table
  Selection selection;               ///< of each field
  std::vector<ElementGroup> groups;  ///< of elements

  /// Independent. What rank `rank` of `size` has.
  [[nodiscard]] static Share of(const Case& data, int rank, int size);

  [[nodiscard]] std::size_t quantities() const noexcept { return types.size(); }
  [[nodiscard]] std::uint64_t bytes_of(std::size_t quantity) const { return items * size_of(types[quantity]); }
  /// Of one step.
  [[nodiscard]] std::uint64_t bytes() const;
  /// Of a table or field: the part of each quantity.
  [[nodiscard]] Hyperslab slab() const {
    if (data.kind == Case::Kind::field) return selection.parts().front();
    return {{rows.first}, {1}, {rows.count}, {1}};
  }
  /// The first quantities, of which a subset consists: some columns, a field, a variable.
  [[nodiscard]] std::size_t subset_quantities() const {
    if (data.kind == Case::Kind::field) return data.components;
    return data.kind == Case::Kind::table ? data.subset : std::size_t{1};
  }
  /// The elements of which a subset has that variable: the first half, in their order in memory.
  [[nodiscard]] std::vector<std::uint32_t> subset_elements() const;
  /// They are at the beginning of a step.
  [[nodiscard]] std::uint64_t subset_bytes() const;
};

/// Independent. One element of a case, as if a rank had nothing else.
[[nodiscard]] Share share_of_element(const Case& data, std::uint64_t element);

/// Independent. What Share::of() would say of the bytes of one step, without listing their keys.
[[nodiscard]] std::uint64_t bytes_of_rank(const Case& data, int rank, int size);

/// Of all steps and ranks.
[[nodiscard]] std::uint64_t payload_of(const Case& data);

/// The values of items [first, ...) of a quantity, as many as there is room for.
void make_values(const Share& share, std::size_t quantity, std::uint64_t first, std::span<std::byte> out);

/// Bytes [offset, ...) of a step when the quantities are consecutive: what raw transfers write.
void make_bytes(const Share& share, std::uint64_t offset, std::span<std::byte> out);

/// Throws a bad_file error if the memory holds anything else than make_values() or make_bytes() would put there.
void check_values(const Share& share, std::size_t quantity, std::span<const std::byte> found);
void check_bytes(const Share& share, std::uint64_t offset, std::span<const std::byte> found);

/// Memory for the values of a share: what is written, or where it is read to.
class ShareMemory {
 public:
  /// How quantities stand in memory.
  enum class Order : std::uint8_t {
    together,  ///< consecutive: ready for raw transfers
    apart,     ///< each at another place modulo 4096, as programs have them
    movable,   ///< each at the place modulo 4096 that move() chooses
  };
  ShareMemory(Share share, Order order);

  [[nodiscard]] const Share& share() const noexcept { return share_; }
  [[nodiscard]] std::span<std::byte> quantity(std::size_t quantity) const;
  /// All of a step, in the order `together`.
  [[nodiscard]] std::span<std::byte> bytes() const;

  /// In the order `movable`: the place of the first byte in its page.
  void move(std::size_t quantity, std::size_t place);

  /// Makes the values.
  void fill() const;
  /// Makes what was there before unrecognisable.
  void forget() const;
  /// Throws as check_values(), for the first `quantities`.
  void check(std::size_t quantities) const;

 private:
  Share share_;
  std::vector<std::size_t> starts_;
  Arena arena_;
};

}  // namespace quire::bench
