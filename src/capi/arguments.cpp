#include "capi/arguments.hpp"

#include <utility>

namespace quire::capi {

static_assert(QUIRE_INT8 == static_cast<int>(Type::int8));
static_assert(QUIRE_UINT64 == static_cast<int>(Type::uint64));
static_assert(QUIRE_FLOAT80 == static_cast<int>(Type::float80));
static_assert(QUIRE_CHARACTER == static_cast<int>(Type::character));
static_assert(QUIRE_STRING == static_cast<int>(Type::string));

Error usage(const std::string& message) { return {ErrorKind::usage, message}; }

const char* not_null(const char* text, const char* what) {
  if (text == nullptr) throw usage(std::string(what) + " is a null pointer");
  return text;
}

std::string text_or_empty(const char* text) { return text != nullptr ? text : ""; }

Type type_of(quire_type type) {
  if (type < QUIRE_INT8 || type > QUIRE_STRING) throw usage("the type is unknown");
  return static_cast<Type>(type);
}

Type number_type(quire_type type) {
  if (type == QUIRE_STRING) {
    throw Error(ErrorKind::unsupported, "strings have no fixed size")
        .advise("call the function for texts: quire_put_texts, quire_read_texts, quire_set_text, quire_get_text");
  }
  return type_of(type);
}

std::vector<std::string> texts_of(const char* const* texts, std::uint64_t count, const char* what) {
  std::vector<std::string> copies;
  for (const char* text : list(texts, count, what)) copies.emplace_back(not_null(text, "a text"));
  return copies;
}

Hyperslab hyperslab(std::uint64_t axes, const std::uint64_t* start, const std::uint64_t* stride,
                    const std::uint64_t* count, const std::uint64_t* block) {
  const auto or_ones = [&](const std::uint64_t* given) {
    return given != nullptr ? std::vector<std::uint64_t>(given, given + axes) : std::vector<std::uint64_t>(axes, 1);
  };
  return {copy_of(start, axes, "the starts"), or_ones(stride), copy_of(count, axes, "the counts"), or_ones(block)};
}

Quantity quantity_of(const char* name, Type type, const char* unit, Quantity texts) {
  texts.name = not_null(name, "the name");
  texts.type = type;
  texts.unit = text_or_empty(unit);
  return texts;
}

}  // namespace quire::capi
